package clarify

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

func TestClarify(t *testing.T) {
	var asked []Question
	says := func(answer string, err error) func(context.Context, Question) (string, error) {
		return func(_ context.Context, q Question) (string, error) {
			asked = append(asked, q)
			return answer, err
		}
	}
	silent := func(ctx context.Context, _ Question) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	for _, row := range []struct {
		name     string
		ask      func(context.Context, Question) (string, error)
		words    []string
		out, err string
		exit     int
		asked    []Question
	}{
		{"an answer", says("blue", nil), []string{"Which?"}, "blue\n", "", 0, []Question{{Text: "Which?"}}},
		{"choices as JSON", says("a", nil), []string{"--question", "Q", "--choices", `["a", "b"]`, "--default", "b"}, "a\n", "", 0, []Question{{Text: "Q", Choices: []string{"a", "b"}, Default: "b"}}},
		{"choices one by one", says("a", nil), []string{"Q", "--choices", "a", "--choices=b c"}, "a\n", "", 0, []Question{{Text: "Q", Choices: []string{"a", "b c"}}}},
		{"nobody, with a default", nil, []string{"Q", "--default", "yes"}, "yes\n", "nobody can be asked: this is the default\n", 0, nil},
		{"nobody", nil, []string{"Q"}, "", "clarify: nobody can be asked: decide by yourself and say so, or give --default\n", 126, nil},
		{"nobody after all", says("", ErrNobody), []string{"Q"}, "", "clarify: nobody can be asked: decide by yourself and say so, or give --default\n", 126, []Question{{Text: "Q"}}},
		{"no time, with a default", silent, []string{"Q", "--timeout", "0.1", "--default", "d"}, "d\n", "nobody answered in time: this is the default\n", 0, nil},
		{"no time", silent, []string{"Q", "--timeout", "0.1"}, "", "clarify: nobody answered in time: decide by yourself and say so, or ask with --default\n", 124, nil},
		{"left without an answer", says("", ErrNoAnswer), []string{"Q", "--default", "d"}, "", "clarify: the person did not answer: do not ask the same again\n", 126, []Question{{Text: "Q", Default: "d"}}},
		{"lost", says("", errors.New("the terminal is gone")), []string{"Q"}, "", "clarify: the terminal is gone\n", 1, []Question{{Text: "Q"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			asked = nil
			var out, notes bytes.Buffer
			res := Tool(&Options{Ask: row.ask}).Command(t.Context(), row.words, &registry.Call{Stdout: &out, Stderr: &notes})
			require.Equal(t, row.exit, res.ExitStatus)
			require.Equal(t, row.out, out.String())
			require.Equal(t, row.err, notes.String())
			require.Equal(t, row.asked, asked)
		})
	}
	for _, words := range [][]string{{}, {" "}, {"Q", "--choices", "a", "--choices", "a"}, {"Q", "--choices", `["a", ""]`}, {"Q", "--timeout", "0"}} {
		var out, notes bytes.Buffer
		require.Equal(t, 2, Tool(&Options{}).Command(t.Context(), words, &registry.Call{Stdout: &out, Stderr: &notes}).ExitStatus, "%q: %s", words, notes.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, 130, Tool(&Options{Ask: silent}).Command(ctx, []string{"Q", "--default", "d"}, &registry.Call{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}).ExitStatus, "a turn that is stopped gets no default")
}
