package secrettext

import (
	"regexp"
	"strings"
	"sync"
)

// maxLine is how far a command's options are looked for.
const maxLine = 500

// commandForms are commands that take a password among their words, by their names.
func commandForms() map[string]func(place) []span {
	const value = `("[^"\n]+"|'[^'\n]+'|[^\s"'|;&]+)`
	forms := map[string]func(place) []span{}
	for pattern, literals := range map[string][]string{
		`^[a-z_-]*\s(?:[^\n|;&]*?\s)?-p` + value: {"mysql", "mariadb"},
		`^\s(?:[^\n|;&]*?\s)?-p\s*` + value:      {"sshpass"},
		`^\s(?:[^\n|;&]*?\s)?(?:-[a-zA-Z]*[uU]|--user|--proxy-user)[ =]?["']?[^\s:"'|;&]+:([^\s"'|;&]+)`: {"curl"},
		`^\s(?:[^\n|;&]*?\s)?(?:--http-|--ftp-|--proxy-)?password[ =]` + value:                           {"wget"},
	} {
		re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
		for _, literal := range literals {
			forms[literal] = func(p place) []span {
				rest := p.text[p.after:min(len(p.text), p.after+maxLine)]
				m := re().FindStringSubmatchIndex(rest)
				if m == nil || !startsWord(p.text, p.at) {
					return nil
				}
				from, to := m[2], m[3]
				if q := rest[from]; (q == '"' || q == '\'') && to-from > 2 {
					from, to = from+1, to-1
				}
				if v := rest[from:to]; v[0] == '$' || !p.loose && isPlaceholder(v) {
					return nil
				}
				return []span{{p.after + from, p.after + to, "password"}}
			}
		}
	}
	return forms
}

// pemBody is what stands between the marks of a private key: headers, then lines of
// base64, whose ends may be escaped, or quotes of a program's text. The end may be cut.
var pemBody = sync.OnceValue(func() *regexp.Regexp {
	const end = `(?:\\[nrt]|[\s"'+,])+`
	return regexp.MustCompile(`^[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----` + end + `(?:[A-Z][A-Za-z-]*: [^\r\n\\]*` + end + `)*` +
		`((?:[A-Za-z0-9+/=]{24,}(?:` + end + `|$))+(?:[A-Za-z0-9+/=]+(?:` + end + `|$))?)`)
})

const pemWhat = "private key"

// findPEM finds the body of a private key after its first line.
func findPEM(p place) []span {
	m := pemBody().FindStringSubmatchIndex(p.text[p.after:])
	if m == nil {
		return nil
	}
	from, to := p.after+m[2], p.after+m[3]
	body := p.text[from:to]
	for trimmed := ""; trimmed != body; { // the end of the last line is no secret
		trimmed = body
		body = strings.TrimRight(body, " \t\r\n\"'+,")
		body = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(body, `\n`), `\r`), `\t`)
	}
	return []span{{from, from + len(body), pemWhat}}
}

// findPEMEnd finds the lines before the last line of a private key whose first line
// was cut off.
func findPEMEnd(p place) []span {
	if name, _, _ := strings.Cut(p.text[p.after:min(len(p.text), p.after+64)], "-----"); !strings.Contains(name, "PRIVATE KEY") {
		return nil
	}
	isEnd := func(i int) int { // how long the line end before i is
		switch {
		case i > p.last && strings.IndexByte("\r\n", p.text[i-1]) >= 0:
			return 1
		case i > p.last+1 && p.text[i-2] == '\\' && strings.IndexByte("nr", p.text[i-1]) >= 0:
			return 2
		}
		return 0
	}
	to := p.at
	for n := isEnd(to); n > 0; n = isEnd(to) {
		to -= n
	}
	from := to
	for i := to; i > p.last; {
		if n := isEnd(i); n > 0 {
			i -= n
		} else if i--; base64Set[p.text[i]] {
			from = i
		} else {
			break
		}
	}
	if to-from < 24 {
		return nil
	}
	return []span{{from, to, pemWhat}}
}
