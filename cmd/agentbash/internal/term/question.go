package term

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/agentbash/agentbash/internal/safetext"
)

// Asker puts questions to the person, one at a time; more than one goroutine
// may ask. A question waits until it is answered or ctx ends.
type Asker interface {
	Ask(ctx context.Context, q *Question) (Reply, error)
}

// ErrNobody is returned where nobody can be asked.
var ErrNobody = errors.New("nobody is at the terminal to be asked")

// ErrNoAnswer is returned when the person has left a question without an answer
// (Esc, Ctrl-C, the end of the input). During a turn that stops the turn too.
var ErrNoAnswer = errors.New("the question was left without an answer")

// Question is put to the person. Its texts may come from anywhere and are given
// as they are: an [Asker] shows them so that nothing is hidden in them and
// nothing of them reaches the terminal as an instruction (see [Visible]).
type Question struct {
	Title   string   // one line
	Text    string   // what it is about, several lines; may be empty. A unified diff is shown in colours
	Mark    []Span   // of Text: what the person must look at. It is never folded away
	Keep    []Span   // of Text: what is not folded away either, and is no danger
	Choices []Choice // one is taken by its key; without any, a line of text is the answer
	Default string   // the key that Enter takes, or the text; "" takes none
	Free    bool     // a line of text is an answer too where there are choices
	Secret  bool     // the text is not shown
	Items   []Item   // a long list in the place of choices, which is searched
}

// Span is a range of bytes of a text, To exclusive. What lies outside of the
// text counts for nothing.
type Span struct{ From, To int }

// Choice is one answer. With Text a line is asked for after it: "no, because".
type Choice struct {
	Key   string // one character or a short word
	Label string
	Text  bool
}

// Reply is what the person answered.
type Reply struct {
	Key  string // of the choice; "" for free text
	Text string
}

// answering is how far the answer to a question has come. It knows nothing of
// keys and screens.
type answering struct {
	q      *Question
	choice *Choice // taken, and its text is being asked for
}

// take is a line that was entered. It returns the reply, or what is wrong with
// the line; neither, if more is asked for.
func (a *answering) take(line string) (reply *Reply, problem string) {
	word := strings.TrimSpace(line)
	switch {
	case a.choice != nil:
		return &Reply{Key: a.choice.Key, Text: line}, ""
	case len(a.q.Choices) == 0 && word == "":
		return &Reply{Text: a.q.Default}, ""
	case len(a.q.Choices) == 0:
		return &Reply{Text: line}, ""
	case word == "":
		word = a.q.Default
	}
	if c := a.find(word); c != nil {
		return a.choose(c), ""
	}
	if a.q.Free && word != "" {
		return &Reply{Text: line}, ""
	}
	return nil, "type one of " + a.keys()
}

// immediate is a character that answers without Enter: no other answer begins
// with it.
func (a *answering) immediate(char string) *Choice {
	if a.choice != nil || a.q.Free {
		return nil
	}
	c := a.find(char)
	if c == nil || c.Key != char && !strings.EqualFold(c.Key, char) {
		return nil
	}
	for _, other := range a.q.Choices {
		if len(other.Key) > len(char) && strings.HasPrefix(other.Key, char) {
			return nil
		}
	}
	return c
}

// choose takes a choice; nil: it wants a text.
func (a *answering) choose(c *Choice) *Reply {
	if c.Text {
		a.choice = c
		return nil
	}
	return &Reply{Key: c.Key}
}

// find is the choice that a word means: its key, else its key in another case,
// else its label.
func (a *answering) find(word string) *Choice {
	if word == "" {
		return nil
	}
	for _, same := range []func(*Choice) bool{
		func(c *Choice) bool { return c.Key == word },
		func(c *Choice) bool { return strings.EqualFold(c.Key, word) },
		func(c *Choice) bool { return strings.EqualFold(c.Label, word) },
	} {
		for i := range a.q.Choices {
			if same(&a.q.Choices[i]) {
				return &a.q.Choices[i]
			}
		}
	}
	return nil
}

func (a *answering) keys() string {
	var keys []string
	for _, c := range a.q.Choices {
		keys = append(keys, safetext.Visible(c.Key))
	}
	return strings.Join(keys, ", ")
}

// prompt stands before what is typed.
func (a *answering) prompt() string {
	switch {
	case a.q.Items != nil:
		return "search: "
	case a.choice != nil:
		return safetext.Line(cmp.Or(a.choice.Label, a.choice.Key)) + ": "
	case len(a.q.Choices) == 0 && a.q.Default != "":
		return "answer (Enter: " + safetext.Line(a.q.Default) + "): "
	case len(a.q.Choices) == 0:
		return "answer: "
	case a.q.Default != "":
		return "answer " + a.keys() + a.freely() + " (Enter: " + safetext.Line(a.q.Default) + "): "
	}
	return "answer " + a.keys() + a.freely() + ": "
}

// freely says that what is typed may be an answer of its own, so that a key alone does not end it.
func (a *answering) freely() string {
	if a.q.Free {
		return " or your own words"
	}
	return ""
}

// said is a reply in words, for the record on the screen.
func (a *answering) said(r Reply) string {
	text := r.Text
	for _, c := range a.q.Choices {
		if c.Key != r.Key || r.Key == "" {
			continue
		}
		if text = cmp.Or(c.Label, c.Key); r.Text != "" {
			text += ": " + r.Text
		}
	}
	if a.q.Secret && r.Key == "" {
		text = "(not shown)"
	}
	return "-> " + safetext.Line(text)
}
