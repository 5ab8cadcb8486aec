package term

import (
	"fmt"
	"io"
	"strings"
)

// editor is the text at the prompt and what the keys do to it.
type editor struct {
	text    buffer
	kept    bool // the text was typed before the prompt came
	paint   painter
	prompt  string
	whole   func(string) bool
	escaped bool              // Esc came last
	save    func(line string) // keeps a line of the history; may be nil

	complete func(text string, cursor int) completion // may be nil
	finding  *historySearch                           // Ctrl-R was pressed
	vim      vim

	offer func(text string, cursor int) completion // what is offered while the text is typed; may be nil
	menu  menu
}

// begin shows the prompt, with what was typed ahead of it.
func (e *editor) begin(prompt string) error {
	if !e.kept {
		e.text.start()
	}
	e.kept, e.prompt, e.finding, e.menu = false, prompt, nil, menu{}
	return e.show()
}

func (e *editor) show() error {
	if f := e.finding; f != nil {
		return e.paint.paint(f.prompt(), e.text.text, e.text.cursor)
	}
	return e.paint.paint(e.prompt, e.text.text, e.text.cursor)
}

// leave ends the editing with an error, which it returns.
func (e *editor) leave(mark string, err error) error {
	if perr := e.paint.leave(e.prompt, e.text.text, mark); perr != nil {
		return perr
	}
	return err
}

// hidePrompt takes the prompt off the screen; the text is there again with the next.
func (e *editor) hidePrompt(err error) error {
	var b strings.Builder
	e.paint.home(&b)
	e.paint.col, e.paint.rows = 0, e.paint.rows[:0]
	e.kept = true
	if _, werr := io.WriteString(e.paint.out, b.String()); werr != nil {
		return werr
	}
	return err
}

// remember adds a line to the history.
func (e *editor) remember(line string) {
	if e.text.remember(line) && e.save != nil {
		e.save(line)
	}
}

// asked is a key's request that the session answers; the text is kept.
type asked keyName

func (a asked) Error() string { return string(a) }

// press does what a key asks for. done: the text is whole.
func (e *editor) press(k key) (text string, done bool, err error) {
	if e.finding != nil && e.find(k) || e.menuKey(k) || e.typed(k) {
		return "", false, e.show()
	}
	text, e.menu = e.text.text, menu{}
	twice := k.name == keyEscape && e.escaped && text == ""
	e.escaped = k.name == keyEscape && !twice
	switch {
	case k.name == keyEnter && e.whole(text):
		e.remember(text)
		err := e.leave("", nil)
		e.text.start()
		e.vim.command = false
		return text, true, err
	case k.name == keyInterrupt:
		err := e.leave("^C", errInterrupted)
		e.text.start()
		return "", true, err
	case k.name == keyEOF && text == "":
		return "", true, e.leave("", io.EOF)
	case k.name == keyEditor || k.name == keyOutput || k.name == keySuspend:
		e.kept = true
		return "", true, e.leave("", asked(k.name))
	case twice:
		return "", true, e.leave("", asked(k.name))
	}
	if err := e.edit(k); err != nil {
		return "", false, err
	}
	return "", false, e.show()
}

// edit does what a key means to a text that goes on.
func (e *editor) edit(k key) error {
	switch k.name {
	case keyEscape:
	case keyEnter:
		e.text.insert("\n")
	case keyClear:
		return e.paint.clearScreen()
	case keyTab:
		return e.tab()
	case keySearch:
		e.finding = &historySearch{at: len(e.text.history), before: e.text.text, cursor: e.text.cursor}
	default:
		e.text.press(k)
		if e.offer != nil && (k.name == "" || k.name == keyBackspace) {
			e.menu = menu{open: true, completion: e.offer(e.text.text, e.text.cursor), chosen: -1}
		}
	}
	return nil
}

// typed has vim take a key, whether something runs or not.
func (e *editor) typed(k key) bool {
	was := bufferState{e.text.text, e.text.cursor}
	if !e.vim.press(&e.text, k) {
		return false
	}
	if k.name != "" || k.text != "u" {
		e.text.keep(was)
	}
	return true
}

// historySearch is a search through the history, as Ctrl-R is in bash.
type historySearch struct {
	query  string
	at     int    // index of what is shown; the history's length: nothing yet
	failed bool   // nothing older holds the query
	before string // what was edited
	cursor int
}

func (f *historySearch) prompt() string {
	if f.failed {
		return fmt.Sprintf("(nothing older with '%s') ", f.query)
	}
	return fmt.Sprintf("(search '%s') ", f.query)
}

// find takes a key during a search. false: the key ends it and is meant for the
// text that was found.
func (e *editor) find(k key) bool {
	f := e.finding
	switch k.name {
	case "", keyPaste:
		f.query += k.text
		e.older(min(f.at, len(e.text.history)-1))
	case keyBackspace:
		if f.query != "" {
			b := buffer{text: f.query, cursor: len(f.query)}
			b.press(k)
			f.query = b.text
		}
		e.older(len(e.text.history) - 1)
	case keySearch:
		e.older(f.at - 1)
	case keyEscape, keyEditor, keyInterrupt: // Ctrl-G is Emacs's way out
		e.text.text, e.text.cursor = f.before, f.cursor
		e.finding = nil
	default:
		e.finding = nil
		return false
	}
	return true
}

// older shows the newest line with the query, from an index down.
func (e *editor) older(from int) {
	f := e.finding
	for i := from; i >= 0 && f.query != ""; i-- {
		if at := strings.LastIndex(e.text.history[i], f.query); at >= 0 {
			f.at, f.failed = i, false
			e.text.text, e.text.cursor = e.text.history[i], at
			return
		}
	}
	f.failed = f.query != ""
}

// tab completes what stands before the cursor, or shows what it may become.
func (e *editor) tab() error {
	if e.complete == nil {
		return nil
	}
	c := e.complete(e.text.text, e.text.cursor)
	if len(c.options) == 0 {
		return nil
	}
	typed := e.text.text[c.from:e.text.cursor]
	common := commonPrefix(c.options)
	if len(c.options) == 1 && !strings.HasSuffix(common, "/") && !strings.HasSuffix(common, ":") {
		common += " "
	}
	if len(common) > len(typed) && !strings.EqualFold(common, typed) {
		e.text.remove(c.from, e.text.cursor)
		e.text.insert(common)
		return nil
	}
	if len(c.options) == 1 {
		return nil
	}
	if err := e.paint.leave(e.prompt, e.text.text, ""); err != nil {
		return err
	}
	width, height := e.paint.size()
	_, err := io.WriteString(e.paint.out, inColumns(c.options, width, max(height-4, 4)))
	return err
}
