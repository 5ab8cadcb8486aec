// Package search finds the lines of a buffer that a regular expression
// matches, in linear time and mostly at the speed of a byte search.
//
// A matching line nearly always has to hold some literal text. Which, is read
// off the parsed expression ([regexp/syntax]); a scan for the rarest byte of it
// finds candidates, and only their lines are looked at. Expressions without
// such text, and candidates, are decided by an automaton that is built while it
// is used. Its answer is that of [regexp.Regexp.Match] on the line without its end,
// which is what the tests compare it with, and what takes over when an
// automaton would grow too big.
//
// An end of line is "\n" or "\r\n", the latter unless the expression asks for
// a "\r" itself.
package search
