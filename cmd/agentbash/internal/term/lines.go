package term

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
)

// lines reads texts line by line: from a pipe, or from a terminal with its own
// editing. One goroutine reads, when it is asked to, so that a wait can be left.
type lines struct {
	r      *bufio.Reader
	out    io.Writer
	prompt bool // is shown
	whole  func(string) bool

	ask     chan string
	got     chan answer
	done    chan struct{}
	waiting bool // a line was asked for and has not come
}

type answer struct {
	text string
	err  error
}

func newLines(r io.Reader, out io.Writer, prompt bool, whole func(string) bool) *lines {
	l := &lines{r: bufio.NewReader(r), out: out, prompt: prompt, whole: whole,
		ask: make(chan string), got: make(chan answer, 1), done: make(chan struct{})}
	go l.serve()
	return l
}

// close ends the goroutine, unless it is stuck in a read.
func (l *lines) close() {
	close(l.ask)
	if !l.waiting {
		<-l.done
	}
}

func (l *lines) next(ctx context.Context, prompt string, interrupt <-chan os.Signal) (string, error) {
	if !l.waiting {
		l.waiting = true
		l.ask <- prompt
	} else if l.prompt {
		io.WriteString(l.out, prompt) // after an interrupt and its note
	}
	select {
	case a := <-l.got:
		l.waiting = false
		return a.text, a.err
	case <-interrupt:
		// The read goes on: the terminal has dropped the line.
		return "", errInterrupted
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (l *lines) serve() {
	defer close(l.done)
	for prompt := range l.ask {
		var a answer
		a.text, a.err = l.read(prompt)
		l.got <- a
	}
}

// read takes lines until they make a whole text. The last may lack its newline.
func (l *lines) read(prompt string) (string, error) {
	var b strings.Builder
	for {
		if l.prompt {
			io.WriteString(l.out, prompt)
		}
		line, err := l.r.ReadString('\n')
		b.WriteString(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		switch text := b.String(); {
		case err != nil && text == "":
			return "", err
		case errors.Is(err, io.EOF) || err == nil && l.whole(text):
			return text, nil
		case err != nil:
			return "", err
		}
		b.WriteByte('\n')
	}
}

// whole reports whether Enter ends a text.
func whole(text string, incomplete func(string) bool) bool {
	if slashes := len(text) - len(strings.TrimRight(text, `\`)); slashes%2 == 1 {
		return false
	}
	return incomplete == nil || !incomplete(text)
}
