package policy

import "strings"

// compress replaces files by their compressed form, or the other way round.
func (c *call) compress() {
	looks := false
	spec := optionSpec{"S:o>T:b:F:M:D<", "suffix: output> threads: memlimit: stdout to-stdout list test keep files? filelist<"}
	operands := c.options(spec, func(o option) {
		switch o.name {
		case "c", "stdout", "to-stdout", "l", "list", "t", "test":
			looks = true
		}
	})
	if len(operands) == 0 && !c.hasFlag("o") {
		looks = true
	}
	for _, f := range operands {
		if looks {
			c.read(f)
		} else {
			c.write(f)
		}
	}
	if looks {
		c.part.set = c.part.set&^writes | reads
		for _, p := range c.part.Paths {
			if p.Write {
				c.does(writes)
			}
		}
		c.decode()
	}
	c.mayHide()
}

var tarSpec = optionSpec{"f:C:T<X<b:g>H:I!K:L:N:V:F!", "file: directory: files-from< exclude-from< exclude: use-compress-program! to-command! info-script! new-volume-script! checkpoint-action: checkpoint? rmt-command! rsh-command! index-file> listed-incremental> transform: xform: owner: group: mode: mtime: newer: after-date: starting-file: tape-length: volno-file> format: label: blocking-factor: strip-components: one-top-level? suffix: backup? warning: occurrence? record-size: hole-detection: sparse-version: sort: pax-option: quoting-style: owner-map< group-map< add-file: level: to-stdout list extract get create append update delete remove-files absolute-names overwrite recursive-unlink unlink-first totals? utc verbose compress"}

// tar packs, lists and unpacks; several of its options run programs.
func (c *call) tar() {
	args := c.args
	if len(args) > 0 && args[0].text != "" && args[0].text[0] != '-' && known(args[0].text) { // tar xzf: old style
		old := args[0]
		old.text, old.from = "-"+old.text, -1
		c.args = oldStyle(old, args[1:])
	}
	mode := byte(0)
	var archive, dir field
	stdout, removes := false, false
	operands := c.options(tarSpec, func(o option) {
		switch o.name {
		case "x", "extract", "get":
			mode = 'x'
		case "c", "create", "r", "append", "u", "update", "A", "delete":
			mode = 'c'
		case "t", "list":
			mode = 't'
		case "f", "file":
			archive = o.value
		case "C", "directory":
			dir = o.value
		case "O", "to-stdout":
			stdout = true
		case "remove-files":
			removes = true
		case "checkpoint-action":
			c.checkpointAction(o)
		case "P", "absolute-names":
			c.effect(unknown, "tar -P may write anywhere", o.at)
		}
	})
	c.args = args
	if strings.Contains(archive.text, ":") {
		c.effect(networks, "tar reads an archive on another machine", archive.at)
	}
	switch mode {
	case 'x':
		c.tarExtract(archive, dir, stdout)
	case 'c':
		if archive.text != "" {
			c.write(archive)
		}
		for _, f := range operands {
			c.inDir(dir, f, func(f field) { c.readTree(f) })
			if removes {
				c.inDir(dir, f, func(f field) { c.writeTree(f); c.wipes(f, "packs and deletes") })
				c.danger(Confirm, "tar --remove-files deletes what it has packed", f.at)
			}
		}
	default:
		if archive.text != "" {
			c.read(archive)
		}
	}
	c.mayHide()
}

// oldStyle gives the letters of tar xfC a.tar d their values as options.
func oldStyle(f field, rest []field) []field {
	var out []field
	for i := 1; i < len(f.text); i++ {
		o := f
		o.text = "-" + f.text[i:i+1]
		out = append(out, o)
		if strings.IndexByte("fCTXbgHIKLNVF", f.text[i]) >= 0 && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

func (c *call) checkpointAction(o option) {
	if text, ok := strings.CutPrefix(o.value.text, "exec="); ok {
		c.effect(executes, "tar runs "+show(text)+" at its checkpoints", o.at)
		c.text(o.value.after(len("exec=")), "tar --checkpoint-action", true)
	} else if !known(o.value.text) {
		c.effect(executes|unknown, "what tar does at its checkpoints cannot be told", o.at)
	}
}

func (c *call) tarExtract(archive, dir field, stdout bool) {
	if archive.text != "" && archive.text != "-" {
		c.read(archive)
	}
	if stdout {
		c.decode()
		return
	}
	c.does(writes)
	if dir.text == "" {
		dir = c.here()
	}
	c.writeTree(dir)
}

// inDir hands over a file as it is seen from a directory that an option names.
func (c *call) inDir(dir, f field, take func(field)) {
	if dir.text != "" && !strings.HasPrefix(f.text, "/") {
		f.text = dir.text + "/" + f.text
		f.glob = f.glob || dir.glob
	}
	take(f)
}

func (c *call) zip() {
	spec := optionSpec{"b:i:x:n:t:P:O>", "unzip-command! test output-file> temp-path: exclude: include: password:"}
	moves := false
	var operands []field
	for i := 0; i < len(c.args); i++ { // -TT cmd is an option of two letters
		if (c.args[i].text == "-TT" || strings.HasPrefix(c.args[i].text, "--unzip-c")) && i+1 < len(c.args) {
			c.effect(executes, "zip runs "+show(c.args[i+1].text), c.args[i].at)
			c.text(c.args[i+1], "zip -TT", true)
		}
	}
	operands = c.options(spec, func(o option) { moves = moves || o.name == "m" || o.name == "move" })
	for i, f := range operands {
		switch {
		case i == 0:
			c.write(f)
		case moves:
			c.writeTree(f)
			c.wipes(f, "packs and deletes")
		default:
			c.readTree(f)
		}
	}
	c.mayHide()
}

// unzip and its kin unpack archives, or make them.
func (c *call) unzip() {
	dir := c.here()
	looks := c.name == "unzip" && (c.hasFlag("l") || c.hasFlag("p") || c.hasFlag("v") || c.hasFlag("t") || c.hasFlag("Z"))
	operands := c.options(optionSpec{"d:x:P:", ""}, func(o option) {
		if o.name == "d" && o.has {
			dir = o.value
		}
	})
	for i, f := range operands {
		if i == 0 && c.name == "unzip" {
			c.read(f)
		}
	}
	for _, a := range c.args {
		if rest, ok := strings.CutPrefix(a.text, "-o"); ok && strings.HasPrefix(c.name, "7z") && rest != "" {
			dir = a.after(2)
		}
	}
	if looks {
		c.part.set = reads
		c.decode()
		return
	}
	c.writeTree(dir)
	if c.name != "unzip" {
		for _, f := range operands[min(1, len(operands)):] {
			c.write(f)
		}
	}
	c.mayHide()
}

func (c *call) cpio() {
	c.options(optionSpec{"F:I<O>E<H:R:D:", "rsh-command! file: pattern-file< format: directory:"}, nil)
	c.effect(unknown, "cpio reads and writes what its input names", c.at)
	c.mayHide()
}

// rsync copies trees; --delete removes what the source does not have.
func (c *call) rsync() {
	r, _ := c.j.a.lookup("rsync")
	deletes := false
	operands := c.options(optionSpec{r.short, r.long}, func(o option) {
		deletes = deletes || strings.HasPrefix(o.name, "del") || o.name == "remove-source-files"
	})
	c.part.set = c.part.set &^ writes
	for i, f := range operands {
		remote := strings.Contains(f.text, ":") && !strings.HasPrefix(f.text, "/") || strings.HasPrefix(f.text, "rsync://")
		switch {
		case remote:
			c.usual(networks|executes, "rsync talks to "+show(f.text), f.at)
		case i == len(operands)-1 && i > 0:
			c.writeTree(f)
			if deletes {
				c.wipes(f, "deletes what is only in")
				c.danger(Confirm, "rsync --delete removes files from "+show(f.text), f.at)
			}
		default:
			c.readTree(f)
		}
	}
	c.mayHide()
}

// patch changes the files that the patch names.
func (c *call) patch() {
	operands := c.options(optionSpec{"o>i<p:d:r>B:D:F:V:Y:z:g:", "output> input< directory: reject-file> strip: fuzz: dry-run"}, nil)
	for i, f := range operands {
		if i == 0 {
			c.write(f)
		} else {
			c.read(f)
		}
	}
	if len(operands) == 0 {
		c.usual(unknown, "which files the patch changes cannot be told", c.at)
	}
	c.mayHide()
}

// lastWritten is a program whose last operand is what it makes.
func (c *call) lastWritten() {
	operands := c.options(optionSpec{"o>", "output>"}, nil)
	for i, f := range operands {
		if i == len(operands)-1 {
			c.write(f)
		} else {
			c.read(f)
		}
	}
	c.mayHide()
}

// lastOption is a compiler: -o names what it makes.
func (c *call) lastOption() {
	c.options(optionSpec{"o>", "output>"}, nil)
}

// formatter rewrites the files it is given, or checks them.
func (c *call) formatter() {
	operands := c.options(optionSpec{"d", "check diff list config: config-file: stdin-filepath: line-length: plugin: rulesdir: fix write"}, nil)
	switch c.name {
	case "ruff", "eslint", "prettier", "stylua":
		c.effect(executes|unknown, c.name+" runs plugins and configurations", c.at)
	case "gofmt":
		if !c.hasFlag("w") {
			c.part.set = reads
			c.operands(readsTrees, operands)
			return
		}
	}
	for _, f := range operands {
		c.writeTree(f)
	}
	c.mayHide()
}

// editor runs what its options and its input tell it.
func (c *call) editor() {
	commands := func(o option) {
		if (o.name == "c" || o.name == "cmd" || o.name == "eval" || o.name == "e") && o.has {
			c.effect(executes|unknown, c.name+" runs "+show(o.value.text), o.at)
			if i := strings.IndexByte(o.value.text, '!'); i >= 0 {
				c.text(o.value.after(i+1), c.name, true)
			} else {
				c.code(o.value.text, o.at)
			}
		}
	}
	operands := c.options(optionSpec{"c:S:u:s:l:f:", "cmd: eval: load: script:"}, commands)
	for _, f := range operands {
		if rest, ok := strings.CutPrefix(f.text, "+"); ok {
			commands(option{name: "c", value: f.after(len(f.text) - len(rest)), has: true, at: f.at})
			if strings.Contains(rest, "!") {
				c.raiseText(f.after(strings.IndexByte(f.text, '!')+1), c.name)
			}
			continue
		}
		c.write(f)
	}
	for _, text := range c.j.stdin {
		for _, line := range strings.Split(text, "\n") {
			if i := strings.IndexByte(line, '!'); i >= 0 {
				c.effect(executes|unknown, c.name+" runs "+show(line[i+1:]), c.at)
				c.raiseText(field{text: line[i+1:], at: c.at, from: -1}, c.name)
			}
		}
	}
	c.effect(executes|unknown, c.name+" does what its input says", c.at)
}

// raiseText judges a text that may be run, and keeps the danger alone.
func (c *call) raiseText(f field, how string) {
	c.part.more = true
	c.raise(Block, func() { c.j.innerText(f.text, f, how, true) })
}

// crontab lists or replaces what runs at certain times.
func (c *call) crontab() {
	if c.hasFlag("l") && len(c.args) == 1 {
		c.part.set = reads
		return
	}
	for _, text := range c.j.stdin {
		c.raiseText(field{text: text, at: c.at, from: -1}, "crontab")
	}
	c.does(unknown)
	c.danger(Confirm, "crontab changes what runs by itself", c.at)
}

// database judges SQL by the words that destroy.
func (c *call) database() {
	texts := append([]field(nil), c.args...)
	for _, s := range c.j.stdin {
		texts = append(texts, field{text: s, at: c.at})
	}
	for _, f := range texts {
		up := strings.ToUpper(f.text)
		for _, word := range [...]string{"DROP ", "TRUNCATE ", "DELETE FROM", "FLUSHALL", "FLUSHDB", "DROPDATABASE", "DELETEMANY", "SHUTDOWN", ".SHELL", ".SYSTEM", "\\!", "COPY "} {
			if strings.Contains(up, word) {
				c.danger(Confirm, c.name+": "+strings.TrimSpace(strings.ToLower(word))+" destroys data or runs programs", f.at)
			}
		}
		if i := strings.Index(strings.ToLower(f.text), ".shell "); i >= 0 {
			c.raiseText(field{text: f.text[i+7:], at: f.at, from: -1}, c.name)
		}
		if i := strings.Index(f.text, `\!`); i >= 0 {
			c.raiseText(field{text: f.text[i+2:], at: f.at, from: -1}, c.name)
		}
	}
}
