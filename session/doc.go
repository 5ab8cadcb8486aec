// Package session keeps one real bash alive and runs commands in it, one after
// another, as a person at a terminal would: the directory, variables,
// functions, options, traps and jobs of one command are there in the next.
//
// It is made for a program that sends whatever a language model writes. No
// command text can end the conversation or shift it: a command is not
// recognised by marks in its output, its stdin is empty, it cannot reach the
// user's terminal, it can be stopped with everything it started, and what it
// leaves running in the background writes into a file and never into another
// command's output.
package session
