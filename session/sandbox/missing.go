package sandbox

import "fmt"

// missingSupport says what a machine without namespaces, for the reason given,
// lacks for a sandbox.
func missingSupport(k Support, connect bool, why string) (out []string) {
	out = []string{"there are no namespaces (" + why + "): no network by host, none at all; programs see other processes, terminals and sockets with a path; " +
		"hooks and configuration in the workspace are kept by verdict only; no caches outside the workspace"}
	if k.Landlock < 2 {
		out = append(out, "files cannot be renamed or linked from one directory to another, also where they may be written (Landlock version 2, Linux 5.19)")
	}
	if k.Landlock < 3 {
		out = append(out, "files can be emptied anywhere, though not written (Landlock version 3, Linux 6.2, forbids it)")
	}
	if !connect && !k.Filter {
		out = append(out, "the network is not restricted (seccomp filters do it)")
	}
	if k.Landlock < 6 {
		out = append(out, "signals to processes outside and their abstract Unix sockets are not restricted (Landlock version 6, Linux 6.12)")
	}
	return out
}

// Lines says what a sandbox restricts on this machine and what it does not, a line
// each, for a person to read. Namespaces are tried.
func (k Support) Lines() (does, lacks []string) {
	why := tryNamespaces()
	if why == "" {
		does = append(does, "namespaces: the file system is read-only but for the workspace and private directories, secrets and sockets are covered, no process outside is seen, the network is a proxy",
			"read and workspace are one shell, changed before each command")
	}
	if k.Landlock == 0 {
		lacks = append(lacks, "no Landlock: "+k.Why)
	} else {
		does = append(does, fmt.Sprintf("Landlock version %d: files are written where they may be, no process outside is traced", k.Landlock))
	}
	if k.Landlock >= 6 {
		does = append(does, "no signal and no abstract Unix socket reaches outside")
	}
	if k.Filter {
		does = append(does, "seccomp: no mounts, no keys, no raw packets, no io_uring; no capabilities, no new privileges")
	}
	switch {
	case why == "":
	case k.Landlock == 0:
		does, lacks = nil, append(lacks, "nothing is confined: "+why)
	default:
		lacks = append(lacks, missingSupport(k, false, why)...)
	}
	return does, lacks
}
