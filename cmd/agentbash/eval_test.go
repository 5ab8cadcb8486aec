package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/eval"
	"github.com/agentbash/agentbash/internal/modelserver"
)

// scriptedModels is the address of a model that knows each task's script, but for those of
// which lazy says that it does nothing; it serves each task once.
func scriptedModels(t *testing.T, lazy func(task string) bool) string {
	type one struct {
		prompt []byte
		proxy  http.Handler
	}
	var all []one
	paths, err := filepath.Glob("../../testdata/eval/*/task.md")
	require.NoError(t, err)
	require.Len(t, paths, 10)
	for _, p := range paths {
		prompt, err := os.ReadFile(p)
		require.NoError(t, err)
		script, err := modelserver.Load(filepath.Join(filepath.Dir(p), "model.json"))
		require.NoError(t, err)
		if lazy(filepath.Base(filepath.Dir(p))) {
			script.Replies = script.Replies[len(script.Replies)-1:]
		}
		server, err := modelserver.Start(script, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, server.Close()) })
		u, err := url.Parse(strings.TrimSuffix(server.BaseURL, "/v1"))
		require.NoError(t, err)
		quoted, err := json.Marshal(strings.TrimSpace(string(prompt)))
		require.NoError(t, err)
		all = append(all, one{bytes.Trim(quoted, `"`), httputil.NewSingleHostReverseProxy(u)})
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		for _, o := range all {
			if bytes.Contains(body, o.prompt) {
				o.proxy.ServeHTTP(w, r)
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL + "/v1"
}

// TestEval gives the ten tasks to two scripted models, of which one does nothing for three;
// variables that name another do not come before the files.
func TestEval(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	cmd := program(t, []string{"TMPDIR=" + temp, config.EnvModel + "=other", config.EnvBaseURL + "=http://127.0.0.1:1/v1"})
	tasks, err := filepath.Abs("../../testdata/eval")
	require.NoError(t, err)
	for name, lazy := range map[string]func(string) bool{
		"able.json": func(string) bool { return false },
		"lazy.json": func(task string) bool { return strings.Contains("find-the-commit unique-lines rename-function", task) },
	} {
		data, err := json.Marshal(map[string]string{"baseURL": scriptedModels(t, lazy), "model": "gpt-5", "apiKey": "k"})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, name), data, 0o600))
	}
	cmd.Args = append(cmd.Args, "eval", "--tasks", tasks, "--jobs", "2", "--json", "able.json", "lazy.json")
	out, err := cmd.Output()
	require.NoError(t, err)
	var got struct{ Configurations []eval.Summary }
	require.NoError(t, json.Unmarshal(out, &got))
	able, lazy := got.Configurations[0], got.Configurations[1]
	for _, a := range able.Attempts {
		require.True(t, a.Done, "%s: %s", a.Task, a.Why)
	}
	require.InDelta(t, 1, able.Success.Value, 0)
	require.InDelta(t, 0.7, lazy.Success.Value, 1e-9)
	require.Greater(t, able.Calls.Value, lazy.Calls.Value)
	require.Greater(t, able.Tokens.Value, 1000.0)
	require.Positive(t, able.Cost.Value)
	left, err := filepath.Glob(filepath.Join(temp, "agentbash-eval-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
