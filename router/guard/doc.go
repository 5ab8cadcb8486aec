// Package guard decides what a router may run: it is the [router.Guard] that most
// programs want.
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
// A call from inside bash is judged again by its own words, which bash has expanded
// by then. If it needs a yes, and a person has approved the line that it comes
// from, and that line contained the call, that yes counts.
//
// What may run is granted a profile ([router.Profile]) in which the kernel holds
// it, as far as policy.World says that it can; [Guard.AskHost] is for the proxy
// through which it connects to other machines.
//
// The guard keeps no files, prints nothing and asks nobody itself. It does not
// confine anything either: that is the kernel's business.
package guard
