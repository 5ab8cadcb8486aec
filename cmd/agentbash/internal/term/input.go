package term

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"
)

// input reads texts: edited on a terminal, else line by line.
type input struct {
	terminal bool // In is a terminal
	out      io.Writer
	resize   <-chan os.Signal

	tty   *terminal // nil where there is none
	lines *lines    // where nothing is edited
	keys  *keyboard // where something is
	edit  *editor

	queue []string // typed while something ran

	attaches func(key) (out key, note string) // makes of a key what it puts into the text

	questions <-chan *pending // nil: nobody asks
	question  *pending        // came while a text was waited for
	note      string          // is to be shown
	news      <-chan struct{} // there is something to tell
}

// These end the wait for a text: something else comes first.
var (
	errQuestion = errors.New("a question")
	errNews     = errors.New("something to tell")
	errNote     = errors.New("a note")
)

func newInput(o *Options) (*input, error) {
	in := &input{out: o.Err, resize: o.Resize}
	whole := func(text string) bool { return isWholeText(text, o.Incomplete) }
	f, ok := o.In.(*os.File)
	if ok && xterm.IsTerminal(int(f.Fd())) {
		in.terminal, in.tty = true, &terminal{fd: int(f.Fd())}
	}
	if !in.terminal || o.Plain {
		var src *source
		var err error
		if in.terminal {
			src, err = newSource(in.tty.fd)
		}
		if err == nil {
			in.lines = newLines(o.In, src, in.out, whole)
		}
		return in, err
	}
	if isTerminal(o.Err) {
		in.tty.out = o.Err
	}
	in.edit = &editor{whole: whole, paint: painter{out: o.Err, size: in.tty.size}}
	var err error
	in.keys, err = newKeyboard(in.tty.fd)
	return in, err
}

// close leaves the terminal as it was.
func (in *input) close() {
	if in.keys != nil {
		in.keys.close()
	}
	if in.lines != nil {
		in.lines.close()
	}
	in.restore()
}

// restore is for the time that another program has the terminal, and the end.
func (in *input) restore() {
	if in.tty != nil {
		in.tty.restore()
	}
}

// next waits for a text. errInterrupted is Ctrl-C, io.EOF the end of the input,
// errQuestion a question, a keyName what a key asks of the session.
func (in *input) next(ctx context.Context, prompt string, interrupt <-chan os.Signal) (text string, err error) {
	if in.lines != nil {
		text, in.question, err = in.lines.next(ctx, prompt, interrupt, in)
		return text, err
	}
	if err := in.tty.raw(); err != nil {
		return "", err
	}
	if len(in.queue) > 0 {
		text := in.queue[0]
		in.queue = in.queue[1:]
		_, err := io.WriteString(in.out, prompt+strings.ReplaceAll(cleanText(text), "\n", "\n"+strings.Repeat(" ", len(prompt)))+"\n")
		return text, err
	}
	in.keys.start()
	return in.editLine(ctx, prompt, interrupt)
}

// editLine reads one text with the editor.
func (in *input) editLine(ctx context.Context, prompt string, interrupt <-chan os.Signal) (string, error) {
	e := in.edit
	if err := e.begin(prompt); err != nil {
		return "", err
	}
	for {
		var done bool
		var text string
		var err error
		select {
		case k := <-in.keys.keys:
			var note string
			if k, note = in.attaches(k); note != "" {
				in.note = note
				return "", e.hidePrompt(errNote)
			}
			text, done, err = e.press(k)
		case <-in.resize:
			err = e.show() // on a screen of another width
		case <-interrupt:
			return "", e.leave("^C", errInterrupted)
		case <-ctx.Done():
			return "", e.leave("", context.Cause(ctx))
		case err := <-in.keys.ended:
			return "", e.leave("", err)
		case in.question = <-in.questions:
			return "", e.hidePrompt(errQuestion)
		case <-in.news:
			return "", e.hidePrompt(errNews)
		}
		if done || err != nil {
			return text, err
		}
	}
}

// typeAhead takes a key that was pressed while something runs. stop: it is to end.
func (in *input) typeAhead(k key) (stop bool) {
	b := &in.edit.text
	switch k.name {
	case keyInterrupt, keyEscape:
		in.takeBack()
		return true
	case keyEnter:
		if strings.TrimSpace(b.text) != "" && in.edit.whole(b.text) {
			in.edit.remember(b.text)
			in.queue = append(in.queue, b.text)
			b.start()
			return false
		}
		b.insert("\n")
	case keyEOF:
		if b.text != "" {
			b.press(k)
		}
	default:
		b.press(k)
	}
	in.edit.kept = b.text != ""
	return false
}

// takeBack makes what was queued the text that is edited: after a stop, the
// person decides anew.
func (in *input) takeBack() {
	b := &in.edit.text
	if len(in.queue) == 0 {
		return
	}
	if b.text != "" {
		in.queue = append(in.queue, b.text)
	}
	b.start()
	b.insert(strings.Join(in.queue, "\n"))
	in.queue, in.edit.kept = nil, true
}
