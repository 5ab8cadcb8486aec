package policy

import "strings"

// power ends the system, for everybody.
func (c *call) power() {
	if c.onlyHelp() || c.name == "shutdown" && len(c.args) > 0 && (c.args[0].text == "-c" || c.args[0].text == "--show") {
		return
	}
	switch c.name {
	case "init", "telinit":
		if len(c.args) == 0 || !strings.ContainsAny(c.args[0].text, "06sS1\x00") {
			c.danger(Confirm, c.name+" changes the state of the system", c.at)
			return
		}
	case "kexec":
		if !c.hasFlag("e") && !c.hasWord("--exec") {
			c.danger(Confirm, "kexec loads another kernel", c.at)
			return
		}
	}
	c.danger(Block, c.name+" stops or restarts the system", c.at)
}

// disk makes file systems, partitions and the like.
func (c *call) disk() {
	if c.onlyHelp() {
		return
	}
	looks := c.looksAtDisk()
	device := false
	for _, a := range c.args {
		device = device || strings.HasPrefix(a.text, "/dev/") || strings.Contains(a.text, "of=/dev/")
	}
	switch c.name {
	case "fsck", "e2fsck", "tune2fs", "resize2fs", "debugfs", "xfs_repair", "losetup", "dmsetup", "nbd-client", "partprobe", "efibootmgr", "btrfs", "zfs", "hdparm", "mdadm", "zpool", "nvme", "diskutil", "vgreduce", "flashrom":
		switch {
		case c.hasWord("destroy", "format", "sanitize", "--zero-superblock", "labelclear", "eraseDisk", "eraseVolume", "zeroDisk", "--security-erase", "--trim-sector-ranges", "--write-sector", "secureErase", "reformat", "partitionDisk"):
			c.danger(Block, c.name+" destroys what is on a disk", c.at)
		case looks || len(c.args) == 0:
			c.does(reads)
		default:
			c.danger(Confirm, c.name+" changes a disk", c.at)
		}
		return
	}
	if looks {
		c.does(reads)
		return
	}
	if file := c.plainFileTarget(); file && !device {
		c.does(writes)
		c.danger(Confirm, c.name+" makes a file system in a file", c.at)
		return
	}
	c.danger(Block, c.name+" destroys what is on a disk", c.at)
}

// plainFileTarget reports whether the last operand is a file that is certainly
// no device.
func (c *call) plainFileTarget() bool {
	if len(c.args) == 0 {
		return false
	}
	last := c.args[len(c.args)-1]
	if !last.exact() || strings.HasPrefix(last.text, "-") {
		return false
	}
	for _, abs := range c.j.resolve(last.text) {
		if place := c.j.place(abs); place != Inside && place != Scratch {
			return false
		}
	}
	c.write(last)
	return true
}

// kill sends signals.
func (c *call) kill() {
	c.quiet()
	if c.hasFlag("l") || c.hasFlag("L") {
		c.part.set = reads
		c.out = nil
		return
	}
	signal := false
	pids := false
	args := c.args
	if c.zeroSignal() {
		c.part.set = reads
		return
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "-s" || a.text == "-n" || a.text == "--signal":
			i++
			signal = true
			continue
		case a.text == "--":
			signal = true
			continue
		case a.text == "-1" && signal, a.text == "-1" && i+1 == len(args):
			c.danger(Block, "kills every process", a.at)
			continue
		case strings.HasPrefix(a.text, "-") && !signal && a.text != "-"+digits:
			signal = true
			continue
		case a.text == "1" || a.text == "0" && c.j.via == "":
			if a.text == "1" {
				c.danger(Block, "kills the first process, and with it the system", a.at)
			}
		case strings.HasPrefix(a.text, "-"+digits) || a.multi && wild(a.text):
			c.danger(Confirm, "which processes it kills cannot be told", a.at)
		}
		pids = true
	}
	if !pids && c.j.via == "xargs" {
		c.danger(Confirm, "kills whatever its input names", c.at)
	}
	c.does(executes)
	c.j.reason("kill sends signals to processes", executes, NoDanger, c.at)
}

// zeroSignal reports whether kill -0 only looks.
func (c *call) zeroSignal() bool {
	return len(c.args) > 0 && c.args[0].text == "-0"
}

// pkill and killall kill by name.
func (c *call) pkill() {
	c.quiet()
	if c.name == "fuser" {
		if c.hasFlag("k") || c.hasWord("--kill") {
			c.danger(Confirm, "fuser -k kills whatever uses a file", c.at)
			for _, a := range c.args {
				if a.text == "/" || a.text == "/home" {
					c.danger(Block, "kills every process", a.at)
				}
			}
			return
		}
		c.part.set = reads
		return
	}
	if c.name == "killall5" {
		c.danger(Block, "killall5 kills every process", c.at)
		return
	}
	if c.hasFlag("l") && len(c.args) == 1 {
		return
	}
	operands := c.options(optionSpec{"u:U:G:P:g:s:t:o:y:n:e:", "signal: euid: uid: group: parent: pgroup: session: terminal: user: older-than: younger-than: pidfile< ns: nslist: process-group"}, nil)
	broad := len(operands) == 0
	for _, f := range operands {
		if strings.Trim(f.text, ".*^$?+") == "" {
			broad = true
		}
		if !f.exact() {
			c.danger(Confirm, "which processes it kills cannot be told", f.at)
		}
	}
	if broad {
		c.danger(Block, c.name+" kills every process", c.at)
	}
	c.j.reason(c.name+" sends signals to processes", executes, NoDanger, c.at)
}

// systemctl and its kin start and stop services, and the system.
func (c *call) systemctl() {
	operands := c.options(optionSpec{"H:M:n:o:p:s:t:", "host: machine: lines: output: property: signal: type: state: kill-who:"}, nil)
	verb := ""
	if len(operands) > 0 {
		verb = operands[0].text
	}
	if c.name == "service" || c.name == "rc-service" {
		verb = ""
		if len(operands) > 1 {
			verb = operands[1].text
		}
	}
	switch verb {
	case "poweroff", "reboot", "halt", "kexec", "soft-reboot", "emergency", "rescue", "suspend", "hibernate", "hybrid-sleep", "suspend-then-hibernate", "exit":
		c.danger(Block, c.name+" "+verb+" stops or restarts the system", c.at)
	case "isolate":
		c.danger(Block, "systemctl isolate stops what the system runs", c.at)
	case "status", "show", "cat", "is-active", "is-enabled", "is-failed", "list-units", "list-unit-files", "list-timers", "list-sockets", "list-dependencies", "list-jobs", "get-default", "is-system-running", "show-environment", "ls", "jlist", "logs", "print", "list", "help", "":
		c.part.set = reads
	default:
		c.danger(Confirm, c.name+" "+show(verb)+" changes what the system runs", c.at)
	}
}

// debugger runs programs, and commands of its own.
func (c *call) debugger() {
	for i, a := range c.args {
		if (a.text == "-ex" || a.text == "-eval-command" || a.text == "-iex" || a.text == "-o" || a.text == "--one-line") && i+1 < len(c.args) {
			for _, word := range [...]string{"shell ", "!", "pipe ", "| ", "platform shell "} {
				if k := strings.Index(c.args[i+1].text, word); k >= 0 {
					c.raiseText(c.args[i+1].after(k+len(word)), c.name)
				}
			}
			c.code(c.args[i+1].text, a.at)
		}
	}
	c.tryRest()
}

// ourselves is this very program: what it is given it would judge itself, but
// with the authority of the person who typed it.
func (c *call) ourselves() {
	for i, a := range c.args {
		if i > 0 && (c.args[0].text == "exec" || strings.HasPrefix(a.text, "-p")) {
			c.raiseText(a, "agentbash exec")
		}
	}
	if c.hasWord("config", "--mode") {
		c.danger(Confirm, "changes what this program lets others do", c.at)
	}
	if len(c.args) > 0 && (c.args[0].text == "route" || c.args[0].text == "version" || c.args[0].text == "tools" || c.args[0].text == "completion") {
		c.part.set = reads
	}
}

func (c *call) otherVCS() {
	if len(c.args) == 0 {
		return
	}
	switch c.args[0].text {
	case "status", "st", "log", "diff", "cat", "annotate", "blame", "info", "summary", "heads", "show", "ls", "list", "files", "parents", "id", "identify":
		if !c.hasWord("--config") && !strings.Contains(joined(c.args), "--config") {
			c.part.set = reads
			if c.name == "svn" && c.args[0].text != "status" {
				c.does(networks)
			}
			return
		}
	case "push", "commit", "ci", "purge", "strip", "revert", "update":
		if c.hasFlag("f") || c.hasWord("--force", "-C", "--clean", "--all") || c.args[0].text == "purge" || c.args[0].text == "strip" {
			c.danger(Confirm, c.name+" "+c.args[0].text+" may lose work", c.at)
		}
	}
	for i, a := range c.args {
		if a.text == "--config" && i+1 < len(c.args) {
			if _, text, ok := strings.Cut(c.args[i+1].text, "="); ok {
				c.raiseText(field{text: strings.TrimPrefix(text, "!"), at: a.at, from: -1}, c.name)
			}
		}
	}
}
