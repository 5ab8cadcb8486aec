package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"
	xterm "golang.org/x/term"

	"github.com/agentbash/agentbash/agentbash/todo"
	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/safetext"
)

// Info is what the banner says.
type Info struct {
	Version string
	Model   string // "": the person is in its place
	Server  string // where the model is: "api.openai.com", "Ollama"
	Dir     string
	Notes   []string // a line each
}

// screen writes a session. Its exported-looking parts (event, note and the like)
// lock; what only they call does not.
type screen struct {
	out, err io.Writer
	size     func() (width, height int)
	terminal bool    // a person types
	canLive  bool    // what runs can be shown below the output
	look     palette // of what goes to err

	mu        sync.Mutex
	live      livePicture
	clean     safetext.Stream
	words     *markdown         // renders the model's words; nil: they are shown as they are
	thought   *layouter         // the reasoning that is being shown; nil: none
	spoke     time.Time         // when the last of the words came
	lineStart bool              // the cursor is in the first column
	midline   bool              // the last thing on out has no newline yet
	call      string            // the command whose line has no outcome yet
	callW     int               // columns of that line
	asked     map[string]string // commands by the id of their call
	outputs   []keptOutput
	started   time.Time
	usage     chat.Usage // of the turn
	total     chat.Usage // of the session
	status    statusLine
	todo      func() []todo.Item // nil: there is none
	steps     []todo.Item        // that were shown last
	question  string             // the text of the one that was shown last
	answer    strings.Builder    // the last words of the model
	used      int                // tokens of the model's window
	window    int
}

func newScreen(o *Options, in *input) *screen {
	s := &screen{out: o.Out, err: o.Err, terminal: in.terminal, todo: o.Todo, clean: onScreen(), asked: map[string]string{}}
	s.size = func() (int, int) { return 80, 24 }
	if in.tty != nil {
		s.size = in.tty.size
	}
	if o.Plain {
		return s
	}
	s.canLive = in.edit != nil && isTerminal(o.Err)
	s.look = newPalette(isTerminal(o.Err), o.Color, o.Theme)
	if isTerminal(o.Out) {
		s.words = &markdown{l: layouter{palette: newPalette(true, o.Color, o.Theme), width: s.width}}
	}
	return s
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && xterm.IsTerminal(int(f.Fd()))
}

func (s *screen) width() int {
	w, _ := s.size()
	return w
}

// banner is the beginning of a session.
func (s *screen) banner(o *Options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := []string{strings.TrimSpace("agentbash " + o.Info.Version)}
	if o.Conversation == nil {
		first = append(first, "no model: you are at the keyboard in its place")
	} else {
		first = append(first, strings.TrimSuffix(o.Info.Model+" at "+o.Info.Server, " at "))
	}
	if o.Info.Dir != "" {
		first = append(first, ShortPath(o.Info.Dir, o.Home))
	}
	s.wrapped(safeLine(strings.Join(first, " - ")))
	if o.Conversation == nil {
		s.wrapped("What you type runs exactly as a model's command would: bash; read, write, edit, grep, glob; field:server:tool.")
		s.wrapped("To connect a model: /connect; or export OPENAI_API_KEY, name a server with --base-url and --model, or start Ollama, LM Studio, llama.cpp or vLLM on this machine, and start agentbash again.")
	}
	if s.terminal {
		stop := "Esc or Ctrl-C stops"
		if o.Plain {
			stop = "Ctrl-C stops"
		}
		s.wrapped("/help lists the commands. " + stop + " what runs. Ctrl-D, or Ctrl-C twice, ends.")
	}
	for _, n := range o.Info.Notes {
		s.wrapped(safeLine(n))
	}
}

// wrapped is a line that a narrow terminal breaks between words.
func (s *screen) wrapped(text string) {
	if !s.terminal {
		s.line(text)
		return
	}
	l := layouter{width: s.width}
	l.text(text, 0)
	l.newline()
	s.writeSoon(s.err, l.take())
}

func (s *screen) line(text string) { s.writeSoon(s.err, text+"\n") }

// note is a remark of our own.
func (s *screen) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	s.wrapped("agentbash: " + safeLine(text))
}

// showAnswer is the answer to a slash command.
func (s *screen) showAnswer(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	s.page(text)
}

// showTyped shows what a typed command gave.
func (s *screen) showTyped(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeSafe(cleanText(text))
	s.endLine()
}

// begin and end stand around a model's turn.
func (s *screen) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started, s.usage = time.Now(), chat.Usage{}
	s.answer.Reset()
}

func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	if s.terminal && s.usage != (chat.Usage{}) {
		text := fmt.Sprintf("  [%s, %s; session %s]", usageText(s.usage), elapsedText(time.Since(s.started)), usageText(s.total))
		s.line(s.look.paint(text, dim))
	}
}

// showEvent shows what happens in a turn.
func (s *screen) showEvent(e chat.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case chat.Text:
		s.endThought()
		text := s.clean.Clean(e.Delta)
		s.answer.WriteString(text)
		if s.words != nil {
			text = s.words.feed(text)
			s.spoke = time.Now()
		}
		s.writeSafe(text)
	case chat.Reasoning:
		s.showReasoning(e.Delta)
	case chat.ToolCall:
		s.toolCall(e)
	case chat.Output:
		if s.live.on {
			s.live.tail.add(e)
			s.flush()
		}
	case chat.ToolResult:
		s.showResult(e)
	case chat.Retry:
		void := ""
		if e.Void {
			void = "; the reply begins anew"
		}
		s.remark(fmt.Sprintf("%s; trying again in %s%s", safeLine(e.Reason), elapsedText(e.Wait), void), yellow)
	case chat.Notice:
		s.remark(safeLine(e.Text), yellow)
	case chat.Compacted:
		s.remark(fmt.Sprintf("the conversation was shortened from about %s to %s tokens", groupThousands(e.Before), groupThousands(e.After)), yellow)
	case chat.Usage:
		s.usage, s.total = s.usage.Plus(e), s.total.Plus(e)
	}
}

// showReasoning shows reasoning, dimmed; where no person reads it is left out.
func (s *screen) showReasoning(delta string) {
	if !s.terminal || s.words == nil {
		return
	}
	if s.thought == nil {
		s.endLine()
		s.thought = &layouter{palette: s.look, width: s.width}
	}
	for i, part := range strings.Split(s.clean.Clean(delta), "\n") {
		if i > 0 {
			s.thought.newline()
		}
		s.thought.text(part, dim)
	}
	s.writeSoon(s.err, s.thought.take())
}

func (s *screen) endThought() {
	if s.thought != nil {
		s.thought.text(strings.TrimSuffix(s.clean.Rest(), "\n"), dim)
		s.thought.newline()
		s.writeSoon(s.err, s.thought.take())
		s.thought = nil
	}
}

// writeSafe writes text that is safe already.
func (s *screen) writeSafe(text string) {
	if text == "" {
		return
	}
	s.writeSoon(s.out, text)
	s.midline = !strings.HasSuffix(text, "\n")
}

// endLine ends whatever line is open, and shows what was held of it.
func (s *screen) endLine() {
	s.endThought()
	rest := s.clean.Rest()
	if s.words != nil {
		rest = s.words.feed(rest) + s.words.end()
	}
	s.writeSafe(rest)
	if s.midline {
		s.writeSoon(s.out, "\n")
		s.midline = false
	}
	if s.call != "" {
		s.call = ""
		s.writeSoon(s.err, "\n")
	}
}

func groupThousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", groupThousands(n/1000), n%1000)
}

// clipColumns shortens a line to a number of columns.
func clipColumns(s string, columns int) string {
	if uniseg.StringWidth(s) <= columns {
		return s
	}
	var b strings.Builder
	used, state := 0, -1
	for rest := s; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += w; used > columns-3 {
			break
		}
		b.WriteString(cluster)
	}
	return b.String() + "..."
}

// asWriter writes to Err, between what else is shown.
func (s *screen) asWriter() io.Writer { return screenWriter{s} }

type screenWriter struct{ s *screen }

// Write shows text that is safe already.
func (w screenWriter) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.endLine()
	w.s.writeSoon(w.s.err, string(p))
	return len(p), nil
}

// rows shows rows that are laid out already.
func (s *screen) rows(rows []string, st style) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	for _, r := range rows {
		if st != 0 {
			r = s.look.paint(r, st)
		}
		s.line(r)
	}
}
