package chat

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// What a command writes is told while it runs, without secrets, and goes on from there.
func TestOutputIsToldMeanwhile(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	require.NoError(t, syscall.Mkfifo(first, 0o600))
	require.NoError(t, syscall.Mkfifo(second, 0o600))
	r, err := router.New(registry.New(), &router.Options{Dir: dir, Secrets: []string{"hunter2hunter2"}})
	require.NoError(t, err)
	defer r.Close()
	var told []Output
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: []modelserver.ToolCall{{Command: "seq 3000; echo hunter2hunter2 one >&2; read x <first; printf 'prompt> '; read x <second; echo end"}}}, {Text: "done"}}}, func(o *Options) {
		o.Runner = &RouterRunner{Router: r}
		o.Events = func(e Event) {
			if out, ok := e.(Output); ok {
				told = append(told, out)
				switch {
				case strings.Contains(out.Text, " one\n"):
					require.NoError(t, os.WriteFile(first, []byte("\n"), 0))
				case out.Text == "prompt> ":
					require.NoError(t, os.WriteFile(second, []byte("\n"), 0))
				}
			}
		}
	})
	answer, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "done", answer)
	k.played(t)
	require.NotEmpty(t, told)
	all, bytes := "", 0
	for _, o := range told {
		require.Equal(t, told[0].ID, o.ID)
		require.LessOrEqual(t, len(o.Text), mostOutput)
		all += o.Text
		bytes += len(o.Text) + int(o.Omitted)
	}
	require.Contains(t, all, "\n3000\n")
	require.NotContains(t, all, "hunter2")
	require.True(t, strings.HasSuffix(all, " one\nprompt> "), "%q", all[max(0, len(all)-100):])
	require.Greater(t, bytes, 13_000)
}

func TestTheEndOfMuchOutput(t *testing.T) {
	l := &liveOutput{}
	io.WriteString(l, strings.Repeat("x", 3*mostOutput)+"\nlast\nopen")
	text, omitted := l.take()
	require.Equal(t, "last\n", text)
	require.EqualValues(t, 3*mostOutput+1, omitted)
	text, _ = l.take()
	require.Equal(t, "open", text, "it stays as it is")
}
