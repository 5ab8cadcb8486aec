package mcp

//lint:file-ignore SA1019 sampling is deprecated from MCP 2026-07-28 on, and what today's servers speak

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompting is what a server asks of our model (MCP: sampling).
type Prompting struct {
	System      string
	Messages    []PromptMessage
	MaxTokens   int64
	Temperature float64 // 0: not said
	Stop        []string
}

// Completion is the model's reply to a Prompting.
type Completion struct {
	Model      string
	Text       string
	StopReason string // "endTurn", "stopSequence", "maxTokens" or empty
}

// Sampler has our model answer a server.
type Sampler func(ctx context.Context, p Prompting) (Completion, error)

// samplingHandler is nil, and the capability not offered, where there is no sampler.
func (c *Client) samplingHandler() func(context.Context, *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	if c.opts.Sample == nil {
		return nil
	}
	return func(ctx context.Context, req *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
		p := Prompting{
			System: req.Params.SystemPrompt, MaxTokens: req.Params.MaxTokens,
			Temperature: req.Params.Temperature, Stop: req.Params.StopSequences,
		}
		for _, m := range req.Params.Messages {
			b, err := json.Marshal(m.Content)
			if err != nil {
				return nil, err
			}
			one := PromptMessage{Role: string(m.Role)}
			if err := json.Unmarshal(b, &one.Content); err != nil {
				return nil, err
			}
			p.Messages = append(p.Messages, one)
		}
		answer, err := c.opts.Sample(ctx, p)
		if err != nil {
			return nil, err
		}
		return &sdk.CreateMessageResult{
			Content: &sdk.TextContent{Text: answer.Text}, Model: answer.Model, Role: "assistant", StopReason: answer.StopReason,
		}, nil
	}
}
