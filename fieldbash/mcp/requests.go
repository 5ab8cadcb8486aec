package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages ends a listing whose server never stops handing out cursors.
const maxPages = 1000

// Tool is a server's definition of one tool.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"` // as the server wrote it
	Hints       Hints           `json:"-"`
	Raw         json.RawMessage `json:"-"` // the whole definition
}

// Hints are the server's own claims about a tool (MCP: ToolAnnotations); nil
// is not said. They are not to be trusted.
type Hints struct {
	Title       string `json:"title"`
	ReadOnly    *bool  `json:"readOnlyHint"`
	Destructive *bool  `json:"destructiveHint"`
	Idempotent  *bool  `json:"idempotentHint"`
	OpenWorld   *bool  `json:"openWorldHint"`
}

// Repeatable reports whether the server claims that calling the tool twice
// does no more than calling it once. A claim to destroy speaks against it where
// nothing is said of repeating.
func (h Hints) Repeatable() bool {
	if h.Idempotent != nil {
		return *h.Idempotent
	}
	if h.Destructive != nil && *h.Destructive {
		return false
	}
	return h.ReadOnly != nil && *h.ReadOnly
}

// Call is one call of a tool.
type Call struct {
	Tool       string
	Arguments  json.RawMessage // a JSON object; nil: {}
	Repeatable bool            // may be sent again when the connection is lost under it
	Notes      io.Writer       // takes progress and log messages as they come; nil: dropped
	Stdin      []byte          // of a command; to other servers than ours it is the argument of that name; nil: none
	Task       bool            // the server takes it as a task only (execution.taskSupport, MCP 2025-11-25)
	Exact      bool            // a command's streams are wanted whole, of a server that can
}

// Result is what a tool returned.
type Result struct {
	IsError    bool            // the tool failed; the content says how
	Content    []Content       // in order
	Structured json.RawMessage // nil: none
	Streams    *Streams        // what Structured says of a command; nil: nothing
	Raw        json.RawMessage // the whole result as the server wrote it
}

// Content is one block of a result, of a resource or of a prompt's message.
type Content struct {
	Type     string          `json:"type"` // "text", "image", "audio", "resource", "resource_link", or one that we do not know
	Text     string          `json:"text"`
	Data     []byte          `json:"data"` // of an image or audio
	MIMEType string          `json:"mimeType"`
	URI      string          `json:"uri"` // of a resource_link
	Name     string          `json:"name"`
	Resource *Resource       `json:"resource"` // of a resource
	Raw      json.RawMessage `json:"-"`
}

// Resource is the content of a resource: text or bytes.
type Resource struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
	Blob     []byte `json:"blob"`
}

// UnmarshalJSON takes any block; one that does not fit its type keeps its Raw.
func (c *Content) UnmarshalJSON(b []byte) error {
	type plain Content
	var p plain
	if json.Unmarshal(b, &p) != nil {
		p = plain{}
		var t struct{ Type string }
		json.Unmarshal(b, &t)
		p.Type = t.Type
	}
	*c = Content(p)
	c.Raw = append(json.RawMessage(nil), b...)
	return nil
}

// request connects and runs one request; it is run once more on a new
// connection if the old one ended before the server saw it, or if a second
// time does no harm.
func (c *Client) request(ctx context.Context, op string, repeatable bool, notes io.Writer, send func(context.Context, *sdk.ClientSession, string) error) error {
	for attempt := 0; ; attempt++ {
		k, err := c.connect(ctx)
		if err != nil {
			return err
		}
		err = k.runRequest(ctx, op, notes, func(ctx context.Context, token string) error { return send(ctx, k.session, token) })
		var e *Error
		if err == nil || attempt > 0 || !errors.As(err, &e) || e.Status != exitTransport || !(e.unsent || repeatable) {
			return err
		}
		if k.gone(graceDrain) {
			k.close()
		}
	}
}

// Tools lists the server's tools, all pages, in its order.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var tools []Tool
	err := c.eachPage(ctx, "list tools", func(ctx context.Context, s *sdk.ClientSession, cursor string) (string, error) {
		res, err := s.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		raw := keptBytes(res.Meta, res)
		listed := map[string]bool{}
		for _, t := range res.Tools {
			listed[t.Name] = true
		}
		return res.NextCursor, decodeTools(raw, listed, &tools)
	}, func() { tools = nil })
	return tools, err
}

// decodeTools appends the tools of one page. What the SDK refused for its
// header annotations is left out; what it could not decode is not.
func decodeTools(raw json.RawMessage, listed map[string]bool, tools *[]Tool) error {
	var page struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return fmt.Errorf("decode the list of tools: %w", err)
	}
	for _, one := range page.Tools {
		var s sdk.Tool
		refused := json.Unmarshal(one, &s) == nil && !listed[s.Name]
		if t, err := DecodeTool(one); err == nil && !refused {
			*tools = append(*tools, t)
		}
	}
	return nil
}

// DecodeTool reads one definition as a server wrote it. What does not fit is
// left out; only a definition without a name is an error.
func DecodeTool(raw json.RawMessage) (Tool, error) {
	var t struct {
		Tool
		Annotations json.RawMessage `json:"annotations"`
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return Tool{}, fmt.Errorf("decode a tool: %w", err)
	}
	if t.Name == "" {
		return Tool{}, errors.New("decode a tool: it has no name")
	}
	t.Raw = raw
	if t.Annotations != nil && json.Unmarshal(t.Annotations, &t.Hints) != nil {
		t.Hints = Hints{}
	}
	return t.Tool, nil
}

// eachPage runs a list request until there is no next page. A server that does
// not know the method has nothing to list. reset forgets what a first attempt got.
func (c *Client) eachPage(ctx context.Context, op string, page func(context.Context, *sdk.ClientSession, string) (string, error), reset func()) error {
	return c.request(ctx, op, true, nil, func(ctx context.Context, s *sdk.ClientSession, _ string) error {
		reset()
		cursor := ""
		seen := map[string]bool{}
		for range maxPages {
			next, err := page(ctx, s, cursor)
			var refused *jsonrpc.Error
			if errors.As(err, &refused) && refused.Code == jsonrpc.CodeMethodNotFound {
				return nil
			}
			if err != nil || next == "" || seen[next] {
				return err
			}
			seen[next] = true
			cursor = next
		}
		return nil
	})
}

// Call calls a tool. A result with IsError set is the tool's failure; errors
// are *RequestError (the server refused) and *Error (we failed).
func (c *Client) Call(ctx context.Context, call Call) (*Result, error) {
	var out *Result
	var unfit error // and nothing was sent
	err := c.request(ctx, "call "+call.Tool, call.Repeatable, call.Notes, func(ctx context.Context, s *sdk.ClientSession, token string) error {
		args := call.Arguments
		if args == nil {
			args = json.RawMessage("{}")
		}
		exact := call.Exact && streamsOf(s) != nil
		if call.Stdin != nil && !exact {
			if args, unfit = withStdin(args, call.Stdin); unfit != nil {
				return nil
			}
		}
		params := &sdk.CallToolParams{Name: call.Tool, Arguments: args}
		params.SetProgressToken(token)
		c.askForLogs(s, params.Meta)
		if exact {
			wanted := map[string]any{}
			if params.Meta[extStreams] = wanted; call.Stdin != nil {
				wanted["stdin"] = call.Stdin // JSON has bytes as base64
			}
		}
		asked := ctx
		if call.Task {
			asked = context.WithValue(ctx, taskWantedKey{}, true)
		}
		res, err := s.CallTool(asked, params)
		if err != nil {
			return err
		}
		raw := keptBytes(res.Meta, res)
		if t := taskIn(raw); t != nil {
			if raw, err = c.awaitTask(ctx, s, t, token); err != nil {
				return err
			}
		}
		if out, err = decodeResult(raw); err == nil {
			out.Streams = decodeStreams(out.Structured, exact)
		}
		return err
	})
	return out, errors.Join(err, unfit)
}

func decodeResult(raw json.RawMessage) (*Result, error) {
	var r struct {
		IsError    bool            `json:"isError"`
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("decode the result: %w", err)
	}
	var content []Content
	if !isArray(r.Content) && len(r.Content) > 0 && string(r.Content) != "null" {
		content = []Content{{Raw: r.Content}} // not what the protocol says, and all that there is
	} else if err := json.Unmarshal(r.Content, &content); r.Content != nil && err != nil {
		return nil, fmt.Errorf("decode the result: %w", err)
	}
	if string(r.Structured) == "null" {
		r.Structured = nil
	}
	return &Result{IsError: r.IsError, Content: content, Structured: r.Structured, Raw: raw}, nil
}
