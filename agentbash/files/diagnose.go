package files

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentbash/agentbash/internal/quote"
)

// diagnoseLimit is the size in bytes of a text above which a missing old text is not looked into.
const diagnoseLimit = 16 << 20

// diagnoseMismatch says why an old text is not in a text: what is closest to it, where
// the first difference is, and what it comes from. what is its name.
func diagnoseMismatch(text string, r replacement, what, shown string) string {
	missing := what + " is not in " + shown
	if len(text) > diagnoseLimit {
		return missing + ": look for a part of it with grep"
	}
	if text == "" {
		return missing + ", which is empty: use write"
	}
	if line := appliedLine(text, r); line > 0 {
		return fmt.Sprintf("%s: already applied at line %d, the new text is there", missing, line)
	}
	d := newComparison(text)
	for _, c := range mismatchCauses() {
		old, ok := c.repair(r)
		if !ok || c.fold != nil && d.isAmbiguous(old, c.fold) {
			continue
		}
		if lines := d.findLines(old, c.fold); lines != nil {
			hint := ""
			if c.fold != nil {
				hint = d.firstDifference(r.old, what, lines[0])
			}
			return fmt.Sprintf("%s: %s (it is at %s)%s", missing, c.name, listLines(lines, 10), hint)
		}
	}
	lines := d.findClosest(r.old)
	if lines == nil {
		return missing + ", nor is anything like it: look for a part of it with grep"
	}
	return fmt.Sprintf("%s; the closest is at %s%s\nread it again: read %s --offset %d --limit %d", missing, listLines(lines, 10),
		d.firstDifference(r.old, what, lines[0]), quote.Word(shown), max(lines[0]-2, 1), strings.Count(r.old, "\n")+5)
}

// appliedLine returns the line of the only place where the new text is, or 0.
func appliedLine(text string, r replacement) int {
	if len(strings.TrimSpace(r.new)) < 3 || strings.Contains(r.old, r.new) {
		return 0
	}
	done := replacement{old: r.new, new: r.new}
	places := findExact(text, done, true)
	if places == nil {
		places = foldings()[0].find(text, done)
	}
	if len(places) == 0 {
		return 0
	}
	return lineAt(text, places[0].start)
}

// cause is something that makes an old text miss.
type cause struct {
	name   string
	repair func(replacement) (string, bool) // ok is false when it does not apply
	fold   func(line string) string         // what of a line is compared; nil: all
}

func mismatchCauses() []cause {
	same := func(r replacement) (string, bool) { return r.old, true }
	return []cause{
		{name: "it has line numbers before its lines: leave them out", repair: func(r replacement) (string, bool) {
			plain, ok := replacement{old: r.old}.withoutNumbers()
			return plain.old, ok
		}},
		{name: "its last line is only the beginning of one, and a patch has whole lines", repair: func(r replacement) (string, bool) {
			plain, ok := strings.CutSuffix(r.old, "\n")
			return plain, ok && r.hunk != nil
		}},
		{name: `it is escaped once too often, and new_string in yet another way: write \n, \" and their like as the file has them ($'...\n...' gives an end of line in bash)`, repair: func(r replacement) (string, bool) {
			plain := unescapeText(r.old)
			return plain, plain != r.old
		}},
		{name: `it has the end of a line where the file has a literal \n`, repair: func(r replacement) (string, bool) {
			return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(r.old), strings.ContainsAny(r.old, "\n\t")
		}},
		{name: "the line ends differ (CRLF in the one, LF in the other), which --strict does not allow", repair: same, fold: foldCR},
		{name: "the spaces at the ends of lines differ", repair: same, fold: foldTrailing},
		{name: "no-break (NBSP) spaces, curly quotes, dashes or dots stand where plain ones were given, or the other way round", repair: same, fold: foldTypography},
		{name: "the indentation differs (tabs, or the number of spaces)", repair: same, fold: foldIndent},
		{name: "tabs and spaces differ", repair: same, fold: foldBlanks},
		{name: "upper and lower case differ", repair: same, fold: strings.ToLower},
		{name: "spaces, quotes and case differ", repair: same, fold: foldAll},
	}
}

func foldCR(line string) string { return strings.TrimSuffix(line, "\r") }

func foldTrailing(line string) string { return strings.TrimRight(line, " \t\r") }

func foldIndent(line string) string { return strings.TrimLeft(foldCR(line), " \t") }

// foldBlanks makes every run of white space one space.
func foldBlanks(line string) string { return strings.Join(strings.Fields(line), " ") }

func foldTypography(line string) string { return foldings()[2].plain.Replace(foldCR(line)) }

func foldAll(line string) string { return strings.ToLower(foldBlanks(foldTypography(line))) }

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
