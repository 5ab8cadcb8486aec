package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// streamsSchema is the schema of what the bash tool answers beside its text.
const streamsSchema = `{"type":"object","properties":{` +
	`"stdout":{"type":"string"},"stderr":{"type":"string"},"exit_code":{"type":"integer"},` +
	`"cwd":{"type":"string","description":"The directory after the command"},` +
	`"truncated":{"type":"boolean","description":"stdout and stderr are not the whole"},` +
	`"error":{"type":"string","description":"Why it did not end by itself"}},` +
	`"required":["stdout","stderr","exit_code","cwd","truncated"]}`

// withStdin is the schema of the one tool with a stdin.
func withStdin(schema json.RawMessage) json.RawMessage {
	const stdin = `"stdin":{"type":"string","description":"What the command gets on stdin; nothing if absent"},`
	at := bytes.Index(schema, []byte(`"timeout":`))
	return append(append(bytes.Clone(schema[:at]), stdin...), schema[at:]...)
}

// offeredBashes are those of all clients. The first one, from which the tools are listed, is that
// of the first client.
type offeredBashes struct {
	app     *app
	options bashOptions
	tools   map[string]*registry.Tool // those beside bash, by the names that clients know
	hide    func(string) string       // secrets in a text

	mu    sync.Mutex
	first *configuredBash // nil: it is taken
}

// list opens the first and lists its tools; with now its shell is started, since it will be needed.
func (o *offeredBashes) list(ctx context.Context, all, now bool) (offers []mcp.Offer, err error) {
	if o.first, err = o.app.openBash(o.options); err != nil {
		return nil, err
	}
	if now {
		o.first.Start()
	}
	o.hide = o.first.Router().HideSecrets
	offers, o.tools = o.app.offeredTools(ctx, o.first, all)
	return offers, nil
}

// open is the bash of one more client.
func (o *offeredBashes) open() (mcp.Backend, error) {
	o.mu.Lock()
	b := o.first
	o.first = nil
	o.mu.Unlock()
	if b == nil {
		var err error
		if b, err = o.app.openBash(o.options); err != nil {
			return nil, err
		}
	}
	return &offeredBash{o.app, b, o.tools}, nil
}

// Close ends the first if no client had it; the others are their clients'.
func (o *offeredBashes) Close() {
	if o.first != nil {
		o.first.Close()
	}
}

// offeredBash is what one client of agentbash mcp has: a bash of its own.
type offeredBash struct {
	app   *app
	b     *configuredBash
	tools map[string]*registry.Tool // those beside bash
}

// Call runs a call for another program.
func (o *offeredBash) Call(ctx context.Context, r mcp.Request) mcp.Outcome {
	if t := o.tools[r.Tool]; t != nil {
		command, err := commandOf(t, r.Arguments)
		if err != nil {
			return mcp.Outcome{Text: err.Error(), Failed: true}
		}
		return o.run(ctx, router.Arguments{Command: command}, r, false)
	}
	text, stdin, err := takeStdin(r.Arguments)
	if stdin == nil {
		stdin = r.Stdin
	}
	var args router.Arguments
	if err == nil {
		args, err = router.ParseArguments(text, o.b.Router().Dir())
	}
	if err == nil && stdin != nil {
		var file string
		if file, err = o.keepStdin(stdin); err == nil {
			defer os.Remove(file)
			args.Command = "{ " + args.Command + "\n} <" + quote.Word(file)
		}
	}
	if err != nil {
		return mcp.Outcome{Text: err.Error(), Failed: true}
	}
	return o.run(ctx, args, r, true)
}

func (o *offeredBash) run(ctx context.Context, args router.Arguments, r mcp.Request, streams bool) mcp.Outcome {
	var stdout, stderr counter
	res := o.b.Router().Run(args.Context(ctx), args.Command, &router.RunOptions{
		Timeout: args.Timeout, Stdout: io.MultiWriter(r.Live, &stdout), Stderr: io.MultiWriter(r.Live, &stderr), Images: true})
	out := mcp.Outcome{Text: args.Noted(res.Output), Images: res.Images, Failed: !res.Success}
	if !streams {
		return out
	}
	out.Structured = map[string]any{"exit_code": res.ExitCode, "cwd": res.Dir}
	if r.Exact {
		out.Structured["stdout"], out.Structured["stderr"] = []byte(o.b.Router().HideSecrets(res.Stdout)), []byte(o.b.Router().HideSecrets(res.Stderr))
		out.Structured["truncated"] = int(stdout) > len(res.Stdout) || int(stderr) > len(res.Stderr)
	} else {
		shownOut, cut := o.shown(res.Stdout)
		shownErr, cutErr := o.shown(res.Stderr)
		out.Structured["stdout"], out.Structured["stderr"], out.Structured["truncated"] = shownOut, shownErr, cut || cutErr
	}
	if res.Running > 0 || res.TimedOut || res.Canceled || res.Err != nil {
		out.Structured["error"] = res.Error
	}
	if res.Running > 0 {
		out.Structured["error"] = fmt.Sprintf("%s: the command bash_output %d shows what it writes", res.Error, res.Running)
	}
	return out
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// shown is a stream as a client's model may see it, which reads this or the text: a fifth
// of what is too long is its beginning, the rest its end.
func (o *offeredBash) shown(stream string) (text string, cut bool) {
	const most = 30_000 // bytes
	text = o.b.Router().HideSecrets(router.Safe(stream))
	if len(text) <= most {
		return text, false
	}
	head, tail := text[:most/5], text[len(text)-most*4/5:]
	return strings.ToValidUTF8(head, "") + "\n[...]\n" + strings.ToValidUTF8(tail, ""), true
}

// takeStdin takes stdin out of the arguments of a call; nil: it is not there.
func takeStdin(arguments json.RawMessage) (rest json.RawMessage, stdin []byte, err error) {
	var args map[string]json.RawMessage
	var text *string
	switch {
	case json.Unmarshal(arguments, &args) != nil || args["stdin"] == nil:
		return arguments, nil, nil
	case json.Unmarshal(args["stdin"], &text) != nil:
		return nil, nil, errors.New("stdin is not a string: write the text that the command gets, or leave it out")
	}
	delete(args, "stdin")
	if rest, err = json.Marshal(args); text != nil {
		stdin = append([]byte{}, *text...)
	}
	return rest, stdin, err
}

// keepStdin puts a stdin where all commands may read it.
func (o *offeredBash) keepStdin(stdin []byte) (path string, err error) {
	dir := filepath.Join(o.b.cfg.Dirs.State, "outputs")
	if err = os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("stdin: %w", err)
	}
	f, err := os.CreateTemp(dir, "stdin-*")
	if err != nil {
		return "", fmt.Errorf("stdin: %w", err)
	}
	_, err = f.Write(stdin)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("stdin: %w", err)
	}
	return f.Name(), nil
}

// Close ends the client's bash.
func (o *offeredBash) Close() error {
	o.app.tellLeft(o.b)
	return o.b.Close()
}
