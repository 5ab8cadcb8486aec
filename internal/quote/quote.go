// Package quote writes words so that bash takes each of them literally.
//
// A word is left as it is, or put in single quotes: never in $'..', whose \u
// escapes another locale reads differently, and never in double quotes, in
// which an interactive bash expands !. So the bytes of a word stay, also those
// that are no UTF-8. Text that is to be shown to a person goes through
// internal/safetext after that.
package quote

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Word quotes s where bash would not take it literally. A NUL, which no word of
// bash can hold, stays what it is.
func Word(s string) string {
	text := s
	if name, _, _ := strings.Cut(s, "="); !syntax.ValidName(strings.TrimSuffix(name, "+")) {
		text = strings.ReplaceAll(s, "=", "-") // --key=value assigns nothing
	}
	if q, err := syntax.Quote(text, syntax.LangBash); err == nil && q == text && !strings.ContainsAny(s, "!^") {
		return s
	}
	return Literal(s)
}

// Literal quotes s in any case, so that it is no reserved word, alias or
// assignment either.
func Literal(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Line is a command line of a name, as it is, and words.
func Line(name string, words []string) string {
	var b strings.Builder
	b.WriteString(name)
	for _, w := range words {
		b.WriteString(" " + Word(w))
	}
	return b.String()
}
