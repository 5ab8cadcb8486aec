package files

import "strings"

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
// how all of them are indented, and indents the new text in the same way.
func otherIndent(text string, r replacement) (places []located, how string) {
	old, new := splitIndents(r.old), splitIndents(r.new)
	if strings.TrimSpace(r.old) == "" {
		return nil, ""
	}
	lines := textLines(text)
	for i := 0; i+len(old) <= len(lines); i++ {
		pairs := pairIndents(text, lines[i:i+len(old)], old)
		if pairs == nil {
			continue
		}
		rule, fits := newIndentRule(pairs, new, func() int { return indentUnit(splitIndents(text)) })
		if !fits || !rule.appliesTo(new) {
			return nil, ""
		}
		l := located{start: lines[i].start, end: lines[i+len(old)-1].end}
		if strings.HasSuffix(r.old, "\n") {
			l.end = lines[i+len(old)-1].next
		}
		l.new = carry(text[l.start:l.end], r, endingAt(text, l.start, l.end), func(_, line string) string { return rule.indented(line) })
		if how == "" {
			how = rule.describe()
		}
		places = append(places, l)
		i += len(old) - 1
	}
	return places, how
}

// indentPair is how a line is indented in the old text and in the file.
type indentPair struct{ old, file string }

// pairIndents compares lines but for their indentation; it returns nil when they differ.
func pairIndents(text string, lines []textLine, old []indented) []indentPair {
	var pairs []indentPair
	for i, o := range old {
		f := splitIndent(text[lines[i].start:lines[i].end])
		if strings.TrimRight(f.rest, " \t") != strings.TrimRight(o.rest, " \t") {
			return nil
		}
		if o.rest != "" {
			pairs = append(pairs, indentPair{o.indent, f.indent})
		}
	}
	return pairs
}
