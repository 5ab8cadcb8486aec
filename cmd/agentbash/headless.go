package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/agentbash/agentbash/chat"
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

// openOutput opens the file of the answer before anything is spent on it; nil: there is none.
func (c *chatFlags) openOutput() (*os.File, error) {
	if c.output == "" {
		return nil, nil
	}
	f, err := os.OpenFile(c.output, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, &registry.UsageError{Problems: []string{fmt.Sprintf("--output: %v: name a file that can be written", err)}}
	}
	return f, nil
}

// writeOutput makes an answer the whole of that file.
func (c *chatFlags) writeOutput(f *os.File, answer string) error {
	if f == nil || answer == "" {
		return nil
	}
	if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
		if err := f.Truncate(0); err != nil {
			return fmt.Errorf("the answer is not in %s: %w", c.output, err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("the answer is not in %s: %w", c.output, err)
		}
	}
	if _, err := io.WriteString(f, answer+"\n"); err != nil {
		return fmt.Errorf("the answer is not in %s: %w: make room, or name another file", c.output, err)
	}
	return nil
}
