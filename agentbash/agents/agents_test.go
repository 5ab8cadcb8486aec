package agents

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// call runs a tool.
func call(t *testing.T, a *Agents, name string, kwargs registry.Kwargs) (stdout, stderr string, res registry.ToolResult) {
	t.Helper()
	var out, errs bytes.Buffer
	for _, tool := range a.Tools() {
		if tool.Name == name {
			res = tool.Invoke(context.Background(), &registry.Call{Kwargs: kwargs, Dir: "/", Stdout: &out, Stderr: &errs})
		}
	}
	return out.String(), errs.String(), res
}

func TestAgentsAnswerAndAreBounded(t *testing.T) {
	begun, release := make(chan string, 10), make(chan struct{})
	a := New(&Options{Work: func(task Task) Work {
		return func(ctx context.Context, step func(string)) (string, error) {
			step("$ ls")
			begun <- task.ID
			select {
			case <-release:
			case <-ctx.Done():
				return "", ctx.Err()
			}
			if task.Prompt == "fail" {
				return "", errors.New("the server is gone")
			}
			return "answer to " + task.Prompt + task.Mode + task.Model, nil
		}
	}})
	defer a.Close()
	_, text, _ := call(t, a, "agent_start", nil)
	require.Contains(t, text, "there are no agents")
	_, text, _ = call(t, a, "agent_output", registry.Kwargs{"agent_id": "a1"})
	require.Contains(t, text, "none was started")
	for i, prompt := range []string{"one ", "fail", "three", "four", "five", "six"} {
		id, _, res := call(t, a, "agent_start", registry.Kwargs{"task": prompt, "mode": "plan", "model": " m"})
		require.True(t, res.Success, res.Error)
		require.Equal(t, "a"+string(rune('1'+i))+"\n", id)
	}
	for range mostAtOnce {
		<-begun
	}
	list, _, _ := call(t, a, "agent_start", nil)
	require.Equal(t, 4, strings.Count(list, ": running, "), list)
	require.Equal(t, 2, strings.Count(list, ": waiting, "), list)
	require.Equal(t, 6, a.Running())

	_, text, res := call(t, a, "agent_output", registry.Kwargs{"agent_id": "a6", "wait": true, "timeout": 0.001})
	require.Equal(t, 124, res.ExitStatus)
	require.Contains(t, res.Error+text, "agent_stop a6")
	_, text, res = call(t, a, "agent_stop", registry.Kwargs{"agent_id": "a6"})
	require.True(t, res.Success)
	require.Contains(t, text, "a6: terminated")
	_, _, res = call(t, a, "agent_stop", registry.Kwargs{"agent_id": "6"})
	require.Contains(t, res.Error, "has ended already")

	close(release)
	out, text, res := call(t, a, "agent_output", registry.Kwargs{"agent_id": "a1", "wait": true})
	require.True(t, res.Success, res.Error)
	require.Equal(t, "answer to one plan m\n", out)
	require.Contains(t, text, "a1: completed, ")
	_, text, res = call(t, a, "agent_output", registry.Kwargs{"agent_id": "a2", "wait": true})
	require.Equal(t, 1, res.ExitStatus)
	require.Contains(t, text, "failed, 0s, 1 command (the server is gone)")
	call(t, a, "agent_output", registry.Kwargs{"agent_id": "a5", "wait": true})
	require.NoError(t, a.Close())
	require.Zero(t, a.Running())
	shown, err := a.Show("a5")
	require.NoError(t, err)
	require.Contains(t, shown, "$ ls\nanswer to five")
}

func TestATaskOnStdin(t *testing.T) {
	a := New(&Options{Work: func(task Task) Work {
		return func(context.Context, func(string)) (string, error) { return task.Prompt, nil }
	}})
	defer a.Close()
	var out, notes bytes.Buffer
	for _, input := range []string{"count the files\n", ""} {
		a.startTool().Invoke(context.Background(), &registry.Call{Dir: "/", Stdin: strings.NewReader(input), Stdout: &out, Stderr: &notes})
	}
	require.Equal(t, "a1\na1: ", out.String()[:7], "without a text they are listed")
	answer, _, _ := call(t, a, "agent_output", registry.Kwargs{"agent_id": "a1", "wait": true})
	require.Equal(t, "count the files\n\n", answer)
}

func TestALookShowsWhatIsNew(t *testing.T) {
	steps, end := make(chan string), make(chan struct{})
	a := New(&Options{Work: func(Task) Work {
		return func(_ context.Context, step func(string)) (string, error) {
			for s := range steps {
				step(s)
				end <- struct{}{}
			}
			return "", nil
		}
	}})
	defer a.Close()
	call(t, a, "agent_start", registry.Kwargs{"task": "t"})
	for _, s := range []string{"one", "two"} {
		steps <- s
		<-end
		out, _, _ := call(t, a, "agent_output", registry.Kwargs{"agent_id": "a1"})
		require.Equal(t, s+"\n", out)
	}
	out, _, _ := call(t, a, "agent_output", registry.Kwargs{"agent_id": "a1"})
	require.Empty(t, out)
	close(steps)
	require.NoError(t, a.Close())
	require.Empty(t, New(&Options{}).Tools(), "where nobody works there is no tool")
}
