// Package guard holds what a router runs to a policy: it is the [router.Guard]
// that most programs want.
//
//	g := guard.New(&guard.Options{Mode: policy.AskMode, World: policy.World{Home: home, Roots: roots}})
//	r, err := router.New(tools, &router.Options{Guard: g})
//
// Each command string, and each call of a tool from inside bash, is judged by
// package policy against what is known of the shell, and decided by the mode and
// the rules. What must be asked goes to an [Approver]; without one it is denied.
// What is about to run, and what came of it, goes to a [Recorder], which may
// refuse too: no action without its record. A [Budget] bounds it all.
//
// A call from inside bash is judged on its own words, which are certain then.
// If that needs a yes, and a person said yes to the very line that it comes
// from, and that line contained the call, the yes holds for the call.
//
// The guard keeps no files, prints nothing and asks nobody itself. It does not
// confine anything either: a command that may run can do what it likes. That is
// the kernel's business.
package guard
