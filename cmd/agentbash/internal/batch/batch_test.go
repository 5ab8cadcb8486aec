package batch

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, path, text string) string {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestTheNumberOfATask(t *testing.T) {
	tasks := []Task{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	for _, c := range []struct {
		name   string
		number int
		env    map[string]string
		want   string // an ID, or a part of the error
	}{
		{"a flag", 1, map[string]string{"SLURM_ARRAY_TASK_ID": "2"}, "b"},
		{"Kubernetes", -1, map[string]string{"JOB_COMPLETION_INDEX": "0"}, "a"},
		{"Slurm", -1, map[string]string{"SLURM_ARRAY_TASK_ID": "2"}, "c"},
		{"GNU parallel", -1, map[string]string{"PARALLEL_SEQ": "3"}, "c"},
		{"Nomad", -1, map[string]string{"NOMAD_ALLOC_INDEX": "1"}, "b"},
		{"AWS Batch", -1, map[string]string{"AWS_BATCH_JOB_ARRAY_INDEX": "1"}, "b"},
		{"parallel in a job of Slurm", -1, map[string]string{"PARALLEL_SEQ": "1", "SLURM_ARRAY_TASK_ID": "2"}, "a"},
		{"none", -1, nil, "which of the 3 tasks?"},
		{"too high", 3, nil, "there is no task 3 (--task): the file has 3, counted from 0"},
		{"no number", -1, map[string]string{"PARALLEL_SEQ": "0"}, `PARALLEL_SEQ="0" is not the number of a task`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ChooseTask(tasks, c.number, func(name string) (string, bool) { v, ok := c.env[name]; return v, ok })
			if err != nil {
				require.ErrorContains(t, err, c.want)
			} else {
				require.Equal(t, c.want, got.ID)
			}
		})
	}
}

func TestBadTaskFilesSayWhichLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "no tasks: write a",
		"\n{\"prompt\": \"x\"\n":          "line 2: unexpected end",
		`{"id": "a"}`:                     `line 1: it has no prompt: {"id": "a", "prompt": TEXT}`,
		`{"id": "../a", "prompt": "x"}`:   `the id "../a" is no file name`,
		`{"id": "a\u0000", "prompt": ""}`: "it has no prompt",
	} {
		_, err := ReadTasks(write(t, filepath.Join(t.TempDir(), "t"), text))
		require.ErrorContains(t, err, want)
	}
	tasks, err := ReadTasks(write(t, filepath.Join(t.TempDir(), "t"), `{"id": 7, "prompt": "x", "max_turns": 3, "json_schema": {"type": "object"}, "mode": "full", "model": null}`))
	require.NoError(t, err)
	require.Equal(t, []Task{{"7", "x", map[string]string{"max-turns": "3", "json-schema": `{"type": "object"}`}}}, tasks)
}

func TestARunIsOfOneProcessAndOnePrompt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	r, err := OpenRun(dir, "k", "p")
	require.NoError(t, err)
	_, err = OpenRun(dir, "k", "p")
	require.ErrorContains(t, err, "run k goes on in another process: wait")
	require.ErrorIs(t, err, ErrBusy)
	require.NoError(t, r.Begin("s-1", "/w", "c0ffee"))
	require.NoError(t, r.Close())

	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"result": {"ha`) // and killed
	require.NoError(t, err)
	require.NoError(t, f.Close())

	r, err = OpenRun(dir, "k", "p")
	require.NoError(t, err)
	require.Equal(t, []string{"s-1", "/w", "c0ffee", ""}, []string{r.Session, r.Dir, r.Commit, string(r.Result)})
	require.NoError(t, r.Begin("s-2", "/elsewhere", ""), "it was begun")
	require.NoError(t, r.Finish([]byte(`{"answer":"x"}`), []byte("diff")))
	require.NoError(t, r.Close())
	r, err = OpenRun(dir, "k", "p")
	require.NoError(t, err)
	require.Equal(t, []string{"s-1", `{"answer":"x"}`, "diff"}, []string{r.Session, string(r.Result), string(r.Patch)})
	require.NoError(t, r.Close())
	_, err = OpenRun(dir, "k", "other")
	require.ErrorContains(t, err, "the run key k belongs to another prompt")
}

func git(t *testing.T, dir string, args ...string) string {
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// TestAPatchHasAllThatChanged applies it to a clone of the commit, and compares the two.
func TestAPatchHasAllThatChanged(t *testing.T) {
	ctx := context.Background()
	dir, clone := t.TempDir(), filepath.Join(t.TempDir(), "clone")
	git(t, dir, "init", "-q")
	git(t, dir, "config", "diff.noprefix", "true")
	git(t, dir, "config", "core.hooksPath", write(t, filepath.Join(t.TempDir(), "hooks", "post-index-change"), "#!/bin/sh\nexit 9\n"))
	write(t, filepath.Join(dir, "changed"), "one\n")
	write(t, filepath.Join(dir, "removed"), "gone\n")
	write(t, filepath.Join(dir, "committed"), "1\n")
	write(t, filepath.Join(dir, ".gitignore"), "*.o\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "base")
	require.NoError(t, exec.Command("git", "clone", "-q", dir, clone).Run())
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	r, err := OpenRepository(ctx, sub, "", append(os.Environ(), "GIT_DIR=/nowhere"))
	require.NoError(t, err)

	write(t, filepath.Join(dir, "committed"), "2\n")
	git(t, dir, "commit", "-qam", "by the agent")
	write(t, filepath.Join(dir, "staged"), "s\n")
	git(t, dir, "add", "staged")
	write(t, filepath.Join(dir, "changed"), "two\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "removed")))
	write(t, filepath.Join(dir, "new dir", "ä\nb"), "new\n")
	write(t, filepath.Join(dir, "binary"), "\x00\x01\xff")
	write(t, filepath.Join(dir, "junk.o"), "ignored")
	git(t, dir, "init", "-q", "nested")
	status, index := git(t, dir, "status", "--porcelain"), git(t, dir, "ls-files", "--stage")
	objects := git(t, dir, "count-objects")

	patch, err := r.Patch(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{status, index, objects}, []string{git(t, dir, "status", "--porcelain"), git(t, dir, "ls-files", "--stage"), git(t, dir, "count-objects")}, "the repository is as it was")
	git(t, clone, "apply", "--index", write(t, filepath.Join(t.TempDir(), "p"), string(patch)))
	for _, name := range []string{"committed", "staged", "changed", "new dir/ä\nb", "binary"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(clone, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), name)
	}
	require.NoFileExists(t, filepath.Join(clone, "removed"))
	require.NoFileExists(t, filepath.Join(clone, "junk.o"))
	require.NotContains(t, string(patch), "nested")

	_, err = OpenRepository(ctx, t.TempDir(), "", os.Environ())
	require.ErrorContains(t, err, "--result-patch wants a git repository with a commit in")
}

// TestTablesAreSafeToOpen: what runs wrote into their results is text, in a browser and in a spreadsheet.
func TestTablesAreSafeToOpen(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.json"), `{"type":"result","success":false,"exit_status":1,"state":"done","task":"<b>","session":"=HYPERLINK(\"http://x\")","error":"+1|cmd\n</td><script>"}`)
	rows, err := Collect(dir, []Task{{ID: "@left"}})
	require.NoError(t, err)
	var page, sheet strings.Builder
	require.NoError(t, Write(&page, rows, "<title>", "html", nil))
	require.NotContains(t, page.String(), "<script>")
	require.Contains(t, page.String(), `<tr class="again"><td>&lt;b&gt;</td>`)
	require.Contains(t, page.String(), "<title>&lt;title&gt;</title>")
	require.NoError(t, Write(&sheet, rows, "", "csv", nil))
	table, err := csv.NewReader(strings.NewReader(sheet.String())).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{header, {"<b>", "again", "1", "", "0", "0", "0", "0.0", `'=HYPERLINK("http://x")`, "'+1|cmd\n</td><script>"},
		{"'@left", "missing", "", "", "0", "0", "0", "0.0", "", ""}}, table)
}

// replaced is what the engines make of a command before bash gets it, by their documentation:
// Kubernetes a $ of $$ and a value of $(NAME), Nomad a value of ${NAME}.
var replaced = map[string]func(string) string{
	"kubernetes": func(s string) string {
		return regexp.MustCompile(`\$\$|\$\([^)]*\)`).ReplaceAllStringFunc(s, func(m string) string {
			if m == "$$" {
				return "$"
			}
			return "REPLACED"
		})
	},
	"nomad": func(s string) string {
		return regexp.MustCompile(`\$\{[a-zA-Z0-9_.-]+\}`).ReplaceAllLiteralString(s, "REPLACED")
	},
	"slurm":    func(s string) string { return s },
	"parallel": func(s string) string { return s },
}

// TestWordsReachTheProgram runs what is printed for each engine with a program that tells its
// arguments: no word is lost, split or computed, whatever stands in it.
func TestWordsReachTheProgram(t *testing.T) {
	words := []string{"--append-system-prompt", "costs $$5, $$$(HOME) $(touch canary) ${HOME} `id` it's \"x\" \\ {{x}} {id} %a\nline\tä", "--model", ""}
	for engine := range engines {
		t.Run(engine, func(t *testing.T) {
			dir := t.TempDir()
			file := write(t, filepath.Join(dir, "My 'tasks'.jsonl"), `{"id": "a", "prompt": "x"}`)
			write(t, filepath.Join(dir, "bin", "agentbash"), "#!/bin/bash\nprintf '%s\\0' \"$@\" > \"$SAID\"\n")
			require.NoError(t, os.Chmod(filepath.Join(dir, "bin", "agentbash"), 0o700))
			var out strings.Builder
			require.NoError(t, Job{File: file, Image: "i", Results: filepath.Join(dir, "r s%j\"x"), Parallel: 1, CPUs: 1, Memory: "1Gi", Seconds: 60, Grace: 9, Words: words}.Print(&out, engine))
			script := out.String()
			switch engine {
			case "kubernetes":
				_, script, _ = strings.Cut(script, "command: [/bin/bash, -c, ")
				script, _, _ = strings.Cut(script, "]\n")
				require.NoError(t, json.Unmarshal([]byte(script), &script))
			case "nomad":
				_, script, _ = strings.Cut(script, `"args": [`)
				script, _, _ = strings.Cut(script, "],\n")
				require.NoError(t, json.Unmarshal([]byte(script), &script))
			case "parallel": // a stand-in that runs the function for each line
				write(t, filepath.Join(dir, "bin", "parallel"), "#!/bin/bash\nwhile read -r n; do run \"$n\"; done\n")
				require.NoError(t, os.Chmod(filepath.Join(dir, "bin", "parallel"), 0o700))
			}
			script = strings.NewReplacer("/results/", dir+"/").Replace(replaced[engine](script))
			cmd := exec.Command("bash", "-c", script)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "SAID="+filepath.Join(dir, "said"), "NOMAD_ALLOC_INDEX=0", "JOB_COMPLETION_INDEX=0")
			said, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s\n%s", said, script)
			got, err := os.ReadFile(filepath.Join(dir, "said"))
			require.NoError(t, err, "%s\n%s", said, script)
			require.Contains(t, string(got), "\x00"+strings.Join(words, "\x00")+"\x00", script)
			require.NoFileExists(t, filepath.Join(dir, "canary"))
		})
	}
}
