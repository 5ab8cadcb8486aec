package files

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// diagnoseLimit is the size in bytes of a text above which a missing old text is not looked into.
const diagnoseLimit = 16 << 20

// diagnoseMismatch says why an old text is not in a text: what is closest to it, where
// the first difference is, and what it comes from.
func diagnoseMismatch(text string, r replacement, shown string, strict bool) string {
	missing := "old_string is not in " + shown
	if len(text) > diagnoseLimit {
		return missing + ": look for a part of it with grep"
	}
	if text == "" {
		return missing + ", which is empty: use write"
	}
	if line := appliedLine(text, r); line > 0 {
		return fmt.Sprintf("%s: already applied at line %d, new_string is there", missing, line)
	}
	d := newComparison(text)
	for _, c := range mismatchCauses() {
		old, ok := c.repair(r.old)
		if !ok {
			continue
		}
		if c.fold != nil && d.isAmbiguous(old, c.fold) {
			continue
		}
		if line := d.findLines(old, c.fold); line > 0 {
			return fmt.Sprintf("%s: %s%s", missing, c.name, d.describeDifference(r.old, old, line, strict, c))
		}
	}
	line := d.findClosest(r.old)
	if line == 0 {
		return missing + ", nor is anything like it: look for a part of it with grep"
	}
	return fmt.Sprintf("%s; the closest is at line %d%s\nread it again: read %s --offset %d --limit %d", missing, line,
		d.firstDifference(r.old, line), shown, max(line-2, 1), strings.Count(r.old, "\n")+5)
}

// appliedLine returns the line of the only place where the new text is, or 0.
func appliedLine(text string, r replacement) int {
	if len(strings.TrimSpace(r.new)) < 3 || strings.Contains(r.old, r.new) {
		return 0
	}
	places := findExact(text, replacement{old: r.new, new: r.new}, true)
	if places == nil {
		places = otherEnds(text, replacement{old: r.new, new: r.new})
	}
	if len(places) == 0 {
		return 0
	}
	return 1 + strings.Count(text[:places[0].start], "\n")
}

// cause is something that makes an old text miss.
type cause struct {
	name   string
	repair func(old string) (string, bool) // ok is false when it does not apply
	fold   func(line string) string        // what of a line is compared; nil: all
}

func mismatchCauses() []cause {
	same := func(old string) (string, bool) { return old, true }
	return []cause{
		{name: "it has the line numbers that read puts before lines: leave them out", repair: withoutNumbers},
		{name: `it has a literal \n where the file has the end of a line: give a real one ($'...\n...' in bash)`, repair: unescapeText},
		{name: `it has the end of a line where the file has a literal \n`, repair: escapeText},
		{name: "the line ends differ (CRLF in the one, LF in the other), which --strict does not allow", repair: same, fold: foldCR},
		{name: "the spaces at the ends of lines differ", repair: same, fold: foldTrailing},
		{name: "no-break (NBSP) or other special spaces stand where plain ones were given, or the other way round", repair: same, fold: foldSpaces},
		{name: "curly quotes, dashes or dots stand where plain ones were given, or the other way round", repair: same, fold: foldQuotes},
		{name: "the indentation differs (tabs, or the number of spaces)", repair: same, fold: foldIndent},
		{name: "tabs and spaces differ", repair: same, fold: foldBlanks},
		{name: "upper and lower case differ", repair: same, fold: strings.ToLower},
		{name: "spaces, quotes and case differ", repair: same, fold: foldAll},
	}
}

// withoutNumbers takes "12| ", "12:", "12\t" or "12→" off every line.
func withoutNumbers(old string) (string, bool) {
	lines := strings.Split(old, "\n")
	for i, line := range lines {
		if line == "" && i == len(lines)-1 && i > 0 {
			continue
		}
		rest := strings.TrimLeft(line, " \t")
		digits := 0
		for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' {
			digits++
		}
		if digits == 0 {
			return old, false
		}
		rest = rest[digits:]
		found := false
		for _, sep := range []string{"| ", "|", "→", "\t", ": ", ":", "- "} {
			if rest, found = strings.CutPrefix(rest, sep); found {
				break
			}
		}
		if !found {
			return old, false
		}
		lines[i] = rest
	}
	return strings.Join(lines, "\n"), true
}

// unescapeText makes characters of what a language's string literal writes with a backslash.
func unescapeText(old string) (string, bool) {
	out := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\'`, "'", `\\`, `\`).Replace(old)
	return out, out != old
}

func escapeText(old string) (string, bool) {
	out := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(old)
	return out, out != old
}

func foldCR(line string) string { return strings.TrimSuffix(line, "\r") }

func foldTrailing(line string) string { return strings.TrimRight(line, " \t\r") }

func foldIndent(line string) string { return strings.TrimLeft(foldCR(line), " \t") }

// foldBlanks makes every run of white space one space.
func foldBlanks(line string) string { return strings.Join(strings.Fields(line), " ") }

func foldSpaces(line string) string {
	return strings.NewReplacer("\u00a0", " ", "\u2007", " ", "\u202f", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ", "\u3000", " ",
		"\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "").Replace(foldCR(line))
}

func foldQuotes(line string) string {
	return strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201a", "'", "\u2032", "'", "\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u2033", `"`,
		"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-", "\u2026", "...").Replace(foldCR(line))
}

func foldAll(line string) string { return strings.ToLower(foldBlanks(foldQuotes(foldSpaces(line)))) }

// quoteVisible quotes a line, or the part of a long one around a place, with an
// escape for every character that looks like another one or like nothing.
func quoteVisible(line string, at int) string {
	const around = 60
	from := len(line[:at]) - len(lastRunes(line[:at], around))
	to := at + len(firstRunes([]byte(line[at:]), around))
	var b strings.Builder
	for _, r := range line[from:to] {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune(r)
		case r > unicode.MaxASCII && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Pd, r) || unicode.Is(unicode.Pi, r) || unicode.Is(unicode.Pf, r)):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	before, after := "", ""
	if from > 0 {
		before = "..."
	}
	if to < len(line) {
		after = "..."
	}
	return before + b.String() + after
}

// lastRunes is the part of s that holds its last n characters.
func lastRunes(s string, n int) string { return s[charsBefore([]byte(s), len(s), n):] }
