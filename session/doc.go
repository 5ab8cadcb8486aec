// Package session keeps one real bash alive and runs commands in it, one after
// another, as a person at a terminal would: the directory, variables,
// functions, options, traps and jobs of one command are there in the next.
//
// It is made for a program that sends whatever a language model writes. No
// command text can end the conversation or shift it: the end of a command is
// not told by marks in its output, its stdin is empty, it has no terminal, it
// can be stopped with everything it started, and what it leaves running in the
// background writes into a file and never into another command's output.
//
// # Commands
//
// [Session.Run] takes any text but a NUL: several lines, heredocs, a megabyte,
// text that does not parse. The [Result] has stdout and stderr apart and
// complete, or head and tail of a long stream, and the exit status. $? of one
// command is there in the next, and a host that runs a command by itself sets
// it with [Session.SetStatus].
//
// A command that runs into its time limit, or whose context ends, gets SIGINT,
// its INT trap runs, and the rest of its text is dropped; after 250 ms what it
// runs in the foreground is killed, with all descendants, after 1.25 s its
// background jobs too, and after 2.25 s the shell. Jobs of earlier commands and
// daemons that it has started itself go on.
//
// # Restarts
//
// When the shell ends (exit, exec, errexit, a signal, a crash), the command's
// Result says ShellExited, and the next command runs in a new shell with the
// directory, environment, variables, functions, aliases, options, umask and
// signal traps of the old one: those at its end, when it ended by exit, else
// those of a snapshot that is taken 50 ms after a command or before one that
// says exec, exit, kill or trap. Jobs, open descriptors, resource limits and
// the traps on EXIT, DEBUG, ERR and RETURN are lost.
//
// # Background jobs
//
// A command returns when its foreground has ended, also when jobs hold its
// pipes; it then names the file that takes what they write from now on. Close
// kills all that the session started, and a watchdog process does so when the
// host dies, however it does.
//
// # Security
//
// The package confines nothing by itself: a command may do whatever the user
// may, and that includes killing the host or reading its memory. It keeps
// honest commands from doing harm by accident. Options.Launcher starts the shell
// through a program that confines itself and becomes bash; the package
// session/sandbox makes one. Such a shell reaches the session by FIFOs and files
// in the launcher's directory, and what it leaves is not trusted (see
// Session.Restart).
//
// # Limits
//
// It needs Linux, /proc and bash; 5.2 is what it is tested with. Because the
// shell is an interactive one, some things differ from bash -c:
//
//   - A bad expansion (${a b}, set -u, a division by zero) ends the whole command
//     text, and its status is 1.
//   - Error messages have no line numbers, a syntax error is told without the
//     line, and bash says nothing of a child that a signal ended.
//   - set -x indents one level deeper, set -n is ignored, and a failing exec
//     does not end the shell.
//   - The line "[1] 4711" that bash writes when it starts a job is taken out of
//     the command's stderr, but not out of a file or pipe that the shell's own
//     stderr is redirected to ({ cmd & } 2>file).
//
// And these are the protocol's own:
//
//   - Redirections of 0, 1 and 2 by exec last for one command. Descriptors 10 to
//     12 are the shell's while a command runs; who closes them ends the shell.
//   - PIPESTATUS and $_ are those of the session's own commands when the next
//     one begins. LINENO and history mean nothing.
//   - set -o vi and set -o emacs (and set +o emacs) end the shell after the
//     command, for they change where an interactive bash reads from.
//   - A command that leaves something behind that holds its output costs 10 ms.
//   - A process that clears its environment, leaves its session, loses its
//     parent and changes its RLIMIT_RTTIME is not found by Close.
//   - A function named builtin lasts for one command.
//   - The names __session_* and AGENTBASH_SESSION, the signal SIGRTMAX-7 and,
//     until a command sets its own, the EXIT trap belong to the session.
package session
