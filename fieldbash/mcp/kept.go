package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agentbash/agentbash/fieldbash/kept"
)

// Keep starts the server, whose spec has a command, and keeps it for the clients of a
// listener; see [kept.Serve]. o.Launch is not looked at.
func (c *Client) Keep(ctx context.Context, l *net.UnixListener, o kept.Options) error {
	o.Launch = func(_ context.Context, stderr func(string)) (kept.Server, error) {
		command := *c.spec.Command
		command.stderr = stderr
		proc, err := startProcess(command, c.opts.Watchdog)
		if err != nil {
			return nil, err
		}
		return &keptServer{proc, bufio.NewReaderSize(proc.stdout, 64<<10)}, nil
	}
	return kept.Serve(ctx, l, &o)
}

// keptServer is the keeper's side of a server.
type keptServer struct {
	proc   *process
	stdout *bufio.Reader
}

func (s *keptServer) Write(b []byte) (int, error) { return s.proc.stdin.Write(b) }
func (s *keptServer) ReadLine() ([]byte, error)   { return readLine(s.stdout) }
func (s *keptServer) Noise(line []byte)           { s.proc.stderr.add(noise(line)) }

func (s *keptServer) Stop() string {
	s.proc.wait(graceDrain) // its stdout may have ended just before it
	s.proc.stop()
	return s.proc.status
}

// process is the server's process: where it is kept, or a fresh one.
func (c *Client) process(ctx context.Context) (*process, error) {
	if c.opts.Kept != nil {
		if conn := c.opts.Kept(ctx); conn != nil {
			p := &process{kept: conn, stdin: conn, stdout: conn, stderr: &tail{}, exited: make(chan struct{}), status: "its keeper was killed"}
			for _, line := range conn.Stderr {
				p.stderr.add(line)
			}
			return p, nil
		}
	}
	return startProcess(*c.spec.Command, c.opts.Watchdog)
}

// noteKeeper takes a line that the server's keeper wrote, and reports whether it is one.
func (p *process) noteKeeper(line []byte) bool {
	if p.kept == nil || line[0] != '!' {
		return false
	}
	word, text, _ := strings.Cut(string(line), " ")
	switch word {
	case "!stderr":
		p.stderr.add(text)
	case "!end":
		p.status = text
	}
	return true
}

// noteConnEnded is called when there is nothing more to read.
func (p *process) noteConnEnded() {
	if p.kept != nil {
		close(p.exited)
	}
}

// sharedID is a message with the id that a request has where others use the server too.
func (p *process) sharedID(msg jsonrpc.Message) jsonrpc.Message {
	req, ok := msg.(*jsonrpc.Request)
	if p.kept == nil || !ok {
		return msg
	}
	shared := *req
	if own, ok := req.ID.Raw().(int64); ok {
		shared.ID, _ = jsonrpc.MakeID(float64(p.kept.FirstID() + own)) // a number is one
	}
	if req.Method == "notifications/cancelled" {
		var params map[string]json.RawMessage
		var own int64
		if json.Unmarshal(req.Params, &params) == nil && json.Unmarshal(params["requestId"], &own) == nil {
			params["requestId"] = strconv.AppendInt(nil, p.kept.FirstID()+own, 10)
			shared.Params, _ = json.Marshal(params) // raw JSON
		}
	}
	return &shared
}

// ownID gives a response the id of our request.
func (p *process) ownID(msg jsonrpc.Message) {
	res, ok := msg.(*jsonrpc.Response)
	if p.kept == nil || !ok {
		return
	}
	if shared, ok := res.ID.Raw().(int64); ok {
		res.ID, _ = jsonrpc.MakeID(float64(shared - p.kept.FirstID()))
	}
}
