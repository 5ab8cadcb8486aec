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
// background jobs too, and the shell gets SIGTERM, after 2.25 s SIGKILL. Jobs of earlier commands and
// daemons that it has started itself go on.
//
// At its time limit a command may go on instead, with its shell, if RunOptions.GoOn says so:
// Result.Running has it, and the next command runs in a new shell with what the session had
// before, as after a restart. What the command itself sets is not the session's then.
//
// # Restarts
//
// When the shell ends (exit, exec, errexit, set -u, a signal, a crash), the command's
// Result says ShellExited, and the next command runs in a new shell with the
// directory, environment, variables, functions, aliases, options, umask and
// signal traps of the old one: those at its end, when it ended by exit, else
// those of a snapshot that is taken 50 ms after a command, before one that
// says exec, exit, kill or trap, and before one that may go on and take long. Jobs, open descriptors, resource limits, set -e,
// positional parameters, the directory stack, what hash, enable and complete have set, and the traps on EXIT, DEBUG, ERR and
// RETURN are lost.
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
// It needs Linux with /proc, or (experimental) macOS, and bash, 4.4 or later; it is tested with 5.1, 5.2 and 5.3, and was with 4.4 and 5.0. The shell is not
// interactive: its messages, with file and line, and what goes on after an error
// are those of bash -c, but for these:
//
//   - An unset variable under set -u and ${x?} end the shell with status 1, where
//     bash -c has 127; as after every end of a shell jobs and descriptors are lost.
//   - A text that ends within $( ) ends the shell too, for bash 5.2 is not sound
//     after it.
//   - Up to bash 5.1 an exec of what is not there has status 0, as in a bash -c with an EXIT trap.
//     Up to 5.0 lines are counted from 1, where bash -c begins with 0.
//   - set -x indents two levels deeper. After set -n nothing runs, and the status
//     is lost.
//   - A message about a function of the text names main as its file, where bash -c
//     has environment. A syntax error in a text that has the word eval says eval
//     where bash -c says -c. An open [[ is status 2.
//   - Aliases are expanded, $- has s where bash -c has c, BASH_EXECUTION_STRING is
//     not set, and {fd} may be another number. set -o history keeps the
//     session's lines from the next command on.
//
// And these are the protocol's own:
//
//   - Redirections of 0, 1 and 2 by exec last for one command. Descriptors 10 to
//     12 are the shell's while a command runs; who closes them ends the shell
//     after the command.
//   - PIPESTATUS and $_ are those of the session's own commands when the next
//     one begins.
//   - SIGINT that the shell gets from a command (kill -INT $$) drops the rest of the
//     text, with status 130, and keeps the shell.
//   - A command that leaves something behind that holds its output costs 10 ms.
//   - A DEBUG trap is lost when a command is interrupted within a function, in which
//     bash hides it.
//   - A process that clears its environment, leaves its session, loses its
//     parent and changes its RLIMIT_RTTIME is not found by Close.
//   - A function named builtin lasts for one command.
//   - The names __session_* and AGENTBASH_SESSION, the signal SIGRTMAX-7 and,
//     until a command sets its own, the traps on EXIT and INT belong to the session;
//     declare -f, unset -f and trap show them.
package session
