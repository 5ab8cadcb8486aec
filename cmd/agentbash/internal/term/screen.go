package term

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/chat"
)

// Info is what the banner says.
type Info struct {
	Version string
	Model   string // "": the person is in its place
	Server  string // where the model is: "api.openai.com", "Ollama"
	Dir     string
	Notes   []string // a line each
}

// screen writes a session. It is used from one goroutine at a time.
type screen struct {
	out, err io.Writer
	width    func() int
	terminal bool

	clean   sanitizer
	midline bool // the last thing on out has no newline yet
	started time.Time
	usage   chat.Usage
}

func newScreen(o *Options, width func() int) *screen {
	return &screen{out: o.Out, err: o.Err, width: width}
}

func (s *screen) banner(o *Options, terminal bool) {
	s.terminal = terminal
	first := []string{strings.TrimSpace("agentbash " + o.Info.Version)}
	if o.Conversation == nil {
		first = append(first, "no model: you are at the keyboard in its place")
	} else {
		first = append(first, strings.TrimSuffix(o.Info.Model+" at "+o.Info.Server, " at "))
	}
	if o.Info.Dir != "" {
		first = append(first, o.Info.Dir)
	}
	s.line(safeLine(strings.Join(first, " - ")))
	if o.Conversation == nil {
		s.line("What you type runs exactly as a model's command would: bash; read, write, edit, grep, glob; field:server:tool.")
		s.line("To connect a model: export OPENAI_API_KEY, or name a server with --base-url and --model, or start Ollama,")
		s.line("LM Studio, llama.cpp or vLLM on this machine; then start agentbash again.")
	}
	if terminal {
		s.line("Ctrl-C stops what runs. Ctrl-D, or Ctrl-C twice, ends.")
	}
	for _, n := range o.Info.Notes {
		s.line(safeLine(n))
	}
}

func (s *screen) line(text string) { fmt.Fprintln(s.err, text) }

// note is a remark of our own.
func (s *screen) note(text string) {
	s.endLine()
	s.line("agentbash: " + safeLine(text))
}

// output shows what a typed command gave.
func (s *screen) output(text string) {
	s.say(safe(text))
	s.endLine()
}

// begin and end stand around a model's turn.
func (s *screen) begin() {
	s.started, s.usage, s.clean = time.Now(), chat.Usage{}, sanitizer{}
}

func (s *screen) end() {
	s.endLine()
	if s.terminal && s.usage != (chat.Usage{}) {
		cached := ""
		if s.usage.Cached > 0 {
			cached = fmt.Sprintf(" (%s cached)", thousands(s.usage.Cached))
		}
		s.line(fmt.Sprintf("  [%s tokens in%s, %s out, %s]", thousands(s.usage.Prompt), cached, thousands(s.usage.Completion), elapsed(time.Since(s.started))))
	}
}

// event shows what happens in a turn.
func (s *screen) event(e chat.Event) {
	switch e := e.(type) {
	case chat.Text:
		s.say(s.clean.clean(e.Delta))
	case chat.ToolCall:
		s.endLine()
		fmt.Fprint(s.err, "  $ "+clip(safeLine(e.Command), max(20, s.width()-40)))
	case chat.ToolResult:
		s.result(e)
	case chat.Retry:
		s.endLine()
		s.line(fmt.Sprintf("  [%s; trying again in %s]", safeLine(e.Reason), elapsed(e.Wait)))
	case chat.Usage:
		s.usage.Prompt += e.Prompt
		s.usage.Completion += e.Completion
		s.usage.Cached += e.Cached
	}
}

// result ends the line of a tool call with its outcome.
func (s *screen) result(r chat.ToolResult) {
	if r.Refused {
		s.endLine()
		s.line("  [refused: " + clip(safeLine(r.Output), max(40, s.width()-14)) + "]")
		return
	}
	state := "ok"
	switch {
	case r.Interrupted && r.Duration == 0:
		return // it never ran, and has no line
	case r.Interrupted:
		state = "interrupted"
	case r.ExitCode != 0:
		state = fmt.Sprintf("exit %d", r.ExitCode)
	}
	s.line(fmt.Sprintf("  [%s, %s, %s]", state, size(r.Output), elapsed(r.Duration)))
}

// say writes text that is safe already.
func (s *screen) say(text string) {
	if text == "" {
		return
	}
	io.WriteString(s.out, text)
	s.midline = !strings.HasSuffix(text, "\n")
}

func (s *screen) endLine() {
	if s.midline {
		io.WriteString(s.out, "\n")
		s.midline = false
	}
}

// size is how much output there is, in the words of a person.
func size(output string) string {
	n := strings.Count(strings.TrimSuffix(output, "\n"), "\n") + 1
	switch {
	case output == "(no output)":
		return "no output"
	case n == 1:
		return "1 line"
	}
	return thousands(n) + " lines"
}

func elapsed(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// clip shortens a line to a number of columns.
func clip(s string, columns int) string {
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
