package router

import (
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// Commands names the commands of a bash text: `git push`, `rm`, by their first
// word and the second, if that is no option. A text in which none is seen names itself. cd is left out.
func Commands(text string) (names []string) {
	eachCommand(bashtext.Parse(text), func(call *syntax.CallExpr) {
		name := strings.TrimPrefix(argOf(call.Args[0]).text, agentPrefix)
		if len(call.Args) > 1 {
			if second := argOf(call.Args[1]).text; !strings.HasPrefix(second, "-") {
				name += " " + second
			}
		}
		if !strings.HasPrefix(name, "cd ") {
			names = append(names, name)
		}
	})
	if names == nil {
		names = []string{strings.TrimSpace(text)}
	}
	return names
}
