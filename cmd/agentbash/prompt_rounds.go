package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/registry"
)

// readRounds returns what gives the prompts of each result: all at once, or with --input-format
// stream-json those of a line, until io.EOF. After any other error nothing more comes.
func (a *app) readRounds(ctx context.Context, b *configuredBash, c *chatFlags, run *batchRun) (func() ([]chat.Prompt, error), error) {
	if c.inputFormat == "stream-json" {
		return a.readMessages(ctx), nil
	}
	texts, err := a.readPrompts(ctx, b, c, run)
	var prompts []chat.Prompt
	for _, text := range texts {
		prompts = append(prompts, chat.Prompt{Text: text})
	}
	return func() ([]chat.Prompt, error) {
		if prompts == nil {
			return nil, io.EOF
		}
		all := prompts
		prompts = nil
		return all, nil
	}, err
}

// readMessages reads a prompt from each line of stdin, as it is asked for.
func (a *app) readMessages(ctx context.Context) func() ([]chat.Prompt, error) {
	type line struct {
		text []byte
		err  error
	}
	lines := make(chan line)
	go func() { // left behind when the context ends, since a read cannot be taken back
		in := bufio.NewReader(a.in)
		for {
			text, err := in.ReadBytes('\n')
			select {
			case lines <- line{text, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	number := 0
	return func() ([]chat.Prompt, error) {
		for {
			var l line
			select {
			case l = <-lines:
			case <-ctx.Done():
				return nil, stoppedEarly(ctx)
			}
			if number++; len(bytes.TrimSpace(l.text)) > 0 {
				p, err := readMessage(l.text)
				if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
					err = fmt.Errorf("%s cannot be a JSON %s", cmp.Or(wrong.Field, "a line"), wrong.Value)
				}
				if err != nil {
					return nil, &registry.UsageError{Problems: []string{fmt.Sprintf(`line %d of stdin: %v: send {"type": "user", "message": {"role": "user", "content": "TEXT"}}`, number, err)}}
				}
				return []chat.Prompt{p}, nil
			}
			if l.err != nil {
				return nil, l.err
			}
		}
	}
}

// readMessage reads a message of the person: its content is a text, or a list of texts and
// pictures.
func readMessage(data []byte) (p chat.Prompt, err error) {
	var m struct {
		Type    string
		Message struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return p, err
	}
	if m.Type != "user" {
		return p, fmt.Errorf("the type is %q, and only user has a meaning here", m.Type)
	}
	if m.Message.Content == nil {
		return p, errors.New("the message has no content")
	}
	if json.Unmarshal(m.Message.Content, &p.Text) == nil {
		return p, nil
	}
	var parts []struct {
		Type, Text string
		Source     struct{ Data []byte }
	}
	if err := json.Unmarshal(m.Message.Content, &parts); err != nil {
		return p, err
	}
	for i, part := range parts {
		switch part.Type {
		case "text":
			p.Text += part.Text
		case "image":
			img, err := chat.NewImage(fmt.Sprintf("picture %d", i+1), part.Source.Data)
			if err != nil {
				return p, err
			}
			p.Images = append(p.Images, img)
		default:
			return p, fmt.Errorf("content of the type %q is not understood", part.Type)
		}
	}
	return p, nil
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
