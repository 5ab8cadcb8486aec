package audit

import (
	"regexp"
	"strings"
)

// Secrets are texts that must not get into the log.
type Secrets struct {
	known *strings.Replacer // nil: none
	forms []*regexp.Regexp  // what stands in the second group is secret
}

// minSecret is how long a text is at least before it counts as a secret: a
// shorter one would be found everywhere.
const minSecret = 8

const (
	secretWord = `(?:api[_-]?key|[_-]key|token|secret|passw(?:or)?d)`
	oneWord    = `("[^"]*"|'[^']*'|[^\s"'$;&|<>()]+)`
)

// NewSecrets takes secrets that are known, and the values of those variables of
// an environment whose names say that they are secret.
func NewSecrets(known, environ []string) *Secrets {
	var pairs []string
	add := func(s string) {
		if len(s) >= minSecret {
			pairs = append(pairs, s, secretMark)
		}
	}
	for _, s := range known {
		add(strings.TrimSpace(s))
	}
	for _, e := range environ {
		if name, value, ok := strings.Cut(e, "="); ok && secretName(name) {
			add(value)
		}
	}
	s := &Secrets{}
	for _, form := range []string{
		`([A-Za-z0-9_-]*` + secretWord + `[A-Za-z0-9_]*=)` + oneWord,
		`(--[a-z-]*` + secretWord + `\s+)` + oneWord,
		`(["'][A-Za-z0-9_-]*` + secretWord + `["']\s*:\s*["'])([^"']+)`,
		`(\bbearer\s+)([A-Za-z0-9._~+/=-]{8,})`,
		`(://[^/\s:@]*:)([^/\s@]+)@`,
	} {
		s.forms = append(s.forms, regexp.MustCompile("(?i)"+form))
	}
	if len(pairs) > 0 {
		s.known = strings.NewReplacer(pairs...)
	}
	return s
}

// secretMark stands for a secret.
const secretMark = "[secret]"

// secretName reports whether a variable's name says that its value is secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, part := range [...]string{"_KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// Redact leaves secrets out of a text: known ones, and what stands where a
// secret would (TOKEN=..., --password ..., Bearer ..., ://user:...@).
func (s *Secrets) Redact(text string) string {
	if s.known != nil {
		text = s.known.Replace(text)
	}
	for _, form := range s.forms {
		text = replaceSecond(form, text)
	}
	return text
}

// replaceSecond puts the mark in the place of each match's second group.
func replaceSecond(form *regexp.Regexp, text string) string {
	found := form.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return text
	}
	var b strings.Builder
	last := 0
	for _, m := range found {
		b.WriteString(text[last:m[4]])
		b.WriteString(secretMark)
		last = m[5]
	}
	b.WriteString(text[last:])
	return b.String()
}
