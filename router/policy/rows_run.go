package policy

// wrapperRows are commands that run another command, which their operands are.
func wrapperRows() []row {
	return []row{
		{"env", 0, handled, "", "", (*call).env},
		{"timeout gtimeout", 0, handled, "k:s:", "kill-after: signal:", (*call).wrapAfterOne},
		{"nohup setsid unbuffer catchsegv eatmydata nocache torsocks torify proxychains proxychains4 tsocks dbus-run-session dbus-launch caffeinate linux32 linux64 i386 x86_64 fakechroot cpulimit tini dumb-init winpty rlwrap aoss padsp primusrun optirun chpst envdir setlock softlimit", 0, handled, "f<g:u:l:e:p:n:c:", "", (*call).wrapAll},
		{"nice", 0, handled, "n:", "adjustment:", (*call).wrapAll},
		{"ionice", 0, handled, "c:n:p:P:u:", "class: classdata: pid: pgid: uid:", (*call).wrapAll},
		{"chrt taskset setarch", 0, handled, "T:P:D:", "", (*call).wrapAfterOne},
		{"numactl prlimit cgexec schedtool", 0, handled, "g:N:m:C:i:p:M:n:a:", "", (*call).wrapAll},
		{"stdbuf", 0, handled, "i:o:e:", "input: output: error:", (*call).wrapAll},
		{"time gtime", 0, handled, "f:o>", "format: output>", (*call).wrapAll},
		{"fakeroot", 0, handled, "l:s>i<b:", "lib: faked: save-file> load-file< fd-base:", (*call).wrapAll},
		{"xvfb-run", 0, handled, "e>f:n:p:s:w:", "error-file> auth-file: server-num: xauth-protocol: server-args: wait:", (*call).wrapAll},
		{"strace ltrace", executes, handled, "o>e:p:s:a:b:E:I:O:S:u:P:X:U:", "output> attach: env: string-limit: user: trace:", (*call).tracer},
		{"valgrind heaptrack memusage", executes, handled, "", "", (*call).wrapAll},
		{"faketime gosu su-exec", 0, handled, "f:", "", (*call).wrapAfterOne},
		{"flock", 0, handled, "w:E:c!", "timeout: wait: conflict-exit-code: command!", (*call).wrapFlock},
		{"script", writes, handled, "c!o:O>B>I>T>m:E:", "command! output-limit: log-out> log-io> log-in> log-timing> logging-format: echo:", (*call).typescript},
		{"watch", 0, handled, "n:", "interval:", (*call).shellWords},
		{"hyperfine", 0, handled, "w:m:M:r:p!s!c!n:P:D:L:S:i", "prepare! setup! cleanup! warmup: runs: min-runs: max-runs: shell: export-json> export-markdown> export-csv> parameter-list: parameter-scan: command-name: output>", (*call).shellWords},
		{"xargs gxargs", 0, handled, "", "", (*call).xargs},
		{"parallel rush", 0, handled, "", "", (*call).parallel},
		{"entr watchexec nodemon chokidar reflex", executes, handled, "e:w:i:", "", (*call).wrapAll},
		{"sudo doas sudoedit su runuser pkexec please run0 calife gksudo kdesudo", executes, handled, "", "", (*call).sudo},
		{"chroot unshare nsenter setpriv capsh bwrap firejail systemd-run systemd-nspawn systemd-inhibit proot machinectl lxc-attach lxc-execute lxc incus toolbox distrobox", executes, handled, "", "", (*call).contained},
		{"busybox toybox coreutils", 0, handled, "", "", (*call).multicall},
		{"ld-linux.so", executes, handled, "", "library-path: inhibit-rpath: audit: preload: argv0: list verify", (*call).loader},
		{"sshpass", executes, handled, "p:f:d:P:", "", (*call).wrapAll},
		{"direnv mise asdf rbenv pyenv nvm volta op dotenv doppler chamber aws-vault", executes | unknown, handled, "", "", (*call).tryRest},
	}
}

// networkRows are commands that talk to other machines.
func networkRows() []row {
	return []row{
		{"curl", reads | networks, handled, "", "", (*call).curl},
		{"wget wget2", networks | writes, handled, "", "", (*call).wget},
		{"http https xh httpie aria2c axel lynx w3m links elinks browsh yt-dlp youtube-dl lftp ncftp", networks | unknown, handled, "o>", "output>", (*call).downloads},
		{"ping ping6 fping traceroute tracepath mtr dig host nslookup whois drill nmap arping hping3 iperf iperf3 speedtest finger ntpdate", networks, 0, "", "script^", (*call).downloads},
		{"ssh autossh mosh slogin", networks | executes, handled, "", "", (*call).ssh},
		{"ssh-keygen ssh-add ssh-agent ssh-copy-id ssh-keyscan gpg gpg2 gpgconf age openssl certbot keytool pass", executes | reads | writes | unknown, handled, "", "", (*call).secrets},
		{"scp sftp", networks | reads | writes, handled, "S!o^F<i<P:l:c:J:D!", "", (*call).scp},
		{"nc ncat netcat socat telnet ftp tftp rlogin rsh websocat", networks | executes, handled, "", "", (*call).netcat},
		{"mail mailx sendmail mutt msmtp swaks s-nail", networks | executes, 0, "", "", nil},
		{"tcpdump tshark wireshark ngrep dumpcap", reads | networks | executes, handled, "w>r<z!i:c:s:C:W:G:F<B:y:E:j:Z:T:D:f:Y:R:", "", (*call).readOptions},
		{"ngrok cloudflared localtunnel tailscale zerotier-cli wg wg-quick openvpn", networks | executes | unknown, handled, "", "", (*call).confirmSome},
	}
}

// dangerRows are commands that are always asked about, or never run.
func dangerRows() []row {
	return []row{
		{"shutdown reboot halt poweroff telinit init kexec systemd-shutdown", executes, handled, "", "", (*call).power},
		{"mkfs mke2fs mkswap mkdosfs mkntfs newfs newfs_apfs newfs_hfs wipefs blkdiscard badblocks cryptsetup fdisk cfdisk sfdisk gdisk sgdisk cgdisk parted partprobe pvcreate pvremove vgremove lvremove vgreduce lvreduce zpool zfs mdadm nvme hdparm sg_format diskutil bcache-super-show e2fsck fsck tune2fs resize2fs debugfs xfs_repair btrfs ddrescue partclone flashrom efibootmgr dmsetup losetup nbd-client", executes, handled, "", "", (*call).disk},
		{"kill", executes, handled, "", "", (*call).kill},
		{"pkill killall killall5 skill slay xkill fuser", executes, handled, "", "", (*call).pkill},
		{"renice chvt setterm loadkeys wall logger notify-send", executes, 0, "", "", nil},
		{"umount swapoff insmod modprobe rmmod depmod iptables ip6tables nft ufw firewall-cmd ebtables setenforce update-grub grub-install grub-mkconfig update-initramfs dracut mkinitcpio ldconfig update-alternatives systemd-sysusers systemd-tmpfiles visudo vipw passwd chpasswd usermod useradd userdel adduser deluser groupadd groupdel groupmod gpasswd chsh chfn newusers chage authconfig pam-auth-update hwclock dpkg-reconfigure update-rc.d chkconfig nvram bless csrutil spctl dscl scutil defaults tccutil setpci flashcp auditctl apparmor_parser aa-disable semanage", executes, handled, "", "", (*call).confirmAlways},
	}
}
