package modelserver

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary be the command that the server runs: a client
// that sends the request in CLIENT_BODY.
func TestMain(m *testing.M) {
	if request := os.Getenv("CLIENT_BODY"); request != "" {
		os.Exit(client(request))
	}
	os.Exit(m.Run())
}

func client(request string) int {
	resp, err := http.Post(os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "application/json", strings.NewReader(request))
	if err != nil {
		return 3
	}
	defer resp.Body.Close()
	io.Copy(os.Stdout, resp.Body)
	if resp.StatusCode != http.StatusOK || os.Getenv("OPENAI_API_KEY") == "" {
		return 4
	}
	return 0
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	script := write("good.json", `{"replies":[{"text":"hello"}]}`)
	strict := write("strict.json", `{"replies":[{"expect":{"equals":"nobody says this"},"text":"hello"}]}`)
	long := write("long.json", `{"replies":[{"text":"hello"},{"text":"again"}]}`)
	typo := write("typo.json", `{"replies":[{"txt":"hello"}]}`)
	silent := write("silent.json", `{"replies":[{}]}`)
	log := filepath.Join(dir, "log.jsonl")

	tests := []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"plays the script", []string{"-script", script, "-log", log, "--", os.Args[0]}, 0, "hello", ""},
		{"wants the exit status", []string{"-script", script, "-status", "4", "--", os.Args[0]}, 1, "hello", "exit status 0, not 4"},
		{"has the exit status", []string{"-script", strict, "-status", "4", "--", os.Args[0]}, 1, "expected something else", "content is not \"nobody says this\""},
		{"reports what was not asked for", []string{"-script", long, "--", os.Args[0]}, 1, "hello", "1 of 2 replies"},
		{"measures", []string{"-script", script, "-runs", "3", "--", os.Args[0]}, 0, "runs 3  first request ", ""},
		{"an unknown key", []string{"-script", typo, "--", os.Args[0]}, 1, "", `unknown field "txt"`},
		{"a silent reply", []string{"-script", silent, "--", os.Args[0]}, 1, "", "reply 1 says nothing"},
		{"no script", []string{"-script", filepath.Join(dir, "none"), "--", os.Args[0]}, 1, "", "no such file"},
		{"no such command", []string{"-script", script, "--", filepath.Join(dir, "none")}, 1, "", "no such file"},
		{"no arguments", nil, 2, "", "usage: modelserver"},
		{"help", []string{"-h"}, 0, "", "usage: modelserver"},
	}
	t.Setenv("CLIENT_BODY", body(msg("user", "hi")))
	t.Setenv("OPENAI_API_KEY", "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			status := Main(context.Background(), tt.args, strings.NewReader(""), &stdout, &stderr)
			require.Equal(t, tt.status, status, "%s", &stderr)
			require.Contains(t, stdout.String(), tt.stdout)
			require.Contains(t, stderr.String(), tt.stderr)
		})
	}
	data, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Contains(t, string(data), `"path":"/v1/chat/completions"`)
}

func TestCommandServesUntilItIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "s.json")
	require.NoError(t, os.WriteFile(script, []byte(`{"replies":[{"text":"hello"}]}`), 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	var stderr bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- Main(ctx, []string{"-script", script}, nil, w, &stderr) }()
	line := make([]byte, 200)
	n, err := r.Read(line)
	require.NoError(t, err)
	base := strings.TrimSpace(string(line[:n]))
	resp, err := http.Post(base+"/chat/completions", "application/json", strings.NewReader(body(msg("user", "hi"))))
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	cancel()
	require.Equal(t, 0, <-done, "%s", &stderr)
}
