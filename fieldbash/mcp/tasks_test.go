package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// A server that answers calls with tasks of its own accord (SEP-2663), over HTTP.
type taskServer struct {
	mu        sync.Mutex
	gets      int
	name      string        // of the last Mcp-Name header of a request about a task
	polled    chan struct{} // has something once the task that never ends was asked after
	cancelled chan struct{}
}

type rawParams struct {
	sdk.ParamsBase
	TaskID         string                     `json:"taskId"`
	InputResponses map[string]json.RawMessage `json:"inputResponses"`
}

type rawAnswer struct {
	sdk.ResultBase
	raw string
}

func (r *rawAnswer) MarshalJSON() ([]byte, error) { return []byte(r.raw), nil }

func (s *taskServer) handler(t *testing.T) http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "tasks", Version: "1"}, nil)
	for _, name := range []string{"ask", "fail", "hang"} {
		server.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	}
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if p, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok {
				return &rawAnswer{raw: `{"resultType":"task","taskId":"` + p.Name + `","status":"working","ttlMs":60000,"pollIntervalMs":1}`}, nil
			}
			return next(ctx, method, req)
		}
	})
	answers := ""
	require.NoError(t, sdk.AddReceivingCustomMethod(server, "tasks/get", func(_ context.Context, _ *sdk.ServerSession, p *rawParams) (*rawAnswer, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		status := `"status":"working","statusMessage":"halfway"`
		switch s.gets++; {
		case p.TaskID == "hang":
			select {
			case s.polled <- struct{}{}:
			default:
			}
		case p.TaskID == "fail":
			status = `"status":"failed","error":{"code":-32603,"message":"broke"}`
		case p.TaskID == "ask" && answers != "":
			status = `"status":"completed","result":{"content":[{"type":"text","text":` + answers + `}],"structuredContent":{"big":12345678901234567890}}`
		case p.TaskID == "ask" && s.gets > 1:
			status = `"status":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}}`
		}
		return &rawAnswer{raw: `{"resultType":"complete","taskId":"` + p.TaskID + `",` + status + `}`}, nil
	}))
	require.NoError(t, sdk.AddReceivingCustomMethod(server, "tasks/update", func(_ context.Context, _ *sdk.ServerSession, p *rawParams) (*rawAnswer, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		text, err := json.Marshal(string(p.InputResponses["k"]))
		answers = string(text)
		return &rawAnswer{raw: `{}`}, err
	}))
	require.NoError(t, sdk.AddReceivingCustomMethod(server, "tasks/cancel", func(context.Context, *sdk.ServerSession, *rawParams) (*rawAnswer, error) {
		close(s.cancelled)
		return &rawAnswer{raw: `{}`}, nil
	}))
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "tasks/get" {
			s.mu.Lock()
			s.name = r.Header.Get("Mcp-Name")
			s.mu.Unlock()
		}
		inner.ServeHTTP(w, r)
	})
}

func TestTasksOfTheExtensionAreFollowed(t *testing.T) {
	s := &taskServer{polled: make(chan struct{}, 1), cancelled: make(chan struct{})}
	web := httptest.NewServer(s.handler(t))
	t.Cleanup(web.Close)
	c := open(t, mcp.Spec{URL: web.URL}, &mcp.Options{Elicit: func(_ context.Context, q mcp.Question) (mcp.Answer, error) {
		require.Equal(t, "who?", q.Message)
		return mcp.Answer{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
	}})
	var notes bytes.Buffer
	res, err := c.Call(t.Context(), mcp.Call{Tool: "ask", Notes: &notes})
	require.JSONEq(t, `{"action":"accept","content":{"name":"Ada"}}`, text(t, res, err))
	require.Equal(t, `{"big":12345678901234567890}`, string(res.Structured), "as it was written")
	require.Contains(t, notes.String(), "[progress] working: halfway\n")
	s.mu.Lock()
	require.Equal(t, "ask", s.name, "the header that names the task")
	s.mu.Unlock()

	_, err = c.Call(t.Context(), mcp.Call{Tool: "fail"})
	require.ErrorContains(t, err, "broke")

	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-s.polled; cancel() }()
	_, err = c.Call(ctx, mcp.Call{Tool: "hang"})
	require.ErrorContains(t, err, "interrupted")
	<-s.cancelled
}

// A real server of 2025-11-25 that asks in the midst of a task.
func TestTasksOfTheHandshakeRevisionAreFollowed(t *testing.T) {
	asked := ""
	c := open(t, npm(t, "server-everything"), &mcp.Options{Elicit: func(_ context.Context, q mcp.Question) (mcp.Answer, error) {
		asked = q.Message
		return mcp.Answer{Action: "accept", Content: map[string]any{"interpretation": "snake"}}, nil
	}})
	var notes bytes.Buffer
	res, err := c.Call(t.Context(), mcp.Call{Tool: "simulate-research-query", Arguments: json.RawMessage(`{"topic":"python","ambiguous":true}`), Task: true, Notes: &notes})
	require.Contains(t, text(t, res, err), "# Research Report: python (snake)")
	require.Contains(t, asked, "multiple interpretations")
	require.Contains(t, notes.String(), "Gathering sources")
}
