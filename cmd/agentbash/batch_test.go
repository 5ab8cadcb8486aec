package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/batch"
)

// batchModel is a model for many runs at once: of each it wants two commands, and then it
// is done. What it answers depends on the conversation alone.
type batchModel struct {
	*httptest.Server
	finished chan int // how many runs it has seen to their end, each time

	mu       sync.Mutex
	requests map[string]int // by task
	ended    int
	hold     chan string // tasks whose second request waits for the client to go; nil: none does
}

var taskName = regexp.MustCompile(`task-\d+`)

func startBatchModel(t *testing.T) *batchModel {
	m := &batchModel{requests: map[string]int{}, finished: make(chan int, 100_000)}
	m.Server = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.Close)
	return m
}

func (m *batchModel) answer(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Messages []struct{ Role, Content string }
	}
	if json.NewDecoder(r.Body).Decode(&q) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	task, steps := "", 0
	for _, msg := range q.Messages {
		if msg.Role == "user" && task == "" {
			task = taskName.FindString(msg.Content)
		}
		if msg.Role == "tool" {
			steps++
		}
	}
	m.mu.Lock()
	m.requests[task]++
	hold := m.hold
	if steps == 2 {
		m.ended++
		m.finished <- m.ended
	}
	m.mu.Unlock()
	if hold != nil && steps == 1 {
		hold <- task
		<-r.Context().Done()
		return
	}
	delta := map[string]any{"role": "assistant", "content": "Finished " + task + "."}
	reason := "stop"
	if steps < 2 {
		arguments, _ := json.Marshal(map[string]string{"command": fmt.Sprintf("echo %s step %d >> ran", task, steps)})
		delta["content"], reason = "Step.", "tool_calls"
		delta["tool_calls"] = []any{map[string]any{"index": 0, "id": fmt.Sprintf("c%d", steps), "type": "function",
			"function": map[string]string{"name": "bash", "arguments": string(arguments)}}}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []map[string]any{{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}}},
		{"choices": []any{}, "usage": map[string]int{"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}}} {
		data, _ := json.Marshal(chunk)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// setHold has the second request of each run wait from here on, or not.
func (m *batchModel) setHold(hold chan string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hold = hold
}

func (m *batchModel) requestsOf(task string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[task]
}

// batchDir is a directory with so many tasks, the program as agentbash, and what a run's
// environment needs for the model.
func batchDir(t *testing.T, m *batchModel, tasks int) (dir string, environ []string) {
	dir = t.TempDir()
	var lines strings.Builder
	for n := range tasks {
		fmt.Fprintf(&lines, "{\"id\": \"task-%d\", \"prompt\": \"Do task-%d, please.\"}\n", n, n)
	}
	for _, name := range []string{"bin", "home", "results"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tasks.jsonl"), []byte(lines.String()), 0o600))
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(dir, "bin", "agentbash")))
	home := filepath.Join(dir, "home")
	return dir, append(os.Environ(), asProgram+"=1", "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home,
		"OPENAI_BASE_URL="+m.URL, "OPENAI_API_KEY=k", "AGENTBASH_MODEL=scripted-1")
}

// requireOnce checks that no command ran twice, and returns how many ran.
func requireOnce(t *testing.T, dir string) int {
	ran, err := os.ReadFile(filepath.Join(dir, "ran"))
	require.NoError(t, err)
	seen := map[string]bool{}
	for line := range strings.Lines(string(ran)) {
		require.False(t, seen[line], "it ran twice: %s", line)
		seen[line] = true
	}
	return len(seen)
}

func results(t *testing.T, dir string) []string {
	names, err := filepath.Glob(filepath.Join(dir, "results", "*.json"))
	require.NoError(t, err)
	return names
}

// TestABatchUnderParallel has GNU parallel do 200 tasks by the script that is printed for it,
// which is killed three times with all that it started: each task is done once.
func TestABatchUnderParallel(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("parallel"); err != nil {
		t.Skip("SKIPPED: there is no GNU parallel: apt-get install parallel")
	}
	const tasks = 200
	m := startBatchModel(t)
	dir, environ := batchDir(t, m, tasks)
	command := func(words ...string) *exec.Cmd {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, environ, &syscall.SysProcAttr{Setsid: true}
		return cmd
	}
	script, err := command(filepath.Join(dir, "bin", "agentbash"), "batch", "parallel", "tasks.jsonl", "--jobs", "6", "--", "--mode", "full").Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.sh"), script, 0o600))
	told := map[string]int{}
	for _, stop := range []struct {
		after  int
		signal syscall.Signal
	}{{40, syscall.SIGKILL}, {90, syscall.SIGTERM}, {150, syscall.SIGKILL}} {
		cmd := command("bash", "run.sh")
		require.NoError(t, cmd.Start())
		for n := range m.finished {
			if n >= stop.after {
				break
			}
		}
		signalSession(t, cmd.Process.Pid, stop.signal)
		require.Error(t, cmd.Wait(), "it was stopped")
		signalSession(t, cmd.Process.Pid, syscall.SIGKILL)
		for task, requests := range told {
			require.Equal(t, requests, m.requestsOf(task), "%s was finished before", task)
		}
		for _, name := range results(t, dir) {
			if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), `"success":true`) {
				task := strings.TrimSuffix(filepath.Base(name), ".json")
				told[task] = m.requestsOf(task)
			}
		}
		require.Less(t, len(told), tasks)
	}
	out, err := command("bash", "run.sh").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for task, requests := range told {
		require.Equal(t, requests, m.requestsOf(task), "%s was finished before", task)
	}
	require.Len(t, results(t, dir), tasks)
	steps := requireOnce(t, dir)
	table, err := command(filepath.Join(dir, "bin", "agentbash"), "batch", "collect", "results", "--tasks", "tasks.jsonl").Output()
	require.NoError(t, err, "%s", table)
	require.Contains(t, string(table), "\n200 tasks: 200 done; ")
	t.Logf("of %d commands %d ran, each once; %d tasks were finished before the last start", 2*tasks, steps, len(told))
}

// signalSession sends a signal to every process of a session (setsid(2)).
func signalSession(t *testing.T, session int, signal syscall.Signal) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		var pid, parent, group, of int
		var state string
		fmt.Sscan(string(data), &pid)
		fmt.Sscan(string(data[strings.LastIndexByte(string(data), ')')+1:]), &state, &parent, &group, &of)
		if of == session {
			syscall.Kill(pid, signal)
		}
	}
}

// TestABatchOfPods starts eight runs as Kubernetes starts the pods of an indexed job, ends
// them in the middle, by SIGTERM or a lost node, and starts them again.
func TestABatchOfPods(t *testing.T) {
	t.Parallel()
	const pods = 8
	m := startBatchModel(t)
	dir, environ := batchDir(t, m, pods)
	start := func(index int) *exec.Cmd {
		cmd := exec.Command(filepath.Join(dir, "bin", "agentbash"), "-p", "--task-file", "tasks.jsonl", "--run-key", "pods-{id}", "--result-file", "results/{id}.json", "--mode", "full")
		cmd.Dir = dir
		cmd.Env = append(environ[:len(environ):len(environ)], fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index), fmt.Sprintf("XDG_STATE_HOME=%s/state-%d", dir, index))
		return cmd
	}
	hold := make(chan string)
	m.setHold(hold)
	cmds := map[string]*exec.Cmd{}
	for n := range pods {
		cmd := start(n)
		require.NoError(t, cmd.Start())
		cmds[fmt.Sprintf("task-%d", n)] = cmd
	}
	for n := range pods {
		cmd, signal := cmds[<-hold], syscall.SIGTERM
		if n%2 == 1 {
			signal = syscall.SIGKILL
		}
		require.NoError(t, cmd.Process.Signal(signal))
		require.Error(t, cmd.Wait())
		if signal == syscall.SIGTERM {
			require.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
		}
	}
	require.Len(t, results(t, dir), pods/2, "who was asked to end told that it did")
	m.setHold(nil)
	for range 2 { // the second time there is nothing to do
		for n := range pods {
			cmds[fmt.Sprintf("task-%d", n)] = start(n)
		}
		for task, cmd := range cmds {
			out, err := cmd.Output()
			require.NoError(t, err)
			require.Equal(t, "Finished "+task+".\n", string(out))
			require.Equal(t, 4, m.requestsOf(task), "two, of which one was broken off, and two after that")
			var result struct {
				Success       bool
				RunKey        string `json:"run_key"`
				Requests      int
				Calls         int `json:"tool_calls"`
				Usage         struct{ Prompt int }
				ExitStatus    *int `json:"exit_status"`
				Session, Task string
			}
			data, err := os.ReadFile(filepath.Join(dir, "results", task+".json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &result))
			require.Equal(t, []any{true, "pods-" + task, 3, 2, 30, 0, task}, []any{result.Success, result.RunKey, result.Requests, result.Calls, result.Usage.Prompt, *result.ExitStatus, result.Task})
		}
	}
	require.Equal(t, 2*pods, requireOnce(t, dir))
}

// TestARunInUseIsTheOthersToTell: who comes second under a key leaves the result file alone.
func TestARunInUseIsTheOthersToTell(t *testing.T) {
	t.Parallel()
	cmd := program(t, nil, "-p", "x", "--run-key", "k", "--result-file", "r.json", "--base-url", "http://127.0.0.1:1/v1", "--model", "m")
	state := filepath.Join(cmd.Dir, "state")
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state)
	run, err := batch.OpenRun(filepath.Join(state, "agentbash", "runs"), "k", "x")
	require.NoError(t, err)
	defer run.Close()
	out, err := cmd.CombinedOutput()
	require.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), "%v", err)
	require.Contains(t, string(out), "run k goes on in another process: wait for that one")
	require.NoFileExists(t, filepath.Join(cmd.Dir, "r.json"))
}
