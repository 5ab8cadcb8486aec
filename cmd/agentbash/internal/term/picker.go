package term

import (
	"fmt"
	"strconv"
	"strings"
)

// Item is one of many things to choose from.
type Item struct {
	Key   string // the reply's, which has Text too
	Text  string // one line
	About string // stands before it
}

// line is an item as it is listed.
func (i Item) line() string { return strings.TrimSpace(safeLine(i.About) + "  " + safeLine(i.Text)) }

// matching are the items that hold every word of a text.
func matching(items []Item, text string) (out []Item) {
next:
	for _, i := range items {
		line := strings.ToLower(i.line())
		for _, word := range strings.Fields(strings.ToLower(text)) {
			if !strings.Contains(line, word) {
				continue next
			}
		}
		out = append(out, i)
	}
	return out
}

// pickKey takes a key while there is a list to choose from.
func (a *asking) pickKey(k key) *Reply {
	list := matching(a.q.Items, a.text.text)
	switch k.name {
	case keyUp:
		a.at--
	case keyDown, keyTab:
		a.at++
	case keyEnter:
		if len(list) > 0 {
			return &Reply{Key: list[a.at].Key, Text: list[a.at].Text}
		}
	default:
		a.text.press(k)
		a.at, list = 0, matching(a.q.Items, a.text.text)
	}
	a.at = max(0, min(a.at, len(list)-1))
	return nil
}

// pickRows are the rows of a list around the one that Enter takes, on a screen of some size.
// What stands before the items is left out where they would get less than half of it.
func (a *asking) pickRows(look palette) func(width, height int) []string {
	list, at, all := matching(a.q.Items, a.text.text), a.at, len(a.q.Items)
	column := 0
	for _, i := range a.q.Items {
		column = max(column, textColumns(safeLine(i.About)))
	}
	return func(width, height int) (rows []string) {
		most := max(1, min(height-6, 12))
		from := max(0, min(at-most/2, len(list)-most))
		for n, i := range list[from:min(from+most, len(list))] {
			lead, st := "    ", style(0)
			if from+n == at {
				lead, st = "  > ", bold
			}
			about := safeLine(i.About)
			if about += strings.Repeat(" ", column-textColumns(about)) + "  "; column > width/2 {
				about = ""
			}
			rows = append(rows, look.paint(clipColumns(lead+strings.TrimLeft(about, " ")+safeLine(i.Text), width), st))
		}
		about := fmt.Sprintf("  %d of %d; type to search, Up and Down choose, Enter takes, Esc leaves", len(list), all)
		return append(rows, look.paint(clipColumns(about, width), dim))
	}
}

// inLines is a question with a list for a terminal where nothing is edited: its
// answers are numbers.
func (q *Question) inLines() *Question {
	if q.Items == nil {
		return q
	}
	out := *q
	var b strings.Builder
	for n, i := range q.Items {
		number := strconv.Itoa(n + 1)
		out.Choices = append(out.Choices, Choice{Key: number, Label: i.Text})
		b.WriteString(number + "  " + i.line() + "\n")
	}
	out.Text, out.Items = b.String(), nil
	return &out
}

// ofItem is a reply to that as one to the list.
func (q *Question) ofItem(r Reply) Reply {
	if n, err := strconv.Atoi(r.Key); q.Items != nil && err == nil {
		return Reply{Key: q.Items[n-1].Key, Text: q.Items[n-1].Text}
	}
	return r
}
