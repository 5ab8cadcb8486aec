package policy

import "strings"

// row tells what commands do; several names may share one.
type row struct {
	names    string // with blanks between
	set      effects
	operands byte // what operands are: one of the roles, or 0: nothing to us
	short    string
	long     string
	how      func(*call) // does the rest; nil: that is all
}

// The roles of operands.
const (
	readsFiles  = 'r'
	readsTrees  = 'R'
	listsHere   = 'l' // files and directories, the present one if there is none
	walksHere   = 'd' // the same, with all below
	writesFiles = 'w'
	copies      = 'c' // the last one is written, the others are read
	converts    = '2' // the first is read, the second written
	handled     = 'h' // the handler looks at them
)

// lookup finds a command's row.
func (a *Analyzer) lookup(name string) (row, bool) {
	a.once.Do(func() {
		a.rows = map[string]row{}
		for _, rows := range [][]row{readRows(), systemRows(), writeRows(), runRows(), wrapperRows(), networkRows(), dangerRows()} {
			for _, r := range rows {
				for _, n := range strings.Fields(r.names) {
					a.rows[n] = r
				}
			}
		}
	})
	r, ok := a.rows[name]
	return r, ok
}

// external judges a program by its row.
func (c *call) external() {
	r, ok := c.j.a.lookup(c.name)
	if !ok {
		if base := baseName(c.name); base != c.name {
			c.name = base
			r, ok = c.j.a.lookup(base)
		}
	}
	if !ok {
		c.stranger()
		return
	}
	if r.set != 0 && r.set&executes == 0 && c.onlyHelp() {
		c.part.set |= reads
		return
	}
	c.part.set |= r.set &^ (runs &^ executes)
	spec := optionSpec{r.short, r.long}
	if r.operands != handled {
		operands := c.options(spec, nil)
		c.operands(r.operands, operands)
		if spec.risky() || r.operands == writesFiles || r.operands == copies {
			c.mayHide()
		}
	}
	if r.how != nil {
		r.how(c)
	}
	if c.part.set&executes == 0 {
		r.set &^= runs
	}
	c.explain(r.set)
	if c.out == nil && c.j.out != nil && c.j.stdin != nil && c.j.stdin.known() && one(c.j.stdin) != "" {
		c.out = value{decoded} // a filter of a text that stands in the line
	}
}

// explain gives a reason for effects that come from the row alone.
func (c *call) explain(set effects) {
	switch {
	case set.has(unknown):
		c.j.reason(c.name+" runs code that is not in the line", unknown, NoDanger, c.at)
	case set.has(runs):
		c.j.reason(c.name+" runs code that is not in the line", executes, NoDanger, c.at)
	case set.has(networks):
		c.j.reason(c.name+" talks to other machines", networks, NoDanger, c.at)
	case set.has(executes):
		c.j.reason(c.name+" acts on processes or the system", executes, NoDanger, c.at)
	}
}

func (c *call) operands(role byte, fs []field) {
	if len(fs) == 0 && (role == listsHere || role == walksHere) {
		fs = []field{c.here()}
	}
	for i, f := range fs {
		switch role {
		case readsFiles, listsHere:
			c.read(f)
		case readsTrees, walksHere:
			c.readTree(f)
		case writesFiles:
			c.write(f)
		case copies, converts:
			last := i == len(fs)-1
			if role == converts {
				last = i == 1
			}
			if last && i > 0 {
				c.write(f)
			} else {
				c.readTree(f)
			}
		}
	}
}

// stranger is a program that nothing is known of.
func (c *call) stranger() {
	if c.file {
		c.tryRest()
		return
	}
	c.usual(executes|unknown, "nothing is known here of "+c.name, c.at)
	c.tryRest()
}

// baseName is a program's name without what a version adds to it, and what a
// family of programs has in common.
func baseName(name string) string {
	switch {
	case strings.HasPrefix(name, "mkfs."), strings.HasPrefix(name, "mke2fs"):
		return "mkfs"
	case strings.HasPrefix(name, "ld-linux") && strings.Contains(name, ".so"), strings.HasPrefix(name, "ld-musl"), name == "ld.so":
		return "ld-linux.so"
	case strings.HasPrefix(name, "fsck."):
		return "fsck"
	}
	base := strings.TrimRight(name, "0123456789.-")
	switch base {
	case "python", "perl", "ruby", "php", "lua", "node", "pip", "gcc", "g++", "clang", "tclsh", "java", "bash", "ksh":
		return base
	}
	// The GNU programs have a g before their name where the system has its own.
	if rest, ok := strings.CutPrefix(name, "g"); ok {
		switch rest {
		case "rm", "cp", "mv", "dd", "ls", "cat", "tar", "sed", "find", "xargs", "chmod", "chown", "env", "timeout", "shred", "ln", "install", "sort", "tee", "awk", "grep", "mkdir", "touch", "truncate", "split", "unlink", "rmdir":
			return rest
		}
	}
	return name
}

// harmful reports whether a word names a command that is worth a second look
// among the arguments of another.
func harmful(word string) bool {
	name := lastOf(word)
	switch name {
	case "rm", "dd", "mkfs", "shred", "wipefs", "sudo", "doas", "su", "sh", "bash", "zsh", "dash", "ksh", "eval", "env", "xargs", "find", "kill", "pkill", "killall",
		"shutdown", "reboot", "halt", "poweroff", "init", "chmod", "chown", "mv", "truncate", "git", "python", "python3", "perl", "ruby", "node",
		"busybox", "timeout", "nohup", "nice", "exec", "command", "blkdiscard", "mkswap", "rmdir", "unlink", "tee", "systemctl", "curl", "wget", "npm", "cargo":
		return true
	}
	return strings.HasPrefix(name, "mkfs.")
}

// matchingCommand returns a command whose name a pattern may mean, the worst
// one first.
func matchingCommand(pattern string) string {
	for _, name := range [...]string{"rm", "dd", "mkfs", "shred", "sudo", "shutdown", "reboot", "halt", "poweroff", "bash", "sh", "kill", "killall", "pkill",
		"find", "xargs", "env", "chmod", "chown", "mv", "cp", "tee", "curl", "wget", "python3", "perl", "nc", "git"} {
		if match(pattern, name, false) {
			return name
		}
	}
	return ""
}
