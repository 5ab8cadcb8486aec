package acp

import (
	"cmp"
	"context"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/coder/acp-go-sdk"
)

// Present implements [Editor]: an editor can always be asked.
func (s *session) Present() bool { return true }

// Tell implements [Editor].
func (s *session) Tell(text string) {
	if s.known.Load() {
		s.update(context.Background(), acp.UpdateAgentThoughtText(text+"\n"))
	}
}

// Ask implements [Editor]: a choice is a request for permission. What only a line of text
// answers cannot be asked by the protocol.
func (s *session) Ask(ctx context.Context, q *term.Question) (term.Reply, error) {
	options := permissionOptions(q)
	if len(options) == 0 || !s.known.Load() {
		return term.Reply{}, term.ErrNobody
	}
	s.mu.Lock()
	id := s.call.id
	s.mu.Unlock()
	if id == "" {
		id = "question"
	}
	subject := acp.ToolCallUpdate{ToolCallId: id, Title: acp.Ptr(q.Title), Status: acp.Ptr(acp.ToolCallStatusPending), Content: textContent(strings.TrimSpace(q.Text))}
	res, err := s.agent.conn.RequestPermission(ctx, acp.RequestPermissionRequest{SessionId: s.id, ToolCall: subject, Options: options})
	switch {
	case ctx.Err() != nil:
		return term.Reply{}, context.Cause(ctx)
	case err != nil || res.Outcome.Selected == nil:
		return term.Reply{}, term.ErrNoAnswer
	}
	for _, c := range q.Choices { // nothing but what was offered is an answer
		if !c.Text && c.Key == string(res.Outcome.Selected.OptionId) {
			return term.Reply{Key: c.Key}, nil
		}
	}
	return term.Reply{}, term.ErrNoAnswer
}

// permissionOptions are a question's choices as the protocol has them, which wants to know
// by the keys of approvals what each means. One that wants a
// line of text cannot be offered.
func permissionOptions(q *term.Question) (out []acp.PermissionOption) {
	for _, c := range q.Choices {
		if c.Text {
			continue
		}
		kind := acp.PermissionOptionKindAllowOnce
		switch c.Key {
		case "n":
			kind = acp.PermissionOptionKindRejectOnce
		case "s", "a", "O":
			kind = acp.PermissionOptionKindAllowAlways
		}
		out = append(out, acp.PermissionOption{Kind: kind, Name: cmp.Or(c.Label, c.Key), OptionId: acp.PermissionOptionId(c.Key)})
	}
	return out
}
