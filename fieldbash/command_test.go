package fieldbash_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
)

func (b bench) command(t testing.TB, group string, words ...string) out {
	t.Helper()
	var stdout, stderr bytes.Buffer
	res := b.Command(t.Context(), group, words, &registry.Call{Dir: b.dir, Stdout: &stdout, Stderr: &stderr})
	return out{stdout.String(), stderr.String(), res.ExitStatus}
}

func TestResourcesAndPrompts(t *testing.T) {
	b := everything(t, nil)
	for _, row := range []struct {
		name           string
		words          []string
		stdout, stderr string
		status         int
	}{
		{"resources", []string{"resources"}, "demo://resource/static/document/", "", 0},
		{"templates", []string{"resources"}, "demo://resource/dynamic/text/{resourceId}: ", "", 0},
		{"read", []string{"read", "demo://resource/dynamic/text/7"}, "Resource 7", "", 0},
		{"read bytes", []string{"read", "demo://resource/dynamic/blob/7"}, "", "resource (", 0},
		{"read json", []string{"read", "demo://resource/dynamic/text/7", "-o", "json"}, `"uri":"demo://resource/dynamic/text/7"`, "", 0},
		{"read nothing", []string{"read"}, "", "missing --uri", 2},
		{"read what is not there", []string{"read", "demo://nope"}, "", "the server refused the request", 1},
		{"prompts", []string{"prompts"}, "args-prompt --city TEXT [--state TEXT]: ", "", 0},
		{"prompts json", []string{"prompts", "-o", "json"}, `"name":"simple-prompt"`, "", 0},
		{"prompt", []string{"prompt", "args-prompt", "--city", "Oslo"}, "Oslo", "", 0},
		{"prompt, a positional", []string{"prompt", "args-prompt", "Oslo", "--state", "Viken"}, "Oslo, Viken", "", 0},
		{"prompt, missing", []string{"prompt", "args-prompt"}, "", "missing --city", 2},
		{"prompt, unknown argument", []string{"prompt", "args-prompt", "Oslo", "--stat", "x"}, "", "did you mean --state?", 2},
		{"prompt, unknown", []string{"prompt", "arg-prompt"}, "", "did you mean args-prompt?", 2},
		{"no such command", []string{"sing"}, "", "write field:everything resources, read URI, subscribe URI, prompts or prompt NAME", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := b.command(t, "everything", row.words...)
			require.Equal(t, row.status, o.status, "stdout: %s\nstderr: %s", o.stdout, o.stderr)
			require.Contains(t, o.stdout, row.stdout)
			require.Contains(t, o.stderr, row.stderr)
		})
	}
	require.True(t, json.Valid([]byte(b.command(t, "everything", "resources", "-o", "raw").stdout)))
}

func TestServerWithoutResources(t *testing.T) {
	b := layer(t, config(t, `{}`), nil)
	require.False(t, b.IsCommand("nope", []string{"resources"}))
	require.Equal(t, 2, b.command(t, "nope", "resources").status)
}
