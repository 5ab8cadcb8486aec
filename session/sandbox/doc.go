// Package sandbox starts a program that the kernel keeps within bounds: it may
// write below named directories only, read all but named secrets, and make TCP
// connections only if it is told so.
//
// Importing the package is part of its use: [Sandbox.Argv] starts this very
// executable again, with a first word that no other program has, and the
// package's init meets it there. It gives up what it may do and becomes the
// program that is named, in the same process, so that whoever started it has
// the pid of that. A step that fails ends the process with status 126: what was
// asked for and promised is never left out in silence. What the kernel cannot
// do is known before: [Sandbox.Missing] says it in words for a person.
//
// # What is confined
//
// Nothing of this can be taken back, and all that the program starts is under
// it too, in the background, in a session of its own or in another shell:
//
//   - no_new_privs, and no capability left in any of the five sets: set-user-ID
//     programs and sudo gain nothing, root is a user like others.
//   - Landlock: files are written, made, removed and renamed only where
//     Spec.Write says; what Spec.Secret names is not opened. Processes outside
//     cannot be traced, their memory, environment and descriptors are not
//     reached through /proc, they get no signal (kernel 6.12) and their abstract
//     Unix sockets do not answer (6.12). TCP is not connected nor bound (6.7).
//   - A seccomp filter, unless Spec.Connect allows everything: only stream sockets of the Internet, no
//     multipath TCP, which Landlock does not see, no datagrams, no raw packets,
//     no io_uring, which a filter does not see.
//   - A mount namespace, where the host may make one: files of Spec.Protected
//     that exist are read-only, and the directory they are in cannot be renamed.
//
// # What is not
//
//   - A Unix socket that has a path answers whoever the file's mode lets in: a
//     container engine, a desktop bus or an ssh agent does what it is asked to.
//     (Kernels whose Landlock is version 9 or later do restrict it.)
//   - Metadata: chmod, chown, utime and extended attributes of one's own files
//     are not Landlock's, nor is stat, and names can be listed.
//   - A file of Spec.Protected that does not exist can be made, and one that
//     exists can be written where there is no mount namespace.
//   - What is open already: descriptors that the program inherits.
//   - A secret's other names: hard links of it below another directory.
package sandbox
