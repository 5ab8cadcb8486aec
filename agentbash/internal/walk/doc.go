// Package walk goes through a directory tree with several goroutines and
// delivers what they find in one order: that of a walk that takes every
// directory's entries by name.
//
// A directory is listed once, relative to its parent's descriptor, and what
// has to be known of it (is it a repository, does it hold ignore files) comes
// from that listing. Links are not followed, so a walk ends.
package walk
