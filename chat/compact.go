package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"github.com/agentbash/agentbash/chat/transcript"
)

// maxCompactions bounds the tries to make a request fit. Each leaves less of it.
const maxCompactions = 6

// makeRoom compacts after the server refused the conversation as too long. It
// reports whether another request makes sense.
func (c *Conversation) makeRoom(ctx context.Context, t *turn, err error) bool {
	var e *Error
	if !errors.As(err, &e) || !e.tooLong {
		return false
	}
	limit, sent := e.refusal.tokens()
	if sent > limit {
		c.size.used, c.size.at = sent, len(c.messages)
	}
	c.noteFull(limit)
	if before := c.brief; before != c.fitPrompt() {
		return c.syncJournal() == nil
	}
	for t.compactions < maxCompactions {
		if t.compactions++; c.shortenHistory(ctx, t.compactions) {
			return c.syncJournal() == nil
		}
	}
	return false
}

// noteFull notes that the window is as large as limit, or, where that is 0, no larger than the
// conversation.
func (c *Conversation) noteFull(limit int) {
	if estimate := c.size.estimate(c.messages); limit == 0 && (c.size.window == 0 || c.size.window > estimate) {
		limit = estimate
	}
	if limit > 0 {
		c.size.window = limit
	}
}

// Compact makes room now, whether the window is full or not.
func (c *Conversation) Compact(ctx context.Context) error {
	before := c.size
	if c.size.window == 0 {
		c.size.window = c.size.estimate(c.messages)
	}
	c.size.window = min(c.size.window, c.size.estimate(c.messages))
	ok := c.shortenHistory(ctx, 1)
	c.size.window = before.window
	if !ok {
		return &Error{Exit: ExitUsage, Text: "there is nothing that could be left out yet"}
	}
	return c.syncJournal()
}

// shortenHistory shortens the conversation. Outputs of tools go first, the oldest
// before the newer; then what came before the last turns becomes a summary. The
// text of the last turns stays. It reports whether anything became shorter.
func (c *Conversation) shortenHistory(ctx context.Context, try int) bool {
	before := c.size.estimate(c.messages)
	// What the server counted is the measure; our own weights are scaled to it.
	ours := toolTokens + estimateTokens(c.messages)
	window := c.size.window * ours / max(ours, before) / try
	ms := slices.Clone(c.messages)
	c.dropOutputs(ms, window/2, try)
	if toolTokens+estimateTokens(ms) > window*7/10 {
		ms = c.dropTurns(ctx, ms, window/3, try)
	}
	if estimateTokens(ms) >= estimateTokens(c.messages) {
		return false
	}
	rec := transcript.Record{Type: transcript.TypeCompact}
	for _, m := range ms[c.countSystem():] {
		rec.Messages = append(rec.Messages, c.keepable(&m))
	}
	c.addRecord(rec)
	c.size.forget()
	c.opts.Events(Compacted{Before: before, After: c.size.estimate(c.messages)})
	return true
}

// keepable is a message as a compaction records it: with its model, where that is
// not the one that answers now.
func (c *Conversation) keepable(m *message) transcript.Record {
	rec := m.rec
	if rec.Model = ""; !c.isOwn(m) {
		rec.Model = m.by
	}
	return rec
}

// The outputs of the last calls are what the model works with just now, so the
// first try leaves them alone.
const freshOutputs = 3

const shortOutput = 400 // bytes: not worth a stub

// dropOutputs replaces outputs by stubs until target is reached. What is left of the newest
// is a part of the window.
func (c *Conversation) dropOutputs(ms []message, target, try int) {
	var outputs []int
	for i, m := range ms {
		if m.Role == openai.ChatMessageRoleTool && len(m.Content) > shortOutput {
			outputs = append(outputs, i)
		}
	}
	if try == 1 {
		outputs = outputs[:max(0, len(outputs)-freshOutputs)]
	}
	for n, i := range outputs {
		if toolTokens+estimateTokens(ms) <= target {
			return
		}
		keep := stubHead
		if n == len(outputs)-1 && i == len(ms)-1 {
			keep = max(keep, target*bytesPerToken/outputPart)
		}
		rec := ms[i].rec
		rec.Output = c.shortenOutput(rec.Output, keep)
		ms[i].rec, ms[i].Content = rec, rec.Output
	}
}

var spilled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`full_output="([^"]+)"`) })

const stubHead = 120 // bytes of an output that its stub has, of the first line

// shortenOutput stands for an output: its beginning, and where the whole is.
func (c *Conversation) shortenOutput(output string, keep int) string {
	head := strings.TrimSpace(output)
	if keep == stubHead {
		head, _, _ = strings.Cut(head, "\n")
	}
	if len(head) > keep {
		head = strings.ToValidUTF8(head[:keep], "") + "..."
	}
	if len(head)+shortOutput > len(output) {
		return output
	}
	path := ""
	if m := spilled().FindStringSubmatch(output); m != nil {
		path = m[1]
	} else if c.opts.Spill != nil {
		path, _ = c.opts.Spill(output) // without the file the stub says less
	}
	next := "run the command again to see it"
	if path != "" {
		next = c.opts.Settings.ReadFile + " " + path
	}
	return fmt.Sprintf("%s\n<system_hint type=\"tool_output_omitted\" tool=\"bash\" reason=\"context_full\" actual_chars=\"%d\" full_output=%q>%s</system_hint>", head, len(output), path, next)
}

// dropTurns replaces what comes before the last turns by a summary.
func (c *Conversation) dropTurns(ctx context.Context, ms []message, budget, try int) []message {
	head := c.countSystem()
	cut := tailStart(ms, head, budget)
	if cut <= head {
		return ms
	}
	text := ""
	if try == 1 {
		text = c.summarizeMessages(ctx, ms[:cut])
	}
	if text == "" {
		text = listMessages(ms[head:cut])
	}
	text = "[The conversation before this point was left out to save room. What happened, in short:]\n" + text
	midTurn := ms[cut].rec.Type != transcript.TypeUser
	if midTurn {
		text += "\n\n" + lastTexts(ms[head:cut])
	}
	out := slices.Clone(ms[:head])
	add := func(r transcript.Record) {
		keep := c.messages
		c.messages = nil
		c.appendMessage(r)
		out = append(out, c.messages...)
		c.messages = keep
	}
	add(transcript.Record{Type: transcript.TypeUser, Text: text})
	if !midTurn {
		add(transcript.Record{Type: transcript.TypeAssistant, Text: "I go on from there."})
	}
	return append(out, ms[cut:]...)
}

// tailStart is where the part begins that is kept: the last two turns if they
// fit the budget, else the last, else the end of it.
func tailStart(ms []message, head, budget int) int {
	turns := 0
	best := -1
	for i := len(ms) - 1; i >= head && turns < 2; i-- {
		if ms[i].rec.Type == transcript.TypeUser {
			if turns++; estimateTokens(ms[i:]) <= budget || turns == 1 && i == len(ms)-1 {
				best = i
			}
		}
	}
	if best >= 0 {
		return best
	}
	// An assistant's message with calls and their results stay together.
	for i := len(ms) - 1; i > head; i-- {
		if ms[i].Role == openai.ChatMessageRoleAssistant {
			if best >= 0 && estimateTokens(ms[i:]) > budget {
				break
			}
			best = i
		}
	}
	return best
}

// summaryPrompt asks for what the next steps need.
const summaryPrompt = `The conversation has become too long for the context window. Write the summary from which you will go on, as plain text, without calling a tool: what was asked for, in the user's own words where they matter; what was decided and why; which files were read or changed and what matters in them; which commands matter and what came of them; what remains to be done. At most 800 words.`

// summarizeMessages has the model sum up the messages; "" when it does not.
func (c *Conversation) summarizeMessages(ctx context.Context, ms []message) string {
	keep, size := c.messages, c.size
	c.summarizing = true
	defer func() { c.messages, c.size, c.summarizing = keep, size, false }()
	c.messages = slices.Clone(ms)
	if last := ms[len(ms)-1]; last.Role == openai.ChatMessageRoleUser {
		c.messages = c.messages[:len(ms)-1]
	}
	c.appendMessage(transcript.Record{Type: transcript.TypeUser, Text: summaryPrompt})
	r, err := c.requestReply(ctx)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(r.text.String())
}

// listMessages is a summary without a model: the prompts and the commands.
func listMessages(ms []message) string {
	var b strings.Builder
	for _, m := range ms {
		switch {
		case m.rec.Type == transcript.TypeUser:
			fmt.Fprintf(&b, "The user: %s\n", clipMiddle(m.rec.Text, 2000))
		case m.Role == openai.ChatMessageRoleAssistant && m.Content != "":
			fmt.Fprintf(&b, "You: %s\n", clipMiddle(m.Content, 300))
		}
		for _, call := range m.ToolCalls {
			fmt.Fprintf(&b, "You ran: %s\n", clipMiddle(call.Function.Arguments, 200))
		}
	}
	return clipMiddle(b.String(), 12000)
}

// lastTexts is what was said in the turn that is cut in two, word for word.
func lastTexts(ms []message) string {
	from := 0
	for i, m := range ms {
		if m.rec.Type == transcript.TypeUser {
			from = i
		}
	}
	var b strings.Builder
	b.WriteString("The present task, in the user's words:\n" + ms[from].rec.Text)
	for _, m := range ms[from+1:] {
		if m.Role == openai.ChatMessageRoleAssistant && m.Content != "" {
			b.WriteString("\n\nYou said:\n" + m.Content)
		}
	}
	return b.String()
}

// clipMiddle keeps the two ends of a text.
func clipMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n/2], "") + "\n[...]\n" + strings.ToValidUTF8(s[len(s)-n/2:], "")
}

// SpillTo makes an Options.Spill that keeps each text in a file of its own in
// dir, which is made with mode 0700 when it is first needed.
func SpillTo(dir string) func(string) (string, error) {
	return func(text string) (string, error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		f, err := os.CreateTemp(dir, "context-*.txt")
		if err != nil {
			return "", err
		}
		_, err = io.WriteString(f, text)
		return f.Name(), errors.Join(err, f.Close())
	}
}
