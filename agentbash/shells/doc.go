// Package shells holds the tools for commands that run beside the session:
// bash_start, bash_output, bash_input and bash_kill.
//
// A background shell is a bash of its own, in a session of its own, with a copy
// of the caller's directory and environment, and with /dev/null for its stdin, a pipe
// or a terminal.
// It outlives the shell that started it, and ends with the program: Close ends
// it in good order, and a watchdog kills it when the program was killed.
//
// All that it writes goes to a log; a look at it takes what is new since the last
// one. Of what is written to a terminal the log has the text: the lines as they were when they
// left the screen or were looked at. A shell is not forgotten while any of its output was not
// looked at. What it has besides its environment is Options.State. A command that was started
// elsewhere becomes one by Adopt.
package shells
