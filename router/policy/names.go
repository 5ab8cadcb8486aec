package policy

import "strings"

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
	t := programs()
	if base := strings.TrimRight(name, "0123456789.-"); t.has("versioned", base) {
		return base
	}
	if base, ok := strings.CutPrefix(name, "g"); ok && t.has("gnu", base) {
		return base
	}
	return name
}

// harmful reports whether a word names a command that is worth a second look
// among the arguments of another.
func harmful(word string) bool { return programs().fits("harmful", lastOf(word)) }

// matchingCommand returns a command whose name a pattern may mean, the worst
// one first.
func matchingCommand(pattern string) string {
	for _, name := range programs().lists["guess"] {
		if match(pattern, name, false) {
			return name
		}
	}
	return ""
}

// containsField reports whether a list with blanks between has a word.
func containsField(list, word string) bool {
	for rest := list; rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		if one == word {
			return true
		}
	}
	return false
}

// hook returns the code of an entry that is a language of its own, or nil.
func hook(name string) func(*usage) {
	switch name {
	case "awk":
		return (*usage).awk
	case "base64":
		return (*usage).base64
	case "cat":
		return func(u *usage) { u.cat() }
	case "curl":
		return (*usage).curl
	case "env":
		return (*usage).env
	case "fd":
		return (*usage).fd
	case "find":
		return (*usage).find
	case "git":
		return (*usage).git
	case "gitConfig":
		return (*usage).gitConfig
	case "gitSettings":
		return (*usage).gitSettings
	case "interpreter":
		return (*usage).interpreter
	case "mktemp":
		return (*usage).mktemp
	case "nameOf":
		return (*usage).nameOf
	case "parallel":
		return (*usage).parallel
	case "rev":
		return (*usage).rev
	case "sed":
		return (*usage).sed
	case "shell":
		return func(u *usage) { u.shell() }
	case "socat":
		return (*usage).socat
	case "ssh":
		return (*usage).ssh
	case "sshOptions":
		return (*usage).sshOptions
	case "sudo":
		return (*usage).sudo
	case "tar":
		return (*usage).tar
	case "tee":
		return (*usage).tee
	case "tr":
		return (*usage).tr
	case "wget":
		return (*usage).wget
	case "which":
		return func(u *usage) { u.which() }
	case "xargs":
		return (*usage).xargs
	case "xxd":
		return (*usage).xxd
	}
	return nil
}
