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
	"strings"
	"time"

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
