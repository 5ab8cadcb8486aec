package term

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"
)

// input reads texts: edited on a terminal, else line by line. One goroutine
// reads, when it is asked to, so that a wait can be left.
type input struct {
	terminal   bool // In is a terminal
	edited     bool // and the editor is used
	fd         int
	out        io.Writer
	incomplete func(string) bool

	lines *bufio.Reader // where nothing is edited
	keys  *decoder
	text  buffer
	paint painter

	ask     chan string
	got     chan answer
	done    chan struct{}
	waiting bool // a line was asked for and has not come
	cooked  *xterm.State
}

type answer struct {
	text string
	err  error
}

func newInput(o *Options) *input {
	in := &input{out: o.Err, incomplete: o.Incomplete, ask: make(chan string), got: make(chan answer, 1), done: make(chan struct{})}
	if f, ok := o.In.(*os.File); ok && xterm.IsTerminal(int(f.Fd())) {
		in.terminal, in.fd = true, int(f.Fd())
		in.edited = !o.Plain
	}
	if in.edited {
		in.keys = newDecoder(o.In)
		in.paint = painter{out: o.Err, size: in.size}
	} else {
		in.lines = bufio.NewReader(o.In)
	}
	go in.serve()
	return in
}

// close ends the goroutine, unless it is stuck in a read.
func (in *input) close() {
	in.leaveRaw()
	close(in.ask)
	if !in.waiting {
		<-in.done
	}
}

// next waits for a text. errInterrupted is Ctrl-C, io.EOF the end of the input.
func (in *input) next(ctx context.Context, prompt string, interrupt <-chan os.Signal) (string, error) {
	if !in.waiting {
		if err := in.enterRaw(); err != nil {
			return "", err
		}
		in.waiting = true
		in.ask <- prompt
	} else if in.terminal && !in.edited {
		io.WriteString(in.out, prompt) // after an interrupt and its note
	}
	select {
	case a := <-in.got:
		in.waiting = false
		in.leaveRaw()
		return a.text, a.err
	case <-interrupt:
		// The read goes on: in the plain mode the terminal has dropped the line.
		return "", errInterrupted
	case <-ctx.Done():
		in.leaveRaw()
		return "", context.Cause(ctx)
	}
}

func (in *input) serve() {
	defer close(in.done)
	for prompt := range in.ask {
		var a answer
		if in.edited {
			a.text, a.err = in.edit(prompt)
		} else {
			a.text, a.err = in.read(prompt)
		}
		in.got <- a
	}
}

// read takes lines until they make a whole text. The last may lack its newline.
func (in *input) read(prompt string) (string, error) {
	var b strings.Builder
	for {
		if in.terminal {
			io.WriteString(in.out, prompt)
		}
		line, err := in.lines.ReadString('\n')
		b.WriteString(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		switch text := b.String(); {
		case err != nil && text == "":
			return "", err
		case errors.Is(err, io.EOF) || err == nil && in.whole(text):
			return text, nil
		case err != nil:
			return "", err
		}
		b.WriteByte('\n')
	}
}

// whole reports whether Enter ends a text.
func (in *input) whole(text string) bool {
	if slashes := len(text) - len(strings.TrimRight(text, `\`)); slashes%2 == 1 {
		return false
	}
	return in.incomplete == nil || !in.incomplete(text)
}

// edit reads one text with the editor.
func (in *input) edit(prompt string) (string, error) {
	in.text.start()
	io.WriteString(in.out, "\x1b[?2004h") // bracketed paste (xterm)
	defer io.WriteString(in.out, "\x1b[?2004l")
	for {
		if err := in.paint.paint(prompt, in.text.text, in.text.cursor); err != nil {
			return "", err
		}
		k, err := in.keys.next()
		if err != nil {
			in.paint.leave(prompt, in.text.text, "")
			return "", err
		}
		switch text := in.text.text; {
		case k.name == keyEnter && in.whole(text):
			in.text.remember(text)
			return text, in.paint.leave(prompt, text, "")
		case k.name == keyEnter:
			in.text.insert("\n")
		case k.name == keyInterrupt:
			if err := in.paint.leave(prompt, text, "^C"); err != nil {
				return "", err
			}
			return "", errInterrupted
		case k.name == keyEOF && text == "":
			in.paint.leave(prompt, text, "")
			return "", io.EOF
		case k.name == keyClear:
			if err := in.paint.clearScreen(); err != nil {
				return "", err
			}
		default:
			in.text.press(k)
		}
	}
}

// enterRaw makes the terminal pass every key on.
func (in *input) enterRaw() (err error) {
	if in.edited && in.cooked == nil {
		in.cooked, err = xterm.MakeRaw(in.fd)
	}
	return err
}

func (in *input) leaveRaw() {
	if in.cooked != nil {
		xterm.Restore(in.fd, in.cooked)
		in.cooked = nil
	}
}

// size is the terminal's, asked for anew since it changes, or a common one
// where it does not know (0 by 0 on a serial line).
func (in *input) size() (width, height int) {
	width, height, err := xterm.GetSize(in.fd)
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

func (in *input) width() int {
	if !in.terminal {
		return 80
	}
	w, _ := in.size()
	return w
}
