package fieldbash

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// presentResult writes a tool's result: text on stdout, a failure's text as the
// error, everything else where it can be used.
func (f *Fields) presentResult(call *registry.Call, res *mcp.Result) (registry.ToolResult, error) {
	if call.Format == "raw" || call.Format == "json" && !res.IsError {
		return presentJSON(call, res)
	}
	if res.Streams != nil {
		return f.presentStreams(call, res)
	}
	w := &blocks{out: call.Stdout}
	var failure strings.Builder
	if res.IsError {
		w.out = &failure
	}
	for i, block := range res.Content {
		if err := f.writeBlock(call, w, block); err != nil {
			return registry.ToolResult{}, fmt.Errorf("block %d of the result: %w", i+1, err)
		}
	}
	if !w.any && res.Structured != nil {
		w.write(string(res.Structured))
	}
	if res.IsError {
		text := strings.TrimSpace(failure.String())
		if text == "" {
			text = "the tool failed and did not say why"
		}
		return registry.ToolResult{Error: text, ExitStatus: 1}, w.err
	}
	return registry.ToolResult{Success: true}, w.err
}

// presentJSON writes the result for a program: the structured content, or the
// content array where there is none; or, raw, all that the server sent.
func presentJSON(call *registry.Call, res *mcp.Result) (registry.ToolResult, error) {
	text := res.Raw
	if call.Format == "json" {
		text = res.Structured
		if text == nil {
			var all struct {
				Content json.RawMessage `json:"content"`
			}
			json.Unmarshal(res.Raw, &all)
			text = all.Content
		}
		if text == nil {
			text = json.RawMessage("[]")
		}
	}
	_, err := fmt.Fprintf(call.Stdout, "%s\n", text)
	if res.IsError {
		return registry.ToolResult{Error: "the tool failed: its result says how", ExitStatus: 1}, err
	}
	return registry.ToolResult{Success: true}, err
}

// writeBlock writes one content block. Stdout gets content only; where something
// was saved is a note.
func (f *Fields) writeBlock(call *registry.Call, w *blocks, c mcp.Content) error {
	switch {
	case c.Type == "text":
		w.write(c.Text)
	case c.Type == "resource" && c.Resource != nil && len(c.Resource.Blob) == 0:
		w.write(c.Resource.Text)
	case c.Type == "resource" && c.Resource != nil:
		return f.saveBytes(call, "resource", c.Resource.MIMEType, c.Resource.Blob)
	case (c.Type == "image" || c.Type == "audio") && c.Data != nil:
		return f.saveBytes(call, c.Type, c.MIMEType, c.Data)
	case c.Type == "resource_link" && c.URI != "":
		w.write(c.URI)
	default:
		w.write(string(c.Raw))
	}
	return nil
}

// blocks writes text blocks, each on a line of its own and in one piece: calls that
// run at once may share the output.
type blocks struct {
	out io.Writer
	any bool
	err error
}

func (w *blocks) write(text string) {
	w.any = true
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, err := io.WriteString(w.out, text); err != nil && w.err == nil {
		w.err = err
	}
}

// saveBytes puts bytes into a new file and names it on stderr.
func (f *Fields) saveBytes(call *registry.Call, what, mimeType string, data []byte) error {
	dir, err := f.filesDir()
	if err != nil {
		return fmt.Errorf("save %s: %w", what, err)
	}
	file, err := os.CreateTemp(dir, what+"-*"+fileExtension(mimeType))
	if err != nil {
		return fmt.Errorf("save %s: %w", what, err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("save %s: %w", what, err)
	}
	_, err = fmt.Fprintf(call.Stderr, "%s (%s, %d bytes) saved to %s\n", what, cleanText(cmp.Or(mimeType, "unknown type"), 60), len(data), file.Name())
	return err
}

// filesDir is where bytes are saved. A directory in the temporary one that is not
// ours alone, which others may have made before us, is not used.
func (f *Fields) filesDir() (string, error) {
	if f.opts.Files != "" {
		return f.opts.Files, os.MkdirAll(f.opts.Files, 0o700)
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("agentbash-files-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err == nil {
		return dir, nil
	}
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && info.Mode().Perm()&0o077 == 0 {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == os.Getuid() {
			return dir, nil
		}
	}
	return os.MkdirTemp("", "agentbash-files-")
}

// fileExtension is a file name's ending for a media type, or "".
func fileExtension(mimeType string) string {
	mimeType, _, _ = mime.ParseMediaType(mimeType)
	switch mimeType {
	case "image/jpeg":
		return ".jpg" // the first of the system's table is .jfif or .jpe
	case "text/plain":
		return ".txt"
	case "audio/wav", "audio/x-wav":
		return ".wav"
	case "audio/mpeg":
		return ".mp3"
	}
	list, err := mime.ExtensionsByType(mimeType)
	if err != nil || len(list) == 0 {
		return ""
	}
	return list[0]
}
