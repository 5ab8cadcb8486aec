package router

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/internal/secrettext"
)

// longestLine is how many characters of a line of bash's output a model sees.
const longestLine = 500

// isLong reports whether a line is cut.
func (b *body) isLong(line string) bool {
	return len(line) > b.longest && utf8.RuneCountInString(line) > b.longest
}

func (b *body) hasLongLine(text string) bool {
	for line := range strings.Lines(text) {
		if b.isLong(strings.TrimSuffix(line, "\n")) {
			return true
		}
	}
	return false
}

// cutLongLines is cutText where lines are cut first. held is what memory has of the body.
func (b *body) cutLongLines(held string) string {
	b.truncated = true
	b.keepWhole()
	whole := true
	for _, p := range b.parts {
		whole = whole && (p.stream == nil || p.stream.whole())
	}
	head, first := b.shortenLines(held, whole)
	if whole && utf8.RuneCountInString(head) <= b.max {
		return endLine(head) + b.hint("long_lines", b.longest, b.lineAdvice(first))
	}
	tail := head
	if !whole {
		tail, _ = b.shortenLines(fromLine(b.last(math.MaxInt)), true)
	}
	head = atLineEnd(firstChars(head, b.max/5))
	seen := head
	if !strings.Contains(head, "\n") {
		seen = firstChars(head, b.longest)
	}
	return endLine(head) + b.hint("too_long", b.max, b.advice(seen)) + "\n" + atLineStart(lastChars(tail, b.max-b.max/5))
}

// fromLine is a text from the first line on into which no secret reaches that began before it.
func fromLine(text string) string {
	_, text, _ = strings.Cut(text[min(len(text), secrettext.Slack):], "\n")
	return text
}

// shortenLines cuts long lines, and says which is the first. A last line that is only part of one is left out.
func (b *body) shortenLines(text string, whole bool) (short string, first int) {
	more := ""
	if !whole {
		if end := strings.LastIndexByte(text, '\n'); end >= 0 {
			text = text[:end+1]
		} else {
			text, more = text[:len(text)-unfinishedBytes([]byte(text))], "more than "
		}
	}
	var out strings.Builder
	number := 0
	for line := range strings.Lines(b.clean(text)) {
		number++
		line, hasEnd := strings.CutSuffix(line, "\n")
		if b.isLong(line) {
			if first == 0 {
				first = number
			}
			line = fmt.Sprintf("%s... [the line has %s%d characters]", firstChars(line, b.longest), more, utf8.RuneCountInString(line))
		}
		out.WriteString(line)
		if hasEnd {
			out.WriteByte('\n')
		}
	}
	return out.String(), first
}

// lineAdvice says how to see the lines that were cut.
func (b *body) lineAdvice(first int) string {
	if b.path == "" {
		return "lines are cut, and the whole output could not be kept: run the command again with a filter such as | cut -c 500-1000 or | grep -o"
	}
	path := quote.Word(b.path)
	return fmt.Sprintf("lines are cut at %d characters, line %d first: read --file_path %s --offset %[2]d --limit 1 --max_columns 0, or search them: grep --pattern TEXT --path %[3]s",
		b.longest, first, path)
}
