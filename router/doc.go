// Package router runs command strings: it decides which of three layers a
// string belongs to, runs it there, and cuts the result to what a model can
// use.
//
// # Routing
//
// [Router.Plan] decides, and is pure. A plain simple command that names an
// agent tool (read, edit, ...) or a field tool (field:server:tool) is run by
// the registry, in process. Everything else is bash's, with one change: where
// an agent or field command stands in it (read x | head), its command word is
// replaced, in place, by a name that bash can run, and that program calls back
// to the host with its own descriptors. So pipes, redirections, here-documents,
// $(...), xargs and set -e treat a tool as they treat any command. In a call's
// words that are patterns (registry.Param.Pattern) what bash would expand is
// quoted, so that they mean the same everywhere.
//
// read, write and grep are also commands of Unix. A decision table tells which
// is meant; it takes no use from them that works. agent:read forces the tool;
// `builtin read` and `\read` force bash. Among the arguments of another command
// (xargs, find -exec, bash -c) a call is what cannot be meant otherwise.
//
// # What it refuses to do
//
// It never rewrites bash text beyond those names and patterns, never runs what
// did not parse as a call, and expands nothing itself: $, globs, braces and ~
// are bash's.
//
// # Calls from inside bash
//
// On Linux and amd64 the program that calls from inside bash do start is made by
// this package. Elsewhere, and where nothing below $TMPDIR may be executed, it is
// the host's own executable, which one line in its package main enables:
//
//	import _ "github.com/agentbash/agentbash/router/incall"
//
// Without that line such a call fails with a message that names it, and plain
// calls work all the same. Importing this package alone never changes what a
// process does.
//
// # Parts
//
// plain.go and names.go are the fast path; toolnames.go and toolnames_grep.go the
// decision table; calls.go and inner.go find the call sites, splice.go changes
// them; plan.go puts them together. run.go
// runs a plan, capture.go and render.go make its result. host.go, call.go and
// fdio.go serve the calls that come from inside bash; the package incall is
// their other end.
package router
