package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTerminal(t *testing.T) {
	for _, row := range []struct {
		text    string
		want    Terminal
		problem string
	}{
		{`{}`, Terminal{}, ""},
		{`{"statusLine": "date", "notify": "never", "theme": "dark", "vim": true, "keys": {"ctrl-s": "submit"}}`,
			Terminal{StatusLine: "date", Notify: "never", Theme: "dark", Vim: true, Keys: map[string]string{"ctrl-s": "submit"}}, ""},
		{`{"statusLine": {"type": "command", "command": "~/status.sh"}}`, Terminal{StatusLine: "~/status.sh"}, ""},
		{`{"statusLine": {"type": "text"}}`, Terminal{}, "statusLine: write a command line, or"},
		{`{"statusLine": 5}`, Terminal{}, "statusLine: write a command line, or"},
		{`{"notify": "sometimes"}`, Terminal{}, `notify: "sometimes": use unfocused, always, never`},
		{`{"keys": {"ctrl-s": 5}}`, Terminal{}, "keys.ctrl-s: a number stands where a string is wanted"},
		{`{"statusline": "x"}`, Terminal{}, "did you mean statusLine?"},
	} {
		r, err := newTestHome(t, map[string]string{userFile: row.text}).try()
		if row.problem != "" {
			require.ErrorContains(t, err, row.problem)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, row.want, r.Terminal)
	}
	r := newTestHome(t, map[string]string{userFile: `{"theme": "dark"}`, projectOwn: `{"statusLine": "curl example.com", "theme": "light"}`}).load()
	require.Equal(t, Terminal{Theme: "dark"}, r.Terminal)
	require.Len(t, r.Warnings, 1)
	require.ErrorContains(t, r.Warnings[0], "a project's file cannot say how your terminal is used")
}
