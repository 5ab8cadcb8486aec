// Package policy tells what a command line would do before it runs, and
// decides whether it may.
//
// # Verdicts
//
// [Analyzer.Judge] takes a line apart as bash would: lists, pipes, subshells,
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
// It runs nothing, opens no file and looks nothing up: the same line in the
// same [World] has the same verdict. So it cannot see symbolic links, what a
// script holds, what a program's configuration makes it do, or what a file is
// called that a * finds. It is advice to people, and no boundary: that is the
// kernel's.
//
// # Parts
//
// analyzer.go and text.go read a line; walk.go and simple.go go through its
// syntax; env.go, value.go, word.go, split.go, param.go and arith.go follow what
// is known, of which known.go asks mvdan.cc/sh/v3/expand what it becomes;
// call.go, builtin.go, shell.go and function.go judge commands, tool.go calls of
// agent and field tools.
//
// What programs do stands in the table in programs/, which table.go reads and
// program.go, options.go, condition.go and roles.go apply. Only what is a
// language has code of its own: each.go (find -exec, xargs), interpreter.go
// (shells), code.go (sed, awk, other languages), git.go and filter.go, which
// follows what programs print. paths.go and places.go know files.
//
// mvdan.cc/sh/v3/syntax is the parser, as it is the router's. The router asks
// it where command words stand and nothing else; here the tree's contents
// matter. Neither could use what the other makes of it.
package policy
