package policy

import (
	"regexp"
	"strings"
	"sync"
)

// word is one word after expansion, as far as it can be known.
type word struct {
	text  string // with holes
	glob  bool   // it has unquoted * ? [: it may become file names, or stay
	multi bool   // it may become any number of words, or none
	plain bool   // it stands in the line unquoted and whole, as an alias must
	at    span   // in the line
}

// exact reports whether the word is certain to be this text and one word.
func (f *word) exact() bool { return !f.glob && !f.multi && known(f.text) }

// mayBeOption reports whether bash may make an option of the word: a file may be called --output=x.
func (f *word) mayBeOption() bool {
	return f.multi || f.glob && f.text != "" && strings.IndexByte("*?[", f.text[0]) >= 0 ||
		len(f.text) > 1 && f.text[0] == hole && wild(f.text[:2])
}

// after returns the rest of the word from byte n of its text on.
func (f *word) after(n int) word {
	g := *f
	g.text = f.text[n:]
	return g
}

// asName is the word as a variable takes it in a loop: of what a glob stands for the fixed parts are known.
func (f *word) asName() string {
	if f.multi {
		return taint(f.text)
	}
	if !f.glob {
		return f.text
	}
	name := globs().ReplaceAllStringFunc(f.text, func(s string) string {
		if s[0] == hole {
			return s
		}
		return aName
	})
	return strings.ReplaceAll(name, aName+aName, aName)
}

// globs are the holes of a text, and what a pattern leaves open.
var globs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x00.|[*?]+|\[[^\]]*\]`) })

// match reports whether a file's name fits a glob of bash, whatever a set of bytes in it has.
func match(glob, name string) bool {
	return globFit(sets().ReplaceAllString(glob, "?"), name, true) == fits
}

var sets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\]]+\]`) })

// texts returns the argument texts of words.
func texts(fs []word) []string {
	out := make([]string, len(fs))
	for i := range fs {
		if out[i] = fs[i].asName(); fs[i].multi {
			out[i] = anyWords
		}
	}
	return out
}

// joined is what words are as one text, with blanks between.
func joined(fs []word) string {
	out := make([]string, len(fs))
	for i := range fs {
		if out[i] = fs[i].text; fs[i].glob {
			out[i] = fs[i].asName()
		}
	}
	return strings.Join(out, " ")
}

// joinedWord is what words are as one.
func joinedWord(fs []word) word {
	if len(fs) == 1 {
		return fs[0]
	}
	return word{text: joined(fs), at: span{fs[0].at.start, fs[len(fs)-1].at.end}}
}
