package router

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// repairJSON makes JSON of a text that models write in its place, where only one reading is left:
// raw control characters and the shell's backslashes in strings, Python's quotes and words, a comma
// before the end, a brace too many or too few, a Markdown fence around it. A string that
// does not end is left alone, since what it says may be cut off; so is what ends where more has to follow.
func repairJSON(text string) string {
	text = strings.TrimSpace(text)
	if f := fenced().FindStringSubmatch(text); f != nil && !strings.Contains(f[3], "```") {
		text = f[3]
	}
	r := repairer{python: pythonDict().MatchString(text)}
	for i := 0; i < len(text); {
		n := r.next(text[i:])
		if n == 0 {
			return text
		}
		i += n
	}
	if strings.Trim(string(r.open), "}") != "" || len(r.open) > 0 && !wholeEnd().MatchString(text) {
		return text
	}
	return r.out.String() + string(r.open)
}

// repairer writes JSON of what is almost that.
type repairer struct {
	out    strings.Builder
	open   []byte // the brackets that are to be closed, the last first to be
	python bool
}

// next takes what stands at the beginning of a text, and returns its length; 0: it cannot be repaired.
func (r *repairer) next(text string) int {
	switch c := text[0]; c {
	case '"':
		return repairString(&r.out, text)
	case '\'':
		if r.python {
			return repairString(&r.out, text)
		}
	case '{', '[':
		r.open = append([]byte{c + 2}, r.open...) // its partner in ASCII
	case '}', ']':
		switch {
		case len(r.open) == 0 && c == '}':
			return 1 // one too many
		case len(r.open) == 0 || r.open[0] != c:
			return 0
		}
		r.open = r.open[1:]
	case ',':
		if rest := strings.TrimLeft(text[1:], " \t\r\n"); rest != "" && (rest[0] == '}' || rest[0] == ']') {
			return 1
		}
	default:
		if word := pythonWord().FindString(text); r.python && word != "" {
			r.out.WriteString(map[string]string{"True": "true", "False": "false", "None": "null"}[word])
			return len(word)
		}
	}
	r.out.WriteByte(text[0])
	return 1
}

var (
	pythonDict = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[?\{\s*'`) })
	pythonWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(True|False|None)\b`) })
	// what a missing brace may follow: a number may lack digits, and a blank before the quote a word
	wholeEnd  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^\s]["']|[}\]a-z])$`) })
	hexEscape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^u[0-9a-fA-F]{4}`) })
)

// repairString writes the string at the beginning of a text as JSON, and returns its length; 0: it does not end.
func repairString(out *strings.Builder, text string) int {
	out.WriteByte('"')
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case c == text[0]:
			out.WriteByte('"')
			return i + 1
		case c == '"':
			out.WriteString(`\"`)
		case c < ' ':
			fmt.Fprintf(out, `\u%04x`, c)
		case c == '\\' && i+1 < len(text):
			next := text[i+1]
			switch {
			case next == '\'' && text[0] == '\'':
				out.WriteByte('\'')
				i++
			case strings.IndexByte(`"\/nrt`, next) >= 0:
				out.WriteString(text[i : i+2])
				i++
			case hexEscape().MatchString(text[i+1:]):
				out.WriteByte(c)
			default: // the shell's; \b and \f are a pattern's
				out.WriteString(`\\`)
			}
		default:
			out.WriteByte(c)
		}
	}
	return 0
}
