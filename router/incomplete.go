package router

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Incomplete reports whether bash would wait for another line after this text:
// an open quote, a loop without its done, a here-document without its end. It
// is for whoever types commands line by line.
func Incomplete(text string) bool {
	if strings.HasSuffix(text, "\\") && !strings.HasSuffix(text, "\\\\") {
		return true
	}
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text+"\n"), "")
	return err != nil && syntax.IsIncomplete(err)
}
