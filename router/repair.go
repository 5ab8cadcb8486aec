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
// does not end is left alone, since what it says may be cut off.
func repairJSON(text string) string {
	text = strings.TrimSpace(text)
	if f := fenced().FindStringSubmatch(text); f != nil && !strings.Contains(f[3], "```") {
		text = f[3]
	}
	python := pythonDict().MatchString(text)
	var out strings.Builder
	var open []byte // the brackets that are to be closed
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"', c == '\'' && python:
			n := repairString(&out, text[i:])
			if n == 0 {
				return text
			}
			i += n
			continue
		case c == '{' || c == '[':
			open = append(open, c+2) // its partner in ASCII
		case c == '}' || c == ']':
			if len(open) == 0 && c == '}' {
				i++
				continue
			}
			if len(open) == 0 || open[len(open)-1] != c {
				return text
			}
			open = open[:len(open)-1]
		case c == ',':
			if rest := strings.TrimLeft(text[i+1:], " \t\r\n"); rest == "" || rest[0] == '}' || rest[0] == ']' {
				i++
				continue
			}
		case python && c|0x20 >= 'a' && c|0x20 <= 'z':
			if word := pythonWord().FindString(text[i:]); word != "" {
				out.WriteString(map[string]string{"True": "true", "False": "false", "None": "null"}[word])
				i += len(word)
				continue
			}
		}
		out.WriteByte(c)
		i++
	}
	if strings.Trim(string(open), "}") != "" {
		return text
	}
	return out.String() + string(open)
}

var (
	pythonDict = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[?\{\s*'`) })
	pythonWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(True|False|None)\b`) })
	hexEscape  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^u[0-9a-fA-F]{4}`) })
)

// repairString writes the string at the beginning of a text as JSON, and returns its
// length; 0: it does not end.
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
			case strings.IndexByte(`"\/bfnrt`, next) >= 0:
				out.WriteString(text[i : i+2])
				i++
			case hexEscape().MatchString(text[i+1:]):
				out.WriteByte(c)
			default: // the shell's
				out.WriteString(`\\`)
			}
		default:
			out.WriteByte(c)
		}
	}
	return 0
}
