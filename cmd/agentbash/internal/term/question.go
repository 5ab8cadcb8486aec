package term

import (
	"context"
	"errors"
)

// Asker puts questions to the person, one at a time; more than one goroutine
// may ask. A question waits until it is answered or ctx ends.
type Asker interface {
	Ask(ctx context.Context, q *Question) (Reply, error)
}

// ErrNobody is returned where nobody can be asked.
var ErrNobody = errors.New("nobody is at the terminal to be asked")

// Question is put to the person. Its texts may come from anywhere: whoever asks
// makes them safe for the screen, with what is hidden in them made visible.
type Question struct {
	Title   string   // one line
	Text    string   // what it is about, several lines; may be empty
	Choices []Choice // one is taken by its key; without any, a line of text is the answer
	Default string   // the key that Enter takes, or the text; "" takes none
	Free    bool     // a line of text is an answer too where there are choices
}

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
