package fieldbash

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// maxStdin is how much of a stdin goes to a server; base64 of it fits into a message.
const maxStdin = 32 << 20

// takesStdin reports whether a tool runs commands: it takes a stdin, and answers with a stdout.
func takesStdin(def mcp.Tool) bool {
	type schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var d struct {
		Input  schema `json:"inputSchema"`
		Output schema `json:"outputSchema"`
	}
	return json.Unmarshal(def.Raw, &d) == nil && d.Input.Properties["stdin"] != nil && d.Output.Properties["stdout"] != nil
}

func readStdin(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxStdin+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read stdin: %w", err)
	case len(b) > maxStdin:
		return nil, registry.Usagef("stdin holds more than %d MB: send it in parts", maxStdin>>20)
	}
	return b, nil
}

// presentStreams writes what a command did that a server ran, as the command's own: what its
// result has beside text is saved.
func (f *Fields) presentStreams(call *registry.Call, res *mcp.Result) (registry.ToolResult, error) {
	s := res.Streams
	for _, block := range res.Content {
		if block.Type == "text" {
			continue
		}
		if err := f.writeBlock(call, &blocks{out: call.Stdout}, block); err != nil {
			return registry.ToolResult{}, err
		}
	}
	if _, err := call.Stdout.Write(s.Stdout); err != nil {
		return registry.ToolResult{}, err
	}
	if _, err := call.Stderr.Write(s.Stderr); err != nil {
		return registry.ToolResult{}, err
	}
	out := registry.ToolResult{Success: s.ExitCode == 0, ExitStatus: s.ExitCode, Error: strings.TrimSpace(s.Error)}
	if s.Truncated && out.Success {
		out = registry.ToolResult{ExitStatus: 1, Error: "not all of its output came over: write it to a file there, and fetch that in parts"}
	}
	return out, nil
}
