package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// extStreams is the capability of a server of our own: a call whose _meta has an object of that
// name gets stdout and stderr whole, as base64, and may have its stdin there. A server with "named" set loses a
// client's shell between calls where the protocol has no sessions.
const extStreams = "agentbash/streams"

// Streams is what a command did that a server ran for a call.
type Streams struct {
	Stdout, Stderr []byte
	ExitCode       int
	Truncated      bool   // they are not the whole
	Error          string // why it did not end by itself; may be empty
}

// decodeStreams reads the structured content of a result; nil: it is not that of a command.
func decodeStreams(structured json.RawMessage, exact bool) *Streams {
	var s struct {
		Stdout    *string `json:"stdout"`
		Stderr    string  `json:"stderr"`
		ExitCode  *int    `json:"exit_code"`
		ExitCode2 *int    `json:"exitCode"`
		Truncated bool    `json:"truncated"`
		Error     string  `json:"error"`
	}
	if structured == nil || json.Unmarshal(structured, &s) != nil || s.Stdout == nil || s.ExitCode == nil && s.ExitCode2 == nil {
		return nil
	}
	if s.ExitCode == nil {
		s.ExitCode = s.ExitCode2
	}
	out := &Streams{[]byte(*s.Stdout), []byte(s.Stderr), *s.ExitCode, s.Truncated, s.Error}
	if exact {
		var err, err2 error
		out.Stdout, err = base64.StdEncoding.DecodeString(*s.Stdout)
		out.Stderr, err2 = base64.StdEncoding.DecodeString(s.Stderr)
		if err != nil || err2 != nil {
			return nil
		}
	}
	return out
}

// streamsOf are the settings of a server that has the capability; nil: it has not.
func streamsOf(s *sdk.ClientSession) map[string]any {
	if s == nil || s.InitializeResult() == nil || s.InitializeResult().Capabilities == nil {
		return nil
	}
	settings, _ := s.InitializeResult().Capabilities.Extensions[extStreams].(map[string]any)
	return settings
}

// withStdin is a JSON object of arguments with stdin among them.
func withStdin(args json.RawMessage, stdin []byte) (json.RawMessage, error) {
	if !utf8.Valid(stdin) {
		return nil, errors.New("what is on stdin is not UTF-8 text, and this server takes no other: encode it, with base64 for one")
	}
	text, err := json.Marshal(map[string]string{"stdin": string(stdin)})
	rest := bytes.TrimPrefix(bytes.TrimSpace(args), []byte("{"))
	if err != nil || len(bytes.TrimSpace(rest)) <= 1 {
		return text, err
	}
	return slices.Concat(text[:len(text)-1], []byte(","), rest), nil
}

// exactly reads what a call's _meta says of streams.
func exactly(meta sdk.Meta) (exact bool, stdin []byte) {
	wanted, exact := meta[extStreams].(map[string]any)
	if text, ok := wanted["stdin"].(string); ok {
		stdin, _ = base64.StdEncoding.DecodeString(text) // it is of our own client
	}
	return exact, stdin
}
