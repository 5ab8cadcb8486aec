// Package term is what a person sees of a session: a prompt with a line
// editor, the model's words as they come, a line for each command that was run.
//
// [Chat] has two modes. With a conversation, what is typed goes to the model.
// Without one the person sits in the model's place: what is typed goes to the
// runner exactly as a model's command would, and what the model would have seen
// is shown. It also works where there is no terminal, on lines from a pipe.
//
// The streams are passed in. Out gets the model's words, and the output of
// typed commands; everything else (the banner, commands as they run, errors) goes to
// Err, so that the words can be piped. Whatever comes from a model or a command
// is made safe first: no byte of it can move the cursor or change the terminal.
//
// Questions of others (may this run? what does the server want to know?) go
// through a [Prompter], which asks in lines where there is no session, and
// through the session where there is one. No key that was on its way before the
// question could be read answers it.
//
// The editor is the package's own. x/term's counts every character as one
// column, so that erasing Chinese text leaves half of it on the screen;
// reeflective/readline reads only the process's own standard input and waits
// for ever on a terminal that does not report its cursor. The terminal is in
// raw mode only while a line is edited: during a turn Ctrl-C is the signal that
// every program of the terminal gets.
package term
