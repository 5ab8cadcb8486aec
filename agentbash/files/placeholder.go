package files

import (
	"regexp"
	"strings"
	"sync"
)

// placeholder is a line that stands for lines which somebody left out: a comment or an
// ellipsis that says that the rest stays.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	const (
		dots    = `(?:\.{3,}|…)`
		subject = `(?:code|methods?|functions?|class(?:es)?|files?|lines?|imports?|content|implementation|logic|body|fields|tests?|definitions?|properties|cases|module|component|script|section|config(?:uration)?|document|block)`
		which   = `(?:rest|remaining|remainder|existing|unchanged|previous|original|other|omitted|same|keep|your)`
		stays   = `(?:here|above|below|as (?:before|is)|(?:remains?|stays?|is|are)? ?(?:unchanged|the same|omitted|untouched)|goes here)`
	)
	comment := `(?://+|#+|--+|;+|%+|/?\*+|<!--|\{/\*|\(\*?|"""|'|rem )`
	mark := `(?:\*/\}?|\*?\)|-->|""")?`
	says := which + `(?: (?:of )?(?:the |your |this |that )?(?:[\w.]+ ){0,2}?` + subject + `)?(?: ` + stays + `)?`
	return regexp.MustCompile(`(?i)^` + comment + ` *` + dots + ` *` + which + `(?: [\w.]+){0,5} *` + dots + ` *` + mark + `$|` +
		`^(?:` + comment + ` *` + dots + ` *|` + dots + ` +)(?:the )?(?:` + says + `|` + subject + ` ` + stays + `) *` + dots + `? *` + mark + `$|` +
		`^` + comment + ` *(?:the )?` + says + ` *` + dots + ` *` + mark + `$|` +
		`^` + comment + ` *(?:the )?(?:existing ` + subject + `(?: ` + stays + `)?|(?:rest|remainder) of (?:the |your |this )?(?:[\w.]+ ){0,2}?` + subject + `(?: ` + stays + `)?|` +
		`(?:remaining|previous|other) ` + subject + ` ` + stays + `) *` + mark + `$`)
})

// newPlaceholder is a placeholder that new has and old has not, or fewer times; "" if there is none.
func newPlaceholder(old, new string) string {
	if len(new) > foldLimit {
		return ""
	}
	count := map[string]int{}
	for line := range strings.Lines(old) {
		count[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(new) {
		line = strings.TrimSpace(line)
		if count[line]--; count[line] < 0 && len(line) < 200 && placeholder().MatchString(line) {
			return line
		}
	}
	return ""
}
