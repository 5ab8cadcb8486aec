package policy

// readRows are commands that look at files.
func readRows() []row {
	return []row{
		{"cat tac bat batcat", reads, readsFiles, "", "pager! paging:", (*call).cat},
		{"head tail", reads, readsFiles, "n:c:s:", "lines: bytes: pid: sleep-interval:", nil},
		{"nl od hexdump hd strings", reads, readsFiles, "b:d:f:h:i:l:n:s:v:w:A:j:N:S:t:e:T:", "", nil},
		{"xxd", reads, converts, "c:g:l:o:s:n:b:R:", "", (*call).xxd},
		{"wc", reads, readsFiles, "", "files0-from<", (*call).wc},
		{"cut", reads, readsFiles, "b:c:d:f:", "output-delimiter: bytes: characters: delimiter: fields:", nil},
		{"paste join comm cmp", reads, readsFiles, "d:1:2:a:e:j:o:t:v:i:n:", "delimiters: output-delimiter: ignore-initial: bytes:", nil},
		{"diff colordiff", reads, readsTrees, "U:C:W:x:X<I:F:D:L:S:", "label: exclude: exclude-from< to-file< from-file< unified? context? width: starting-file:", nil},
		{"diff3 sdiff", reads, readsFiles, "o>L:W:", "output> diff-program! label:", nil},
		{"uniq", reads, converts, "f:s:w:", "skip-fields: skip-chars: check-chars: group? all-repeated?", nil},
		{"sort", reads, readsFiles, "k:t:S:T>o>", "output> compress-program! files0-from< temporary-directory> random-source< key: field-separator: buffer-size: batch-size: parallel: sort: check?", nil},
		{"shuf", reads, readsFiles, "n:i:o>", "output> random-source< head-count: input-range: echo", nil},
		{"ptx", reads, converts, "o>g:w:b<i<W:M:F:S:", "", nil},
		{"tsort fold fmt pr expand unexpand column rev look iconv", reads, readsFiles, "w:p:g:t:c:s:d:E:H:N:O:R:W:h:l:n:o:f:", "output> width: from-code: to-code: separator: table-columns:", (*call).rev},
		{"tr", 0, 0, "", "", (*call).tr},
		{"file", reads, readsFiles, "m<f<P:F:e:C^", "magic-file< files-from< compile^", nil},
		{"stat readlink realpath namei getfacl lsattr", reads, readsFiles, "c:f:", "format: printf: relative-to: relative-base:", nil},
		{"ls dir vdir exa eza lsd ll", reads, listsHere, "I:w:T:L:", "ignore: hide: width: tabsize: color? sort: time: format: time-style: block-size: indicator-style:", nil},
		{"du ncdu dust", reads, listsHere, "d:t:B:X<", "exclude: exclude-from< files0-from< max-depth: threshold: block-size: time? time-style:", nil},
		{"tree", reads, listsHere, "o>L:P:I:H:T:R^", "output> filelimit: timefmt: charset: info gitfile<", nil},
		{"basename dirname", 0, handled, "", "", (*call).nameOf},
		{"md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum", reads, readsFiles, "a:l:", "algorithm: length:", nil},
		{"base64 base32 basenc uudecode uuencode", reads, readsFiles, "w:i<o>", "wrap:", (*call).base64},
		{"zcat bzcat xzcat zstdcat lz4cat zless zmore zgrep zegrep zfgrep xzgrep bzgrep zdiff zcmp", reads, readsFiles, "e:f<m:A:B:C:", "", (*call).decode},
		{"less more most", reads, readsFiles, "o>O>k<t:T<P:p:b:h:j:x:y:z:", "log-file> LOG-FILE> lesskey-file< lesskey-src< prompt: pattern: tag: tag-file<", (*call).pager},
		{"man apropos whatis info", reads, 0, "P!H!C<L:M:S:s:e:r:p:R:E:", "pager! html! config-file< locale: manpath: sections: extension: prompt: preprocessor: encoding:", nil},
		{"grep egrep fgrep", reads, handled, "", "", (*call).grep},
		{"rg ripgrep", reads, handled, "", "", (*call).rg},
		{"ag ack", reads, handled, "A:B:C:G:g:m:p<", "pager! ignore: ignore-dir: depth: ackrc< output:", (*call).patternFirst},
		{"jq gojq yq xq fx", reads, handled, "f<L:i>o>p:I:", "from-file< arg: argjson: slurpfile: rawfile: indent: seq inplace> output>", (*call).jq},
		{"xmllint", reads, readsFiles, "o>", "output> schema< relaxng< path: xpath: encode: pretty: shell^ html htmlout", nil},
		{"locate plocate mlocate", reads, 0, "d<l:", "database< limit:", nil},
		{"which whereis", reads, 0, "BMSf:", "", (*call).which},
		{"find gfind", reads, handled, "", "", (*call).find},
		{"fd fdfind", reads, handled, "", "", (*call).fd},
		{"shellcheck cloc tokei scc wdiff dwdiff nm objdump readelf size ldd c++filt addr2line pahole pdfinfo exiftool mediainfo ffprobe", reads, handled, "", "", (*call).inspect},
	}
}

// systemRows are commands that look at processes, machines and users, and that
// become something else with an operand or an option.
func systemRows() []row {
	return []row{
		{"ps pgrep pidof pstree free vmstat iostat mpstat sar lscpu lsblk lspci lsusb lsmod lsof lsns lsipc lslogins nproc uname arch uptime who w last lastlog users id groups whoami logname hostid getconf locale getent tty printenv numfmt cal ncal nvidia-smi findmnt", reads, 0, "", "", (*call).numbers},
		{"top htop btop atop", reads, 0, "", "", nil},
		{"df", reads, readsFiles, "t:x:B:", "type: exclude-type: block-size: output? sync", nil},
		{"netstat ss arp", reads, 0, "K^D>F<", "kill^ diag> filter<", nil},
		{"sleep true false seq yes expr factor tput clear reset mesg sync", 0, 0, "", "", (*call).numbers},
		{"bc", 0, readsFiles, "", "", nil},
		{"date", reads, handled, "d:f<r<s^I?", "date: file< reference< set^ iso-8601? rfc-3339:", (*call).date},
		{"hostname domainname", reads, handled, "F^b^", "file^ boot^", (*call).operandActs},
		{"dmesg", reads, 0, "C^c^n:", "clear^ read-clear^ console-level: level: facility:", nil},
		{"journalctl", reads, 0, "u:n:p:o:S:U:t:b?D<", "vacuum-size^ vacuum-time^ vacuum-files^ rotate^ flush^ sync^ relinquish-var^ unit: lines: since: until: output: grep: boot? update-catalog^ setup-keys^", nil},
		{"stty", executes, 0, "", "", nil},
		{"loginctl hostnamectl timedatectl localectl resolvectl networkctl coredumpctl", reads, handled, "", "", (*call).ctl},
		{"ip ifconfig route iwconfig ethtool nmcli bridge tc brctl", reads, handled, "", "", (*call).netConfig},
		{"sysctl", reads, handled, "", "", (*call).sysctl},
		{"mount swapon", reads, handled, "", "", (*call).mount},
	}
}
