package sandbox

import "fmt"

// missingSupport says what a kernel lacks for an order.
func missingSupport(k Support, o order) (out []string) {
	limited := !o.Connect
	if k.Landlock < 2 {
		out = append(out, "files cannot be renamed or linked from one directory to another, also where they may be written (Landlock version 2, Linux 5.19)")
	}
	if k.Landlock < 3 {
		out = append(out, "files can be emptied anywhere, though not written (Landlock version 3, Linux 6.2, forbids it)")
	}
	if limited && k.Landlock < 4 {
		if k.Filter && len(o.Ports) > 0 {
			out = append(out, "the TCP ports that are allowed cannot be connected to either (Landlock version 4, Linux 6.7, can tell them)")
		} else if !k.Filter {
			out = append(out, "TCP connections are not restricted (Landlock version 4, Linux 6.7)")
		}
	}
	if limited && !k.Filter {
		out = append(out, "datagrams (UDP, so DNS too), multipath TCP and raw sockets are not restricted (seccomp filters do it)")
	}
	if k.Landlock < 6 {
		out = append(out, "signals to processes outside and their abstract Unix sockets are not restricted (Landlock version 6, Linux 6.12)")
	}
	return out
}

// Lines says what a sandbox restricts on this kernel and what it does not, a
// line each, for a person to read.
func (k Support) Lines() (does, lacks []string) {
	if k.Landlock == 0 {
		return nil, []string{"nothing is confined: " + k.Why}
	}
	does = []string{
		fmt.Sprintf("Landlock version %d: files are written in the workspace only, secrets are not opened, no process outside is traced", k.Landlock),
		"no capabilities, no new privileges",
	}
	if k.Landlock >= 4 {
		does = append(does, "TCP is connected and bound only where it is allowed")
	}
	if k.Landlock >= 6 {
		does = append(does, "no signal and no abstract Unix socket reaches outside")
	}
	if k.Filter {
		does = append(does, "seccomp: no datagrams, no multipath TCP, no raw sockets, no io_uring")
	}
	if k.Mounts {
		does = append(does, "mount namespace: hooks and configuration in the workspace that exist are read-only")
	} else {
		lacks = append(lacks, "hooks and configuration in the workspace are kept by verdict only: "+k.WhyNoMounts)
	}
	if k.Landlock < 9 {
		lacks = append(lacks, "Unix sockets with a path (container engine, ssh agent, desktop bus) answer whom their mode lets in: Landlock version 9 restricts that")
	}
	return does, append(lacks, missingSupport(k, order{})...)
}
