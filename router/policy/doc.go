// Package policy tells what a command line would do before it runs, and
// decides whether it may.
//
// # Verdicts
//
// [Judge] takes a line apart as bash would: lists, pipes, subshells,
// substitutions, here-documents, functions and aliases, bash -c, eval, trap,
// and the programs that run other programs (env, xargs, find -exec, git -c).
// For each simple command it finds it expands the words as far as they can be
// known, and looks up what the command does with them. The result is a
// [Verdict]: effects, a danger, and reasons that point at bytes of the line.
//
// What is not known is a hole in a text. A variable has a set of texts, the
// shell a set of directories: whatever may be is judged, and the verdict is the
// worst of it. A guess may only raise a verdict; what cannot be known is
// [Unknown]; a cap that is hit is unknown, never safe.
//
// # What it refuses to do
//
// It runs nothing, opens no file and looks nothing up: the same line in the same
// [World] has the same verdict. So it cannot see symbolic links, what a script
// holds or what a file is called that a * finds. It is no boundary: that is the
// kernel's, in the profile that [Decide] chooses.
//
// # Parts
//
// walk.go goes through a line, expand.go follows what is known of its words, and
// commands are judged from command.go on, calls of tools in tool.go. What programs
// do stands in the table in programs/; only what is a language has code of its
// own. decide.go makes a [Decision] of it all, with the rules of rules.go.
package policy
