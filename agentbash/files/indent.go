package files

import (
	"fmt"
	"strings"
)

// textLine is a line of a text and where it is.
type textLine struct {
	start, end int // its end does not include \n or \r\n
	next       int // where the next line starts
}

func textLines(text string) []textLine {
	var lines []textLine
	for at := 0; at < len(text); {
		l := textLine{start: at, end: len(text), next: len(text)}
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			l.end, l.next = at+i, at+i+1
			if i > 0 && text[l.end-1] == '\r' {
				l.end--
			}
		}
		lines = append(lines, l)
		at = l.next
	}
	return lines
}

// indented is a line apart from its indentation.
type indented struct{ indent, rest string }

func splitIndent(line string) indented {
	rest := strings.TrimLeft(line, " \t")
	return indented{line[:len(line)-len(rest)], rest}
}

func splitIndents(text string) []indented {
	var list []indented
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		list = append(list, splitIndent(strings.TrimSuffix(line, "\r")))
	}
	return list
}

// otherIndent finds whole lines that differ from the old text's in nothing but
// how all of them are indented, in one place only, and indents the new text in the same way.
func otherIndent(text string, r replacement) ([]located, string) {
	old, new := splitIndents(r.old), splitIndents(r.new)
	if strings.TrimSpace(r.old) == "" {
		return nil, ""
	}
	lines := textLines(text)
	at, rule := -1, indentRule{}
	for i := 0; i+len(old) <= len(lines); i++ {
		pairs := pairIndents(text, lines[i:i+len(old)], old)
		if pairs == nil {
			continue
		}
		if at >= 0 {
			return nil, "" // not unique: which one is meant cannot be told
		}
		fits := false
		if rule, fits = newIndentRule(pairs, new); !fits {
			return nil, ""
		}
		at = i
	}
	if at < 0 {
		return nil, ""
	}
	out, ok := rule.apply(new)
	if !ok {
		return nil, ""
	}
	first, last := lines[at], lines[at+len(old)-1]
	l := located{start: first.start, end: last.end}
	if at == 0 && strings.HasPrefix(text, string(utf8BOM)) {
		l.start = len(utf8BOM)
	}
	if r.new == "" {
		out = nil
	}
	l.new = strings.Join(out, "\n")
	if strings.HasSuffix(r.old, "\n") {
		l.end = last.next
		if strings.HasSuffix(r.new, "\n") {
			l.new += text[last.end:last.next]
		}
	} else if strings.HasSuffix(r.new, "\n") {
		l.new += "\n"
	}
	if endingAt(text, l.start, l.end) == crlf {
		l.new = strings.ReplaceAll(strings.ReplaceAll(l.new, crlf, "\n"), "\n", crlf)
	}
	where := fmt.Sprintf("lines %d-%d match", at+1, at+len(old))
	if len(old) == 1 {
		where = fmt.Sprintf("line %d matches", at+1)
	}
	return []located{l}, where + " but for the indentation (" + rule.describe() + "): new_string was indented to fit"
}

// indentPair is how a line is indented in the old text and in the file.
type indentPair struct{ old, file string }

// pairIndents compares lines but for their indentation; it returns nil when they differ.
func pairIndents(text string, lines []textLine, old []indented) []indentPair {
	var pairs []indentPair
	for i, o := range old {
		f := splitIndent(text[lines[i].start:lines[i].end])
		if i == 0 {
			f = splitIndent(strings.TrimPrefix(text[lines[i].start:lines[i].end], string(utf8BOM)))
		}
		if f.rest != o.rest {
			return nil
		}
		if o.rest != "" {
			pairs = append(pairs, indentPair{o.indent, f.indent})
		}
	}
	return pairs
}
