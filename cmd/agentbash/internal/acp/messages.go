package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/coder/acp-go-sdk"
)

// mostMessage bounds a message, in bytes: at a longer one the SDK ends the connection.
const mostMessage = 10<<20 - 1

// messages is the stream from the editor, a message a line. One that is too long is answered
// and left out. Behind a prompt nothing is read until it has begun, since the SDK may else
// deliver what cancels it first.
type messages struct {
	in    *bufio.Reader
	out   io.Writer
	begun <-chan struct{}
	wait  bool   // for begun
	rest  []byte // of a message that is partly read
}

// Read implements [io.Reader].
func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if m.wait {
			<-m.begun
			m.wait = false
		}
		var err error
		if m.rest, err = m.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// next reads a message; it is empty where one was left out.
func (m *messages) next() (line []byte, err error) {
	for tooLong := false; ; {
		part, err := m.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > mostMessage; !tooLong {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case tooLong:
			return nil, m.refuse(line)
		case len(line) > 0:
			m.wait = isPrompt(line)
			return line, nil
		default:
			return nil, err
		}
	}
}

// isPrompt reports whether the SDK will deliver a message as a prompt.
func isPrompt(line []byte) bool {
	if !bytes.Contains(line, []byte(acp.AgentMethodSessionPrompt)) {
		return false
	}
	var m struct {
		JSONRPC, Method string
		Params          acp.PromptRequest
		Error           *acp.RequestError
	}
	return json.Unmarshal(line, &m) == nil && m.Method == acp.AgentMethodSessionPrompt && m.Params.Validate() == nil
}

// refuse answers a message that is too long, of which it has the beginning.
func (m *messages) refuse(head []byte) error {
	var id any
	d := json.NewDecoder(bytes.NewReader(head))
	d.UseNumber()
	for d.Token(); d.More(); {
		key, _ := d.Token()
		var value any
		if d.Decode(&value) != nil {
			break
		}
		if key == "id" {
			id = value
		}
	}
	why := acp.NewInvalidRequest(fmt.Sprintf("a message has at most %d MB: name a large file instead of sending it", mostMessage>>20+1))
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": why})
	if err == nil {
		_, err = m.out.Write(append(answer, '\n'))
	}
	return err
}
