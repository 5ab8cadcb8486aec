package mcp

import (
	"context"
	"errors"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Subscribe calls changed each time the server says that a resource has changed, until
// changed returns an error, which it returns, ctx ends, or the server does.
func (c *Client) Subscribe(ctx context.Context, uri string, changed func() error) error {
	k, err := c.connect(ctx)
	if err != nil {
		return err
	}
	told := make(chan struct{}, 1)
	c.mu.Lock()
	if c.told == nil {
		c.told = map[string][]chan struct{}{}
	}
	c.told[uri] = append(c.told[uri], told)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.told[uri] = slices.DeleteFunc(c.told[uri], func(other chan struct{}) bool { return other == told })
		last := len(c.told[uri]) == 0
		c.mu.Unlock()
		if last && !k.over() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
			defer cancel()
			k.session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: uri}) // what it still says is not heard
		}
	}()
	err = k.runRequest(ctx, "subscribe to "+uri, nil, func(ctx context.Context, _ string) error {
		return k.session.Subscribe(ctx, &sdk.SubscribeParams{URI: uri})
	})
	for err == nil {
		select {
		case <-told:
			err = changed()
		case <-k.ended:
			err = &Error{Op: "subscribe to " + uri, Err: errors.New("the server ended"), Status: exitTransport, Next: "the next call starts it again"}
		case <-ctx.Done():
			err = fromContext(ctx, "subscribe to "+uri, ctx.Err())
		}
	}
	return err
}

// noteUpdated tells those who wait for a change of a resource.
func (c *Client) noteUpdated(_ context.Context, req *sdk.ResourceUpdatedNotificationRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, told := range c.told[req.Params.URI] {
		select {
		case told <- struct{}{}:
		default: // it has not looked at the last change yet
		}
	}
}

// Complete asks the server how a value goes on that somebody types: of an argument of a
// prompt, or of a variable of a resource template. given are the other arguments.
func (c *Client) Complete(ctx context.Context, prompt, template, argument, value string, given map[string]string) (values []string, err error) {
	ref := &sdk.CompleteReference{Type: "ref/prompt", Name: prompt}
	if template != "" {
		ref = &sdk.CompleteReference{Type: "ref/resource", URI: template}
	}
	err = c.request(ctx, "complete "+argument, true, nil, func(ctx context.Context, s *sdk.ClientSession, _ string) error {
		res, err := s.Complete(ctx, &sdk.CompleteParams{Ref: ref, Argument: sdk.CompleteParamsArgument{Name: argument, Value: value}, Context: &sdk.CompleteContext{Arguments: given}})
		if err == nil {
			values = res.Completion.Values
		}
		return err
	})
	return values, err
}
