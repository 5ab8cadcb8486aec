package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/registry"
)

// replayModel stands for a recording.
func replayModel() modelChoice {
	return modelChoice{model: "replay", baseURL: "http://replay.invalid/v1", name: "a recording"}
}

// readRecording reads a session's file, or its export as JSON.
func readRecording(path string) ([]transcript.Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &registry.UsageError{Problems: []string{fmt.Sprintf("--replay: %v: give a file that agentbash sessions export --json wrote", err)}}
	}
	records, err := transcript.ReadExport(data)
	if err != nil {
		return nil, &registry.UsageError{Problems: []string{fmt.Sprintf("--replay %s: %v", path, err)}}
	}
	return transcript.Settled(records), nil
}

// replayClient answers requests with the recorded replies, in their order.
func replayClient(path string) (*http.Client, error) {
	records, err := readRecording(path)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: chat.NewReplay(records)}, nil
}

// replayPrompts are the prompts of a recording.
func replayPrompts(path string) ([]string, error) {
	records, err := readRecording(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range records {
		if r.Type == transcript.TypeUser {
			out = append(out, r.Text)
		}
	}
	if len(out) == 0 {
		return nil, &registry.UsageError{Problems: []string{"--replay " + path + ": there is no prompt in it"}}
	}
	return out, nil
}

// How fast a recording is shown on a screen.
const (
	paceReply = 700 * time.Millisecond // before a reply
	paceWord  = 25 * time.Millisecond
)

// playsOnScreen reports whether a recording is shown by the chat, at a pace that can be read.
func (a *app) playsOnScreen(c *chatFlags) bool {
	return c.replay != "" && !c.hasPrompt && c.format == "text" && !a.plainTerminal() && isTerminal(a.in) && isTerminal(a.out) && isTerminal(a.err)
}

// pacedTransport hands out the lines of a stream one by one.
type pacedTransport struct{ http.RoundTripper }

// RoundTrip waits a moment, as a model does.
func (p pacedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := p.RoundTripper.RoundTrip(req)
	if err == nil {
		time.Sleep(paceReply)
		res.Body = &pacedBody{Reader: bufio.NewReader(res.Body), Closer: res.Body}
	}
	return res, err
}

type pacedBody struct {
	*bufio.Reader
	io.Closer
	line []byte // what is left of it
}

// Read returns at most a line.
func (b *pacedBody) Read(p []byte) (n int, err error) {
	if len(b.line) == 0 {
		time.Sleep(paceWord / 2) // an event is two lines
		if b.line, err = b.ReadBytes('\n'); len(b.line) == 0 {
			return 0, err
		}
	}
	n = copy(p, b.line)
	b.line = b.line[n:]
	return n, nil
}
