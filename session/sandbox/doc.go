// Package sandbox starts programs that the kernel keeps within bounds: they write
// below named directories only, or nothing at all, read all but named secrets, and
// reach no process and no network outside but through sockets that their host
// listens on.
//
// Importing the package is part of its use: [Sandbox.Start] starts this very
// executable again, with a first word that no other program has, and the package's
// init meets it there. A step that fails ends that process with status 126: what
// was asked for and promised is never left out in silence. What the machine cannot
// do is said by [Sandbox.Missing] in words for a person.
//
// # A world
//
// Where the kernel gives namespaces (user, mount, process, network and IPC), as it
// does to root and mostly to other users, a sandbox is a world of its own: an init
// lays out the file systems, keeps its rights in there, and starts what the host
// asks it to start. Everything is mounted read-only; /tmp and its like, /dev, /run,
// /proc and terminals are private; directories of Spec.Write are put back, and
// switched between read-only and writable by [Sandbox.SetProfile] while programs run;
// Spec.Layers take changes into private directories; Spec.Protected is read-only and
// cannot be renamed; Spec.Secret and Unix sockets with a path are covered. When the
// host closes, or is gone, the kernel ends everything inside.
//
// # Programs
//
// A program gives up what is left before it runs, and with it all that it starts:
//
//   - no_new_privs, and no capability in any of the five sets: set-user-ID programs
//     and sudo gain nothing, root is a user like others.
//   - Landlock, as far as the kernel has it: files are written where they may be,
//     nobody outside is traced, gets a signal or is met by an abstract socket.
//   - A seccomp filter: no mounts, namespaces, keys, kernel modules, BPF, io_uring,
//     nor input pushed into terminals; no sockets but those of Unix and, in a world,
//     of its own network.
//
// # Without namespaces
//
// Landlock and the filter hold writes, secrets and processes, and there is no
// network at all. The profile is that of [Open] for good. Not held are sockets with a
// path, terminals of the same user and protected files; /tmp is the host's and not
// written.
//
// # What is not held
//
//   - What is open already: descriptors that a program is given.
//   - A file of Spec.Protected that does not exist can be made; see Sandbox.Protect.
//   - A secret's other names: hard links of it below another directory.
package sandbox
