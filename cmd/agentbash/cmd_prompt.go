package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// runPrompt is agentbash -p: one turn, its answer on stdout. It never waits for
// a person.
func (s *openedChat) runPrompt(ctx context.Context, run *batchRun) int {
	a, b, c := s.a, s.b, s.c
	ctx, stop := interruptContext(ctx)
	defer stop()
	if limit := s.maxTime(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, chat.OutOfTime(limit, chatSettings.MaxTime))
		defer cancel()
	}
	schema, err := readSchema(c.schema)
	if err != nil {
		return a.usageError("chat", err)
	}
	next, err := a.readRounds(ctx, b, c, run)
	if err != nil {
		return a.reportError(err)
	}
	file, err := c.openOutput()
	if err != nil {
		return a.reportError(err)
	}
	defer file.Close()
	opts, err := s.modelOptions(ctx)
	if err != nil {
		return a.reportError(err)
	}
	opts.Budget.Add(run.past.usage.Cost)
	r := &report{a: a, format: c.format, opts: opts, dir: b.Router().Dir(), mode: b.Guard().Mode(), run: run, schema: schema, file: file}
	if c.format == "stream-json" {
		if r.missing, err = b.Confinement().Missing(); err != nil {
			return a.reportError(err)
		}
	}
	opts.Events, opts.Unattended = r.writeEvent, true
	b.Start()
	conv := chat.New(opts)
	if !c.noSession && c.replay == "" {
		s.transcript.createNow() // so that the first event has the ID; Append says what went wrong
	}
	if err := run.begin(ctx, b.Router().Dir(), s.transcript.id()); err != nil {
		return a.reportError(err)
	}
	r.init(s.transcript.id())
	return s.answerRounds(ctx, conv, r, next)
}

// answerRounds writes a result for the prompts that come together, until no more come.
func (s *openedChat) answerRounds(ctx context.Context, conv *chat.Conversation, r *report, next func() ([]chat.Prompt, error)) (status int) {
	for {
		prompts, err := next()
		if err == io.EOF {
			return status
		}
		r.begin(conv)
		if err == nil {
			err = r.sendPrompts(ctx, conv, prompts)
		}
		if werr := s.c.writeOutput(r.file, r.answer); werr != nil {
			err = errors.Join(err, werr)
		}
		if ended := r.writeResult(ctx, s.transcript.id(), conv, err); ended != exitOK {
			status = ended
		}
		if prompts == nil || ctx.Err() != nil {
			return status
		}
	}
}

// sendPrompts sends the prompts of one result.
func (r *report) sendPrompts(ctx context.Context, conv *chat.Conversation, prompts []chat.Prompt) (err error) {
	for _, p := range prompts {
		if r.run.past.answered() {
			r.answer = r.run.past.answer
			break
		}
		if r.opts.HTTPClient != nil {
			r.writePrompt(p.Text)
		}
		p.Text = r.schema.askFor(p.Text)
		if r.answer, err = conv.Send(ctx, p); err != nil {
			return err
		}
	}
	if r.schema == nil {
		return nil
	}
	return r.schema.askAgain(ctx, conv, r)
}

// goOnPrompt is sent where a session goes on without a prompt.
const goOnPrompt = "Go on with what was interrupted."

// readPrompts are what is asked: the prompt with what stdin brings, or those of a recording.
func (a *app) readPrompts(ctx context.Context, b *configuredBash, c *chatFlags, run *batchRun) ([]string, error) {
	if !c.hasPrompt {
		return replayPrompts(c.replay)
	}
	if run.past.asked {
		return []string{goOnPrompt}, nil
	} else if run.taskFile != "" {
		return []string{c.prompt}, nil
	}
	piped, err := a.readPiped(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case c.bare && strings.TrimSpace(piped) != "":
		return []string{piped}, nil
	case c.bare && (c.goOn || c.resume != ""):
		return []string{goOnPrompt}, nil
	case c.bare:
		return nil, &registry.UsageError{Problems: []string{"the prompt is empty: agentbash -p 'what to do'"}}
	case c.prompt == "-" && strings.TrimSpace(piped) == "":
		return nil, &registry.UsageError{Problems: []string{"-p - takes the prompt from stdin, and stdin is empty: agentbash -p - < FILE"}}
	case c.prompt == "-":
		return []string{piped}, nil
	case strings.TrimSpace(piped) == "":
		return []string{c.prompt}, nil
	}
	return []string{c.prompt + "\n\n" + a.promptContext(b, piped)}, nil
}

// maxPiped is how much of stdin stands in the prompt; more is in a file.
const maxPiped = 100_000

func (a *app) promptContext(b *configuredBash, piped string) string {
	if len(piped) <= maxPiped {
		return "<stdin>\n" + strings.TrimSuffix(piped, "\n") + "\n</stdin>"
	}
	head := strings.ToValidUTF8(piped[:maxPiped/5], "")
	path, err := chat.SpillTo(b.cfg.Dirs.State + "/outputs")(piped)
	if err != nil {
		path = ""
	}
	return fmt.Sprintf("<stdin>\n%s\n</stdin>\n<system_hint type=\"stdin_omitted\" reason=\"too_long\" actual_chars=\"%d\" full_output=%q>read --file_path %s has the rest</system_hint>", head, len(piped), path, path)
}

// pipeWait is how long a pipe may stay silent before nobody is taken to be at
// its other end: programs that start others often leave one open.
const pipeWait = 3 * time.Second

// readPiped reads stdin where it is a file, or a pipe that brings something.
func (a *app) readPiped(ctx context.Context) (string, error) {
	st, err := a.in.Stat()
	if err != nil || !(st.Mode().IsRegular() || st.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0) {
		return "", nil
	}
	type read struct {
		data []byte
		err  error
	}
	first, all := make(chan struct{}), make(chan read, 1)
	go func() { // left behind when nothing comes, since a read cannot be taken back
		var b strings.Builder
		one := make([]byte, 64<<10)
		n, err := a.in.Read(one)
		close(first)
		b.Write(one[:n])
		if err == nil {
			_, err = io.Copy(&b, a.in)
		} else if err == io.EOF {
			err = nil
		}
		all <- read{[]byte(b.String()), err}
	}()
	select {
	case <-first:
	case <-time.After(pipeWait):
		fmt.Fprintln(a.err, "agentbash: nothing came on stdin, going on without it: < /dev/null saves the wait")
		return "", nil
	case <-ctx.Done():
		return "", stoppedEarly(ctx)
	}
	select {
	case r := <-all:
		return string(r.data), r.err
	case <-ctx.Done():
		return "", stoppedEarly(ctx)
	}
}

func stoppedEarly(ctx context.Context) error {
	var limit *chat.Error
	if errors.As(context.Cause(ctx), &limit) {
		return limit
	}
	return &chat.Error{Exit: chat.ExitInterrupted, Text: "interrupted while reading stdin", Err: context.Cause(ctx)}
}

// answerSchema is what the final answer must be; nil: a text.
type answerSchema struct {
	text  string
	check *fieldbash.AnswerSchema
}

// readSchema takes a schema, or the path of a file with one.
func readSchema(arg string) (*answerSchema, error) {
	if arg == "" {
		return nil, nil
	}
	text := strings.TrimSpace(arg)
	if !strings.HasPrefix(text, "{") {
		data, err := os.ReadFile(arg)
		if err != nil {
			return nil, fmt.Errorf("--json-schema: %w: give a file, or the schema itself", err)
		}
		text = strings.TrimSpace(string(data))
	}
	check, err := fieldbash.NewAnswerSchema(json.RawMessage(text))
	if err != nil {
		return nil, fmt.Errorf("--json-schema: %w", err)
	}
	return &answerSchema{text, check}, nil
}

// askFor adds to a prompt what its answer must be.
func (s *answerSchema) askFor(prompt string) string {
	if s == nil {
		return prompt
	}
	return prompt + "\n\nWhen you are done, the last message must be JSON and nothing else: no fence, no words around it. It must fit this JSON Schema:\n" + s.text
}

// answerTries bounds how often an answer that does not fit is sent back.
const answerTries = 3

// askAgain sends an answer that does not fit back, with what is wrong.
func (s *answerSchema) askAgain(ctx context.Context, conv *chat.Conversation, r *report) error {
	for n := 1; ; n++ {
		value := bareJSON(r.answer)
		problems := s.check.Check([]byte(value))
		if len(problems) == 0 {
			r.answer, r.structured = value, json.RawMessage(value)
			return nil
		}
		if n == answerTries {
			return &chat.Error{Exit: chat.ExitModel, Text: fmt.Sprintf("the answer does not fit the schema after %d tries (%s): make the schema simpler, or try another --model", n, strings.Join(problems, "; "))}
		}
		var err error
		r.answer, err = conv.Turn(ctx, "That does not fit the JSON Schema:\n- "+strings.Join(problems, "\n- ")+"\nSend the whole answer again, as JSON and nothing else.")
		if err != nil {
			return err
		}
	}
}

// bareJSON takes off what models put around JSON: a fence, a sentence before or after.
func bareJSON(s string) string {
	s = strings.TrimSpace(s)
	from := []string{s}
	if _, body, ok := strings.Cut(s, "```"); ok {
		_, body, _ = strings.Cut(body, "\n")
		from = append(from, body)
	}
	if i := strings.IndexAny(s, "{["); i >= 0 {
		from = append(from, s[i:])
	}
	for _, text := range from {
		var value json.RawMessage
		d := json.NewDecoder(strings.NewReader(text))
		if err := d.Decode(&value); err == nil && (text != s || !d.More()) {
			return string(value)
		}
	}
	return s
}
