package fieldbash_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

func TestSecretsAreNotShown(t *testing.T) {
	var log []string
	b := layer(t, config(t, `{"mcpServers": {
		"tells": {"command": "sh", "args": ["-c", "echo \"bad key $API_KEY\" >&2; exit 1", "--token", "argsecret", "--api-key=inline-secret"], "env": {"API_KEY": "envsecret", "MODE": "production"}},
		"web": {"url": "http://user:urlpassword@127.0.0.1:1/mcp?api_key=querysecret&page=visible", "headers": {"Authorization": "Bearer headersecret"}}
	}}`), &fieldbash.Options{Log: func(f string, a ...any) { log = append(log, fmt.Sprintf(f, a...)) }})
	text := fmt.Sprint(log)
	for _, g := range b.Groups() {
		text += g.Name + ": " + g.Summary + "\n"
		text += b.run(t, "field:"+g.Name+":x").stderr + "\n"
	}
	require.Contains(t, text, "bad key [redacted]")
	require.Contains(t, text, "MCP server at http://127.0.0.1:1/mcp\n")
	require.Contains(t, text, "connection refused")
	for _, secret := range []string{"argsecret", "inline-secret", "envsecret", "urlpassword", "querysecret", "headersecret"} {
		require.NotContains(t, text, secret)
	}
}
