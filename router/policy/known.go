package policy

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
)

// ansiC decodes the text of $'...' (bash manual, 3.1.2.4): a NUL ends it.
func ansiC(s string) string {
	return decode(s, func(text string) string { return strings.SplitN(text, "\x00", 2)[0] })
}

// printed decodes a text as printf does.
func printed(s string) string {
	return decode(s, func(text string) string { return strings.ReplaceAll(text, "\x00", anyText) })
}

// echoed decodes what echo -e and printf %b take: \0 and three more digits.
func echoed(s string) string { return printed(zeroes.Replace(s)) }

var zeroes = strings.NewReplacer(`\\`, `\\`, `\00`, `\0`, `\01`, `\1`, `\02`, `\2`, `\03`, `\3`, `\04`, `\4`, `\05`, `\5`, `\06`, `\6`, `\07`, `\7`)

// otherwise is what the library decodes otherwise than bash: control characters, \x{72}, \562 and \18.
var otherwise = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(c|x\{|[4-7][0-9]{2}|[0-7][0-9]?[89])`)
})

// decode undoes the backslashes of a text, then what is done with its NULs.
func decode(s string, nul func(string) string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return nul(s)
	}
	text, _, err := expand.Format(&expand.Config{}, s, nil)
	if err != nil || otherwise().MatchString(strings.ReplaceAll(s, `\\`, "")) {
		return anyText
	}
	return nul(text)
}
