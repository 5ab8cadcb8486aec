package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Question is what a server wants to know of the person at the terminal.
type Question struct {
	Message string
	Schema  json.RawMessage // a flat object schema of the answer; nil for a URL
	URL     string          // to be opened by the person instead; may be empty
}

// Answer is a person's answer to a Question. Action is "accept", "decline" or "cancel".
type Answer struct {
	Action  string
	Content map[string]any // matches the question's schema; only with "accept"
}

// Elicitor puts a question to the person; it returns when it is answered.
type Elicitor func(ctx context.Context, q Question) (Answer, error)

func (c *Client) answerElicitation(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	if c.opts.Elicit == nil {
		c.logf("a question was declined, there is no one to ask: %s", plainText(req.Params.Message))
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	q := Question{Message: req.Params.Message, URL: req.Params.URL}
	if req.Params.RequestedSchema != nil {
		q.Schema = keptBytes(req.Params.Meta, req.Params.RequestedSchema)
	}
	a, err := c.opts.Elicit(ctx, q)
	if err != nil {
		return nil, err
	}
	return &sdk.ElicitResult{Action: a.Action, Content: a.Content}, nil
}
