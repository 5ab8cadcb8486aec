// Package secrettext hides secrets in text that is shown to a model or written to a
// log: those that are known, however they are encoded, and those that have a
// well-known form. Each is replaced by a mark that says what it was; no other
// character changes. Text that programs read is not its business.
//
// The forms are a table of literals (table.go), found in one pass, and functions
// that look at what stands around one. The rules of secret scanners are not
// used: they look for leaks in repositories, are many times slower, and bring their
// own engine.
package secrettext

import (
	"cmp"
	"slices"
	"strings"
)

// A Hider hides secrets. The zero value, and a nil one, know the forms alone. It is
// safe for concurrent use.
type Hider struct{ known *pairs[encoded] }

// New returns a Hider that also knows these secrets: as they are, backwards, in
// hexadecimal and in base64. Those of less than 8 bytes would be found in ordinary
// text, and are left out.
func New(known ...string) *Hider {
	h := &Hider{}
	for _, secret := range known {
		if secret = strings.TrimSpace(secret); len(secret) >= minKnown {
			if h.known == nil {
				h.known = new(pairs[encoded])
			}
			for _, e := range encodings(secret) {
				h.known.add(e.text[0], e.text[1], e)
			}
		}
	}
	return h
}

// span is a secret in a text.
type span struct {
	from, to int
	what     string
}

// Hide returns a text without its secrets. What only may be one, such as a word of
// code after "password =", stays.
func (h *Hider) Hide(text string) string { return h.hide(text, false) }

// HideCommand is Hide for a command line of which nobody needs every word: whatever
// stands where a secret would is left out.
func (h *Hider) HideCommand(text string) string { return h.hide(text, true) }

func (h *Hider) hide(text string, loose bool) string {
	spans := findForms(text, loose)
	if h != nil {
		spans = append(spans, findKnown(text, h.known)...)
	}
	if len(spans) == 0 {
		return text
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var b strings.Builder
	end := 0
	for _, s := range spans {
		if s.to <= end {
			continue
		}
		if s.from >= end {
			b.WriteString(text[end:s.from])
			b.WriteString("[redacted: " + s.what + "]")
		}
		end = s.to
	}
	b.WriteString(text[end:])
	return b.String()
}

// Shown is a command line, an address or a header as it may be shown.
func Shown(text string) string { return (*Hider)(nil).HideCommand(text) }

// Find returns what HideCommand leaves out of a text.
func Find(text string) (secrets []string) {
	for _, s := range findForms(text, true) {
		secrets = append(secrets, text[s.from:s.to])
	}
	return secrets
}

// Contains reports whether a value, such as that of a variable, has something in it
// that HideCommand leaves out.
func Contains(value string) bool { return len(findForms(value, true)) > 0 }

// Slack is how many bytes of a text's beginning and end may belong to a secret that
// is cut there: where a text is cut, so much more of it has to be looked at.
const Slack = 4096
