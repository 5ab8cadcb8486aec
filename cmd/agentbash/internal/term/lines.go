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
	src    *source // the terminal; nil: a pipe, whose read cannot be taken back
	out    io.Writer
	prompt bool // is shown
	whole  func(string) bool
	begun  strings.Builder // lines of a text that is not whole; the reading goroutine's

	queue   []string // typed before they were asked for
	ask     chan string
	got     chan answer
	done    chan struct{}
	waiting bool // a line was asked for and has not come
}

type answer struct {
	text string
	err  error
}

func newLines(r io.Reader, src *source, out io.Writer, whole func(string) bool) *lines {
	l := &lines{r: bufio.NewReader(r), src: src, out: out, prompt: src != nil, whole: whole,
		ask: make(chan string), got: make(chan answer, 1), done: make(chan struct{})}
	if src != nil {
		l.r = bufio.NewReader(src)
	}
	go l.serve()
	return l
}

// close ends the goroutine, unless it is stuck in the read of a pipe.
func (l *lines) close() {
	close(l.ask)
	if l.src != nil {
		l.src.takeBack()
		<-l.done
		l.src.close()
	} else if !l.waiting {
		<-l.done
	}
}

// next waits for a text; errQuestion is a question that comes first, errNews
// something to tell.
func (l *lines) next(ctx context.Context, prompt string, interrupt <-chan os.Signal, in *input) (string, *pending, error) {
	if len(l.queue) > 0 {
		text := l.queue[0]
		l.queue = l.queue[1:]
		_, err := io.WriteString(l.out, prompt+cleanText(text)+"\n")
		return text, nil, err
	}
	if !l.waiting {
		l.waiting = true
		l.ask <- prompt
	} else if l.prompt {
		io.WriteString(l.out, prompt) // after an interrupt and its note
	}
	select {
	case a := <-l.got:
		l.waiting = false
		return a.text, nil, a.err
	case <-interrupt:
		// The terminal has dropped the line, and what was begun goes with it.
		if l.takeBack() {
			l.begun.Reset()
		}
		return "", nil, errInterrupted
	case p := <-in.questions:
		l.takeBack()
		io.WriteString(l.out, "\n")
		return "", p, errQuestion
	case <-in.news:
		l.takeBack()
		io.WriteString(l.out, "\n")
		return "", nil, errNews
	case <-ctx.Done():
		return "", nil, context.Cause(ctx)
	}
}

// takeBack ends the wait for a line; false: it goes on, or the line has come
// already and will be the next.
func (l *lines) takeBack() bool {
	if l.src == nil {
		return false
	}
	l.src.takeBack()
	a := <-l.got
	l.src.rearmCancel()
	if l.waiting = !errors.Is(a.err, errPaused); l.waiting {
		l.got <- a
	}
	return !l.waiting
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
	for {
		if l.prompt {
			io.WriteString(l.out, prompt)
		}
		line, err := l.r.ReadString('\n')
		l.begun.WriteString(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		text := l.begun.String()
		if errors.Is(err, errPaused) {
			return "", err
		}
		if err != nil || l.whole(text) {
			l.begun.Reset()
		}
		switch {
		case err != nil && text == "":
			return "", err
		case errors.Is(err, io.EOF) || err == nil && l.whole(text):
			return text, nil
		case err != nil:
			return "", err
		}
		l.begun.WriteByte('\n')
	}
}

// isWholeText reports whether Enter ends a text.
func isWholeText(text string, incomplete func(string) bool) bool {
	if slashes := len(text) - len(strings.TrimRight(text, `\`)); slashes%2 == 1 {
		return false
	}
	return incomplete == nil || !incomplete(text)
}
