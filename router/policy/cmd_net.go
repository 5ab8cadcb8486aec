package policy

import "strings"

var curlSpec = optionSpec{"o>T<d:F:H:X:u:A:b:c>e:K^D>E:m:r:U:x:w:y:Y:z:C:P:Q:t:h?", "output> upload-file< data: data-binary: data-raw: data-urlencode: form: form-string: header: request: user: user-agent: cookie: cookie-jar> referer: config^ dump-header> cert: max-time: range: proxy-user: proxy: write-out: time-cond: continue-at: trace> trace-ascii> stderr> netrc-file< cacert< capath: key: key-type: cert-type: connect-timeout: connect-to: resolve: retry: retry-delay: retry-max-time: limit-rate: max-redirs: interface: local-port: output-dir: proto: proto-redir: json: url: url-query: unix-socket: abstract-unix-socket: hsts> alt-svc> etag-save> etag-compare< libcurl> engine^ create-dirs remote-name remote-name-all remote-header-name data-ascii: ftp-port: quote: socks5: socks5-hostname: socks4: preproxy: noproxy: ciphers: tls-max: aws-sigv4: oauth2-bearer: variable: parallel-max: rate: dns-servers: doh-url: keepalive-time: max-filesize: post: "}

// curl fetches, and sends; what it prints comes from another machine.
func (c *call) curl() {
	c.out = value{fromNet}
	var urls, outs []field
	remote := false
	operands := c.options(curlSpec, func(o option) {
		switch o.name {
		case "o", "output":
			if o.has {
				outs = append(outs, o.value)
				c.out = value{""}
			}
		case "O", "remote-name", "remote-name-all", "J", "remote-header-name":
			remote = true
			c.out = value{""}
		case "url":
			urls = append(urls, o.value)
		case "T", "upload-file", "F", "form", "d", "data", "data-binary", "data-urlencode", "json":
			c.sends(o.value, o.at)
		case "K", "config":
			c.does(unknown)
		}
	})
	urls = append(urls, operands...)
	for _, f := range outs {
		if f.text == "-" {
			c.out = value{fromNet}
		}
		c.j.keepFile(f, value{fromNet}, false)
	}
	if remote {
		for _, u := range urls {
			c.keepDownload(lastOf(cutQuery(u.text)), u)
		}
	}
	for _, u := range urls {
		if strings.HasPrefix(u.text, "file:") {
			c.read(u.after(len("file:")))
		}
	}
	c.mayHide()
}

// keepDownload notes that a file of that name came over the network.
func (c *call) keepDownload(name string, f field) {
	if name == "" {
		name = "index.html"
	}
	g := field{text: name, at: f.at, from: -1}
	c.write(g)
	c.j.keepFile(g, value{fromNet}, false)
}

func cutQuery(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		return url[:i]
	}
	return url
}

// sends notes that a file's text goes to another machine.
func (c *call) sends(f field, at span) {
	text := f.text
	if i := strings.Index(text, "@"); i >= 0 && (i == 0 || text[i-1] == '=') {
		g := f.after(i + 1)
		g.text, _, _ = strings.Cut(g.text, ";")
		if g.text != "-" {
			c.read(g)
		}
		c.effect(networks, c.name+" sends the file "+show(g.text), at)
	}
}

// wget fetches into files.
func (c *call) wget() {
	spec := optionSpec{"O>o>a>i<P:e^U:t:T:w:Q:B:D:A:R:X:I:l:", "output-document> output-file> append-output> input-file< directory-prefix: execute^ use-askpass! user-agent: tries: timeout: wait: quota: base: domains: accept: reject: exclude-directories: include-directories: level: header: post-data: post-file< body-file< body-data: method: config^ save-cookies> load-cookies< certificate< ca-certificate< private-key< user: password: http-user: http-password: limit-rate: default-page: referer: warc-file> rejected-log> spider"}
	var out, dir field
	var urls []field
	spider := false
	urls = c.options(spec, func(o option) {
		switch o.name {
		case "O", "output-document":
			out = o.value
		case "P", "directory-prefix":
			dir = o.value
		case "spider":
			spider = true
		}
	})
	if out.text == "-" {
		c.out = value{fromNet}
		c.part.set &^= writes
		for _, p := range c.part.Paths {
			if p.Write {
				c.does(writes)
			}
		}
		return
	}
	if spider {
		c.part.set &^= writes
		return
	}
	c.quiet()
	if out.text != "" {
		c.j.keepFile(out, value{fromNet}, false)
		return
	}
	for _, u := range urls {
		name := lastOf(cutQuery(u.text))
		if dir.text != "" {
			name = dir.text + "/" + name
		}
		c.keepDownload(name, u)
	}
	c.mayHide()
}

// downloads is a program that talks to machines and may write what it gets.
func (c *call) downloads() {
	c.out = value{fromNet}
	c.options(c.spec(), func(o option) {
		if strings.HasPrefix(o.name, "on-") || o.name == "exec" || o.name == "exec-before-download" || o.name == "script" {
			c.effect(executes|unknown, c.name+" --"+o.name+" runs a program", o.at)
			c.raiseText(o.value, c.name)
		}
	})
	for i, a := range c.args {
		if strings.HasPrefix(a.text, "--exec") && i+1 < len(c.args) {
			c.raiseText(c.args[i+1], c.name)
		}
	}
}

// ssh runs a command on another machine, and some of its options one on this.
func (c *call) ssh() {
	spec := optionSpec{"b:c:D:e:E>F<i<I^J:l:L:m:O:o:p:Q:R:S:w:W:B:P:", ""}
	_, rest := c.scan(spec, true, func(o option) {
		if o.name == "o" {
			c.sshOption(o.value)
		}
		if o.name == "F" || o.name == "R" || o.name == "L" || o.name == "D" || o.name == "w" {
			c.does(unknown)
		}
	})
	c.out = value{fromNet}
	c.does(unknown)
	if len(rest) == 0 {
		return
	}
	if strings.HasPrefix(rest[0].text, "-") {
		c.does(unknown)
	}
	if len(rest) > 1 {
		text := joined(rest[1:])
		c.raise(Confirm, func() {
			c.j.innerText(text, field{text: text, at: rest[1].at, from: -1}, "ssh", true)
		})
		return
	}
	for _, s := range c.j.stdin {
		c.raise(Confirm, func() { c.j.innerText(s, field{text: s, at: c.at, from: -1}, "ssh", true) })
	}
}

// sshOption judges -o: three of its settings are commands that run here.
func (c *call) sshOption(f field) {
	low := strings.ToLower(f.text)
	for _, key := range [...]string{"proxycommand", "localcommand", "knownhostscommand", "pkcs11provider", "securitykeyprovider", "permitlocalcommand", "proxyusefdpass"} {
		if rest, ok := strings.CutPrefix(low, key); ok {
			c.effect(executes|unknown, "ssh -o "+key+" runs a command here", f.at)
			c.raiseText(f.after(len(f.text)-len(strings.TrimLeft(rest, "= "))), "ssh -o "+key)
		}
	}
	if !known(f.text) {
		c.effect(unknown, "what ssh -o sets cannot be told", f.at)
	}
}

// scp and sftp copy between machines.
func (c *call) scp() {
	for i, a := range c.args {
		if a.text == "-o" && i+1 < len(c.args) {
			c.sshOption(c.args[i+1])
		}
	}
	operands := c.options(optionSpec{"S!o:F<i<P:l:c:J:D!b<B:R:s:X:", ""}, nil)
	c.part.set &^= writes | reads
	for i, f := range operands {
		host, _, remote := strings.Cut(f.text, ":")
		if remote && !strings.Contains(host, "/") {
			continue
		}
		if i == len(operands)-1 && i > 0 {
			c.writeTree(f)
		} else if c.name == "scp" {
			c.readTree(f)
		}
	}
	if c.name == "sftp" {
		c.does(unknown)
	}
	c.mayHide()
}

// netcat connects a program, or this machine's files, to the network.
func (c *call) netcat() {
	c.out = value{fromNet}
	for i, a := range c.args {
		low := strings.ToLower(a.text)
		next := field{at: a.at, from: -1}
		if i+1 < len(c.args) {
			next = c.args[i+1]
		}
		switch {
		case c.name != "socat" && c.name != "telnet" && c.name != "ftp" && (a.text == "-e" || a.text == "-c" || strings.HasPrefix(a.text, "--exec") || strings.HasPrefix(a.text, "--sh-exec") || strings.HasPrefix(a.text, "--lua-exec")):
			c.danger(Confirm, c.name+" connects a program to the network", a.at)
			c.does(unknown)
			if _, text, ok := strings.Cut(a.text, "="); ok {
				next = a.after(len(a.text) - len(text))
			}
			c.raiseText(next, c.name+" "+a.text)
		case len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && c.name != "socat" && strings.HasSuffix(a.text, "e"):
			c.danger(Confirm, c.name+" connects a program to the network", a.at)
		case strings.HasPrefix(low, "exec:") || strings.HasPrefix(low, "system:") || strings.HasPrefix(low, "shell:"):
			c.danger(Confirm, c.name+" connects a program to other addresses", a.at)
			c.does(unknown)
			f := a.after(strings.IndexByte(a.text, ':') + 1)
			c.raiseText(f, c.name)
		case c.name == "socat" && (strings.HasPrefix(low, "open:") || strings.HasPrefix(low, "create:") || strings.HasPrefix(low, "file:") || strings.HasPrefix(low, "gopen:")):
			f := a.after(strings.IndexByte(a.text, ':') + 1)
			f.text, _, _ = strings.Cut(f.text, ",")
			c.write(f)
		}
	}
}

// secrets makes, uses and shows keys.
func (c *call) secrets() {
	for i, a := range c.args {
		switch a.text {
		case "-in", "-inform", "-CAfile", "-cert", "-key":
			if i+1 < len(c.args) {
				c.read(c.args[i+1])
			}
		case "-out", "-o", "--output", "-keyout", "-f":
			if i+1 < len(c.args) && !(a.text == "-f" && c.name != "ssh-keygen") {
				c.write(c.args[i+1])
			}
		case "--delete-keys", "--delete-secret-keys", "--delete-secret-and-public-keys", "-R", "--export-secret-keys", "--send-keys":
			c.danger(Confirm, c.name+" "+a.text+" changes or shows keys", a.at)
		case "-engine", "-provider", "-D", "-provider-path":
			c.danger(Confirm, c.name+" "+a.text+" loads code", a.at)
		case "s_server", "s_client":
			c.does(networks)
		}
	}
	if c.name == "ssh-copy-id" {
		c.danger(Confirm, "lets a key into another machine", c.at)
		c.does(networks)
	}
	if c.j.out != nil {
		c.decode()
	}
}

// readOptions is a program whose options say what it reads and writes.
func (c *call) readOptions() {
	c.options(c.spec(), nil)
	c.mayHide()
}
