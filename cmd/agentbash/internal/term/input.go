package term

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

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

	script   []string // what is typed by itself
	scripted bool

	attaches func(key) (out key, note string) // makes of a key what it puts into the text

	concerns func(ctx context.Context, k key) bool // takes a key that is for the session
	atOnce   func(text string) bool                // takes a text that need not wait for what runs
	repaint  chan struct{}                         // there is something else to see below the prompt

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
	in := &input{out: o.Err, resize: o.Resize, repaint: make(chan struct{}, 1)}
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
	in.keys, err = newKeyboard(in.tty.fd, o.Keys)
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
	in.keys.start()
	if len(in.queue) > 0 {
		text := in.queue[0]
		in.queue = in.queue[1:]
		return text, in.edit.paint.leave(prompt, text, "")
	}
	if in.scripted {
		return in.typeScript(ctx, prompt, interrupt)
	}
	return in.editLine(ctx, prompt, interrupt)
}

// How fast a script is typed.
const (
	scriptKey  = 30 * time.Millisecond
	scriptWait = time.Second // before a text, and before Enter
)

// typeScript types the next text as a person would.
func (in *input) typeScript(ctx context.Context, prompt string, interrupt <-chan os.Signal) (string, error) {
	if len(in.script) == 0 {
		return "", io.EOF
	}
	e, text := in.edit, in.script[0]
	in.script = in.script[1:]
	if err := e.begin(prompt); err != nil {
		return "", err
	}
	in.keys.start()
	wait := scriptWait
	for typed := 0; ; {
		select {
		case <-time.After(wait):
		case k := <-in.keys.keys:
			if k.name == keyInterrupt || k.name == keyEscape || k.name == keyEOF {
				return "", e.leave("", io.EOF)
			}
			continue
		case <-in.keys.ended:
			return "", e.leave("", io.EOF)
		case <-interrupt:
			return "", e.leave("^C", io.EOF)
		case <-ctx.Done():
			return "", e.leave("", context.Cause(ctx))
		}
		if typed == len(text) {
			return text, e.leave("", nil)
		}
		_, size := utf8.DecodeRuneInString(text[typed:])
		e.text.insert(text[typed : typed+size])
		if typed, wait = typed+size, scriptKey; typed == len(text) {
			wait = scriptWait
		}
		if err := e.show(); err != nil {
			return "", err
		}
	}
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
			if in.concerns(ctx, k) {
				err = e.show()
				break
			}
			var note string
			if k, note = in.attaches(k); note != "" {
				in.note = note
				return "", e.hidePrompt(errNote)
			}
			text, done, err = e.press(k)
		case <-in.resize:
			err = e.show() // on a screen of another width
		case <-in.repaint:
			err = e.refresh()
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
	if in.edit.typed(k) {
		in.edit.kept = b.text != ""
		return false
	}
	switch k.name {
	case keyInterrupt, keyEscape:
		in.takeBack()
		return true
	case keyEnter:
		if strings.TrimSpace(b.text) != "" && in.edit.whole(b.text) {
			in.edit.remember(b.text)
			if !in.atOnce(b.text) {
				in.queue = append(in.queue, b.text)
			}
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

// pokeRepaint has what is below the prompt shown anew, by whoever waits there.
func (in *input) pokeRepaint() {
	select {
	case in.repaint <- struct{}{}:
	default:
	}
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
