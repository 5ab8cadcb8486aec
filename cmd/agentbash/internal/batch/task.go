package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Task is one line of a task file.
type Task struct {
	ID     string
	Prompt string
	Flags  map[string]string // of agentbash -p that the line has a value for, by name
}

// taskFlags are the keys of a line that are flags, too. What a run may do is not among them:
// a task file can be a data set of others.
var taskFlags = []string{"dir", "provider", "model", "max_turns", "max_cost", "max_time", "json_schema"}

// ReadTasks reads a task file: a JSON object with a prompt on each line.
func ReadTasks(path string) (tasks []Task, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("task file: %w: name a file with a {\"id\": ID, \"prompt\": TEXT} on each line", err)
	}
	lines := map[string]int{}
	for n, line := range bytes.Split(bytes.TrimPrefix(data, []byte("\uFEFF")), []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		t, err := readTask(line, len(tasks))
		if err == nil && lines[t.ID] > 0 {
			err = fmt.Errorf("line %d has the id %q too: each task has its own", lines[t.ID], t.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("task file %s: line %d: %w", path, n+1, err)
		}
		lines[t.ID] = n + 1
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		err = fmt.Errorf("task file %s: no tasks: write a {\"id\": ID, \"prompt\": TEXT} on each line", path)
	}
	return tasks, err
}

func readTask(line []byte, index int) (Task, error) {
	t := Task{Flags: map[string]string{}}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(line, &values); err != nil {
		return t, fmt.Errorf("%w: write {\"id\": ID, \"prompt\": TEXT}", err)
	}
	text := func(key string) string {
		var s string
		if json.Unmarshal(values[key], &s) != nil {
			s = string(values[key])
		}
		return s
	}
	if t.ID, t.Prompt = text("id"), text("prompt"); t.ID == "" {
		t.ID = strconv.Itoa(index)
	}
	for _, key := range taskFlags {
		if v := text(key); v != "" && v != "null" {
			t.Flags[strings.ReplaceAll(key, "_", "-")] = v
		}
	}
	switch {
	case strings.TrimSpace(t.Prompt) == "":
		return t, fmt.Errorf("it has no prompt: {\"id\": %q, \"prompt\": TEXT}", t.ID)
	case !isFileName(t.ID):
		return t, fmt.Errorf("the id %q is no file name: use letters, digits, _, - and dots within", t.ID)
	}
	return t, nil
}

// isFileName reports whether an ID can stand in file names and keys as it is.
func isFileName(id string) bool {
	return len(id) <= 200 && id[0] != '.' && id[0] != '-' && !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
	})
}

// indexVars are the variables in which engines tell a run its number, and from which number
// they count; the innermost starter comes first.
var indexVars = []struct {
	name string
	from int
}{
	{"PARALLEL_SEQ", 1}, {"JOB_COMPLETION_INDEX", 0}, {"SLURM_ARRAY_TASK_ID", 0}, {"NOMAD_ALLOC_INDEX", 0}, {"AWS_BATCH_JOB_ARRAY_INDEX", 0},
}

// ChooseTask returns the task with a number, from 0; below that the one that the environment names.
func ChooseTask(tasks []Task, number int, lookup func(string) (string, bool)) (Task, error) {
	from := "--task"
	var names []string
	for _, v := range indexVars {
		names = append(names, v.name)
		value, ok := lookup(v.name)
		if number >= 0 || !ok || value == "" {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < v.from {
			return Task{}, fmt.Errorf("%s=%q is not the number of a task: give --task N", v.name, value)
		}
		number, from = n-v.from, v.name
	}
	switch {
	case number < 0:
		return Task{}, fmt.Errorf("which of the %d tasks? give --task N, from 0, or one of %s", len(tasks), strings.Join(names, ", "))
	case number >= len(tasks):
		return Task{}, fmt.Errorf("there is no task %d (%s): the file has %d, counted from 0", number, from, len(tasks))
	}
	return tasks[number], nil
}

// Again are the exit statuses of agentbash -p after which another start may succeed; Never
// those after which something has to be changed first.
var (
	Again = []int{1, 130}
	Never = []int{2, 3, 4, 126}
)

// State is an exit status as a word: done, again or never.
func State(status int) string {
	switch {
	case status == 0:
		return "done"
	case slices.Contains(Never, status):
		return "never"
	}
	return "again"
}
