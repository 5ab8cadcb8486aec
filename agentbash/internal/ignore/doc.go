// Package ignore decides which files git would ignore.
//
// It follows gitignore(5) and, where that is silent, git itself, which a
// differential test asks: patterns are matched byte by byte, a literal start
// of a pattern is cut off before ** is looked at, a link in the place of a
// .gitignore is not read. What the index says (a tracked file is not ignored)
// is not looked at.
//
// Files named .ignore and .rgignore hold the same patterns, count outside of
// repositories too, and win over .gitignore, as in other search programs.
package ignore
