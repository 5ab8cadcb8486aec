package fieldbash_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

func TestElicitationAsksThePerson(t *testing.T) {
	var asked mcp.Question
	b := everything(t, &fieldbash.Options{Elicit: func(server string, q mcp.Question) mcp.Answer {
		asked = q
		return mcp.Answer{Action: "accept", Content: map[string]any{"name": "Ada"}}
	}})
	require.Contains(t, b.ok(t, "field:everything:trigger-elicitation-request"), "Ada")
	require.NotEmpty(t, asked.Message)
	require.Contains(t, string(asked.Schema), `"name"`)
}

// A person is asked in the order of the schema: what comes first may explain the rest.
func TestElicitationKeepsTheOrderOfTheSchema(t *testing.T) {
	const schema = `{"type":"object","properties":{"zeta":{"type":"string"},"mid":{"type":"integer"},"alpha":{"type":"boolean"}},"required":["zeta"]}`
	const script = `while read -r line; do
  [[ $line =~ \"id\":\ *([0-9]+) ]] || continue
  id=${BASH_REMATCH[1]}
  case $line in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
  *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}}]}}';;
  *'"tools/call"'*)
    echo '{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"m","requestedSchema":'"$0"'}}'
    read -r answer
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}';;
  *) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done`
	var asked mcp.Question
	b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": {Command: "bash", Args: []string{"-c", script, schema}}}},
		&fieldbash.Options{Elicit: func(_ string, q mcp.Question) mcp.Answer {
			asked = q
			return mcp.Answer{Action: "accept", Content: map[string]any{"zeta": "z"}}
		}})
	require.Equal(t, "done\n", b.ok(t, "field:s:ask"))
	require.Equal(t, schema, string(asked.Schema))
}

func TestSamplingIsOffUnlessTheConfigAllowsIt(t *testing.T) {
	opts := func() *fieldbash.Options {
		return &fieldbash.Options{Sample: func(_ context.Context, server string, p mcp.Prompting) (mcp.Completion, error) {
			return mcp.Completion{Model: "m", Text: "reply to " + p.Messages[0].Content.Text, StopReason: "endTurn"}, nil
		}}
	}
	const call = "field:everything:trigger-sampling-request"
	require.Equal(t, 127, everything(t, opts()).run(t, call, "--prompt", "hello").status, "the server does not even offer it")

	s := server(t, "server-everything")
	s.Sampling = true
	b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"everything": s}}, opts())
	require.Contains(t, b.ok(t, call, "--prompt", "hello"), "reply to ")
}

func TestTryingOutAGroup(t *testing.T) {
	s := server(t, "server-memory")
	b := layer(t, fieldbash.Config{
		MCPServers: map[string]fieldbash.Server{"memory": s, "broken": {Command: "false"}},
		Functions:  map[string][]fieldbash.Function{"fn": {execFunction(t, "f", "echo", "")}},
	}, nil)
	ctx := t.Context()
	r, err := b.Test(ctx, "memory")
	require.NoError(t, err)
	require.Len(t, r.Tools, 9)
	require.Contains(t, r.Server, "memory-server")
	require.NotEmpty(t, r.Protocol)
	require.NotZero(t, r.Start)
	require.NotZero(t, r.List)
	require.NotZero(t, r.Ping)

	r, err = b.Test(ctx, "fn")
	require.NoError(t, err)
	require.Equal(t, []string{"field:fn:f"}, r.Tools)

	_, err = b.Test(ctx, "broken")
	require.Equal(t, 3, registry.ExitStatus(err))
	require.ErrorContains(t, err, "field:broken: start: the server ended before it answered")

	_, err = b.Test(ctx, "memry")
	require.Equal(t, 127, registry.ExitStatus(err))
	require.ErrorContains(t, err, "did you mean field:memory?")
}
