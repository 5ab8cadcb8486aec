package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ResourceInfo is an entry of a server's list of resources, or a template for
// the URIs of more.
type ResourceInfo struct {
	URI         string `json:"uri,omitempty"`
	Template    string `json:"uriTemplate,omitempty"` // RFC 6570; then URI is empty
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
}

// Prompt is a server's definition of one prompt.
type Prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
}

// PromptArgument is one argument of a prompt; all are text.
type PromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// PromptMessage is one message that a prompt expands to.
type PromptMessage struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

// Resources lists the server's resources, then its templates, all pages.
func (c *Client) Resources(ctx context.Context) ([]ResourceInfo, error) {
	var list, templates []ResourceInfo
	err := c.eachPage(ctx, "list resources", func(ctx context.Context, s *sdk.ClientSession, cursor string) (string, error) {
		res, err := s.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		return res.NextCursor, appendList(keptBytes(res.Meta, res), "resources", &list)
	}, func() { list = nil })
	if err != nil {
		return nil, err
	}
	err = c.eachPage(ctx, "list resource templates", func(ctx context.Context, s *sdk.ClientSession, cursor string) (string, error) {
		res, err := s.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		return res.NextCursor, appendList(keptBytes(res.Meta, res), "resourceTemplates", &templates)
	}, func() { templates = nil })
	return append(list, templates...), err
}

// ReadResource returns the contents of a resource and the result as the server
// wrote it.
func (c *Client) ReadResource(ctx context.Context, uri string) (contents []Resource, raw json.RawMessage, err error) {
	err = c.request(ctx, "read "+uri, true, nil, func(ctx context.Context, s *sdk.ClientSession, _ string) error {
		res, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return err
		}
		contents, raw = nil, keptBytes(res.Meta, res)
		return appendList(raw, "contents", &contents)
	})
	return contents, raw, err
}

// Prompts lists the server's prompts, all pages.
func (c *Client) Prompts(ctx context.Context) ([]Prompt, error) {
	var list []Prompt
	err := c.eachPage(ctx, "list prompts", func(ctx context.Context, s *sdk.ClientSession, cursor string) (string, error) {
		res, err := s.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		return res.NextCursor, appendList(keptBytes(res.Meta, res), "prompts", &list)
	}, func() { list = nil })
	return list, err
}

// GetPrompt expands a prompt and returns its messages and the result as the
// server wrote it.
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string) (messages []PromptMessage, raw json.RawMessage, err error) {
	err = c.request(ctx, "get prompt "+name, true, nil, func(ctx context.Context, s *sdk.ClientSession, _ string) error {
		res, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
		if err != nil {
			return err
		}
		messages, raw = nil, keptBytes(res.Meta, res)
		return appendList(raw, "messages", &messages)
	})
	return messages, raw, err
}

// appendList appends the entries of a result's list; one that cannot be
// decoded does not cost the others.
func appendList[T any](raw json.RawMessage, key string, list *[]T) error {
	var page map[string]json.RawMessage
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &page); err != nil {
		return fmt.Errorf("decode the result: %w", err)
	}
	if page[key] == nil {
		return nil
	}
	if err := json.Unmarshal(page[key], &entries); err != nil {
		return fmt.Errorf("decode %q of the result: %w", key, err)
	}
	for _, one := range entries {
		var v T
		if json.Unmarshal(one, &v) == nil {
			*list = append(*list, v)
		}
	}
	return nil
}
