package mcp

//lint:file-ignore SA1019 sampling and roots are deprecated from MCP 2026-07-28 on, and what today's servers speak

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// extTasks is the extension by which a server of MCP 2026-07-28 may answer a call with a
// task (SEP-2663). In 2025-11-25 the client asks for one (tasks, experimental).
const extTasks = "io.modelcontextprotocol/tasks"

const (
	usualPoll  = time.Second
	leastPoll  = 50 * time.Millisecond
	cancelWait = time.Second // for the server to hear that nobody waits any more
)

// The keys of contexts: the call asks for a task; the task that a request is about.
type (
	taskWantedKey struct{}
	taskKey       struct{}
)

// task is a call that goes on at the server, in the words of both revisions.
type task struct {
	sdk.ResultBase
	ID        string                     `json:"taskId"`
	Status    string                     `json:"status"` // working, input_required, completed, failed, cancelled
	Message   string                     `json:"statusMessage"`
	PollMS    int64                      `json:"pollIntervalMs"`
	PollMS1   int64                      `json:"pollInterval"`  // 2025-11-25
	Result    json.RawMessage            `json:"result"`        // of a completed task
	Error     *jsonrpc.Error             `json:"error"`         // of a failed one
	Questions map[string]json.RawMessage `json:"inputRequests"` // the rest is for the extension only

	polled bool // 2025-11-25: its result is asked for
}

// taskParams are those of all methods about a task.
type taskParams struct {
	sdk.ParamsBase
	ID      string         `json:"taskId"`
	Answers map[string]any `json:"inputResponses,omitempty"`
}

// taskOutcome is a result of which only the bytes count; keepResult has them.
type taskOutcome struct {
	sdk.ResultBase
	Task json.RawMessage `json:"task,omitempty"`
}

// taskCall are a call's parameters that ask for a task.
type taskCall struct {
	*sdk.CallToolParams
	Task struct{} `json:"task"`
}

// addTasks teaches the SDK's client about tasks.
func addTasks(client *sdk.Client) {
	for _, err := range []error{
		sdk.AddSendingCustomMethod[*taskParams, *task](client, "tasks/get"),
		sdk.AddSendingCustomMethod[*taskParams, *taskOutcome](client, "tasks/result"),
		sdk.AddSendingCustomMethod[*taskParams, *taskOutcome](client, "tasks/update"),
		sdk.AddSendingCustomMethod[*taskParams, *taskOutcome](client, "tasks/cancel"),
	} {
		if err != nil { // the SDK knows them by itself
			panic(err)
		}
	}
	client.AddSendingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if r, ok := req.(*sdk.ClientRequest[sdk.Params]); ok && ctx.Value(taskWantedKey{}) != nil {
				if p, ok := r.Params.(*sdk.CallToolParams); ok {
					req = &sdk.ClientRequest[*taskCall]{Session: r.Session, Params: &taskCall{CallToolParams: p}}
				}
			}
			return next(ctx, method, req)
		}
	})
}

// taskIn is the task that a call was answered with; nil: it was answered.
func taskIn(raw json.RawMessage) *task {
	var r struct {
		Type string          `json:"resultType"`
		Task json.RawMessage `json:"task"`
		Rest json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &r) != nil || r.Rest != nil {
		return nil
	}
	t := &task{polled: r.Task != nil}
	switch {
	case r.Task != nil:
		raw = r.Task
	case r.Type != "task":
		return nil
	}
	if json.Unmarshal(raw, t) != nil || t.ID == "" {
		return nil
	}
	return t
}

// awaitTask waits for the end of a task and returns its result. A caller that gives up
// cancels it.
func (c *Client) awaitTask(ctx context.Context, s *sdk.ClientSession, t *task, token string) (json.RawMessage, error) {
	ctx = context.WithValue(ctx, taskKey{}, t.ID)
	raw, err := c.followTask(ctx, s, t, token)
	if err != nil && ctx.Err() != nil {
		last, done := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
		defer done()
		sdk.CallCustomMethod[*taskParams, *taskOutcome](last, s, "tasks/cancel", &taskParams{ID: t.ID}) // it may have ended
	}
	return raw, err
}

func (c *Client) followTask(ctx context.Context, s *sdk.ClientSession, t *task, token string) (json.RawMessage, error) {
	polled, answered, said := t.polled, map[string]bool{}, ""
	for {
		if now := t.Status + " " + t.Message; now != said {
			said = now
			if k := c.liveConn(); k != nil {
				k.tellProgress(token, strings.TrimSpace(t.Status+": "+t.Message))
			}
		}
		switch {
		case polled && t.Status != "working":
			res, err := sdk.CallCustomMethod[*taskParams, *taskOutcome](ctx, s, "tasks/result", &taskParams{ID: t.ID})
			if err != nil {
				return nil, err
			}
			return keptBytes(res.Meta, res), nil
		case t.Status == "completed" && t.Result != nil:
			return t.Result, nil
		case t.Status == "failed" && t.Error != nil:
			return nil, t.Error
		case t.Status == "completed", t.Status == "failed", t.Status == "cancelled":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: strings.TrimSpace("the task ended as " + t.Status + " and without a result " + t.Message)}
		case t.Status == "input_required":
			if err := c.answerTask(ctx, s, t, answered); err != nil {
				return nil, err
			}
		}
		poll := time.Duration(max(t.PollMS, t.PollMS1)) * time.Millisecond
		if poll <= 0 {
			poll = usualPoll
		}
		timer := time.NewTimer(max(poll, leastPoll))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-timer.C:
		}
		id := t.ID
		var err error
		if t, err = sdk.CallCustomMethod[*taskParams, *task](ctx, s, "tasks/get", &taskParams{ID: id}); err != nil {
			return nil, err
		}
		t.ID = id
	}
}

// answerTask answers what a task asks, each question once.
func (c *Client) answerTask(ctx context.Context, s *sdk.ClientSession, t *task, answered map[string]bool) error {
	text, err := json.Marshal(t.Questions)
	if err != nil {
		return err
	}
	var questions sdk.InputRequestMap
	if err := json.Unmarshal(text, &questions); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the task asks for what is not known: " + err.Error()}
	}
	answers := map[string]any{}
	for key, q := range questions {
		if answered[key] {
			continue
		}
		answered[key] = true
		if answers[key], err = c.answerInput(ctx, q); err != nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
		}
	}
	if len(answers) == 0 {
		return nil
	}
	_, err = sdk.CallCustomMethod[*taskParams, *taskOutcome](ctx, s, "tasks/update", &taskParams{ID: t.ID, Answers: answers})
	return err
}

func (c *Client) answerInput(ctx context.Context, q sdk.InputRequest) (any, error) {
	switch p := q.(type) {
	case *sdk.ElicitParams:
		return c.answerElicitation(ctx, &sdk.ElicitRequest{Params: p})
	case *sdk.ListRootsParams:
		return &sdk.ListRootsResult{Roots: c.roots()}, nil
	case *sdk.CreateMessageParams:
		if sample := c.samplingHandler(); sample != nil {
			return sample(ctx, &sdk.CreateMessageRequest{Params: p})
		}
	}
	return nil, fmt.Errorf("the task asks for what is not offered (%T)", q)
}

// roots are our directories as MCP names them.
func (c *Client) roots() (roots []*sdk.Root) {
	for _, dir := range c.opts.Roots {
		u := url.URL{Scheme: "file", Path: dir}
		roots = append(roots, &sdk.Root{URI: u.String(), Name: filepath.Base(dir)})
	}
	return roots
}
