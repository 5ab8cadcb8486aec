package notes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

type said struct {
	out, err string
	exit     int
}

func run(t *testing.T, o *Options, dir, stdin string, words ...string) said {
	t.Helper()
	for _, tool := range Tools(o) {
		if tool.Name != words[0] {
			continue
		}
		var out, notes bytes.Buffer
		var in io.Reader
		if stdin != "" {
			in = strings.NewReader(stdin)
		}
		res := tool.Command(t.Context(), words[1:], &registry.Call{Dir: dir, Stdin: in, Stdout: &out, Stderr: &notes})
		return said{out.String(), notes.String(), res.ExitStatus}
	}
	t.Fatal("no such tool")
	return said{}
}

func at(s string) *Options {
	return &Options{Now: func() time.Time { v, _ := time.Parse(time.RFC3339, s); return v }}
}

func TestNoteAndRecall(t *testing.T) {
	dir := t.TempDir()
	got := run(t, nil, dir, "", "recall")
	require.Equal(t, said{"", "nothing was noted yet: note 'TEXT' does\n", 0}, got)
	require.NoDirExists(t, filepath.Join(dir, ".agentbash"), "looking makes nothing")

	o := at("2026-05-06T07:08:09Z")
	require.Equal(t, said{"", "noted in .agentbash/notes.json, which has 1 now: recall shows them\n", 0}, run(t, o, dir, "", "note", "tests need <redis> & \"more\"", "--category", "setup"))
	require.Equal(t, 0, run(t, o, dir, "two\nlines\n", "note").exit)
	require.Equal(t, "1. [setup] tests need <redis> & \"more\"\n   (2026-05-06T07:08:09Z)\n2. [general] two\n   lines\n   (2026-05-06T07:08:09Z)\n", run(t, o, dir, "", "recall").out)
	require.Equal(t, "1. [setup] tests need <redis> & \"more\"\n   (2026-05-06T07:08:09Z)\n", run(t, o, dir, "", "recall", "--category", "setup").out)
	require.Equal(t, `[{"timestamp":"2026-05-06T07:08:09Z","category":"general","content":"two\nlines"}]`+"\n", run(t, o, dir, "", "recall", "--category=general", "--json").out)
	require.Equal(t, said{"", "there are no notes of the category \"x\": there are setup, general\n", 0}, run(t, o, dir, "", "recall", "--category", "x"))
	data, err := os.ReadFile(filepath.Join(dir, ".agentbash", "notes.json"))
	require.NoError(t, err)
	require.Equal(t, `[
  {
    "timestamp": "2026-05-06T07:08:09Z",
    "category": "setup",
    "content": "tests need <redis> & \"more\""
  },
  {
    "timestamp": "2026-05-06T07:08:09Z",
    "category": "general",
    "content": "two\nlines"
  }
]
`, string(data))
}

func TestOneFilePerWorkspace(t *testing.T) {
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	for _, d := range []string{"repo/.git", "repo/sub/deep", "other/sub"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o777))
	}
	o := &Options{Root: filepath.Join(dir, "other")}
	run(t, o, filepath.Join(repo, "sub", "deep"), "", "note", "of the repository")
	require.FileExists(t, filepath.Join(repo, ".agentbash", "notes.json"))
	require.Contains(t, run(t, o, repo, "", "recall").out, "of the repository")
	run(t, o, filepath.Join(dir, "other", "sub"), "", "note", "of the workspace")
	require.FileExists(t, filepath.Join(dir, "other", ".agentbash", "notes.json"))
	run(t, o, dir, "", "note", "of nobody")
	require.FileExists(t, filepath.Join(dir, ".agentbash", "notes.json"))
}

func TestABrokenFileIsKeptAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".agentbash", "notes.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	for i, broken := range []string{`[{"content": "half`, `{"not": "a list"}`} {
		require.NoError(t, os.WriteFile(path, []byte(broken), 0o600))
		got := run(t, nil, dir, "", "recall")
		require.Equal(t, 1, got.exit)
		require.Contains(t, got.err, "notes.json is no list of notes (")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, broken, string(data), "looking changes nothing")

		got = run(t, nil, dir, "", "note", "a new one")
		require.Equal(t, 0, got.exit, got.err)
		aside := fmt.Sprintf("notes.json.broken-%d", i+1)
		require.Contains(t, got.err, ".agentbash/notes.json was no list of notes and is now "+aside+": see what is in it\n")
		data, err = os.ReadFile(filepath.Join(dir, ".agentbash", aside))
		require.NoError(t, err)
		require.Equal(t, broken, string(data))
		require.Contains(t, run(t, nil, dir, "", "recall").out, "1. [general] a new one")
	}
	// an entry that is none does not hide the others, and stays
	require.NoError(t, os.WriteFile(path, []byte(`[5, {"content": "old", "mine": [1]}]`), 0o600))
	require.Equal(t, 0, run(t, nil, dir, "", "note", "new").exit)
	got := run(t, nil, dir, "", "recall")
	require.Regexp(t, `2\. \[general\] old\n   \(\)\n3\. \[general\] new\n`, got.out)
	require.Contains(t, got.err, "entry 1 is no note and is left out")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal(data, &list))
	require.Len(t, list, 3)
	require.JSONEq(t, `{"content": "old", "mine": [1]}`, string(list[1]))
}

func TestSearchChangeRemove(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"the tests need Redis 7", "deploy on Fridays", "Redis runs on port 6379"} {
		require.Equal(t, 0, run(t, at("2026-05-06T07:08:09Z"), dir, "", "note", n, "--category", strings.Fields(n)[0]).exit)
	}
	const third = "3. [Redis] Redis runs on port 6379\n   (2026-05-06T07:08:09Z)\n"
	require.Equal(t, "1. [the] the tests need Redis 7\n   (2026-05-06T07:08:09Z)\n"+third, run(t, nil, dir, "", "recall", "redis").out)
	require.Equal(t, third, run(t, nil, dir, "", "recall", "PORT redis").out)
	require.Equal(t, third, run(t, nil, dir, "", "recall", "redis", "--category", "Redis").out)
	require.Equal(t, said{"", "no note has \"mongo\": try fewer words, or recall alone\n", 0}, run(t, nil, dir, "", "recall", "mongo"))

	later := at("2026-06-07T08:09:10Z")
	require.Equal(t, said{"", "changed note 1 in .agentbash/notes.json, which has 3 now: recall shows them\n", 0}, run(t, later, dir, "", "note", "--id", "1", "the tests need Redis 8"))
	require.Equal(t, 0, run(t, later, dir, "", "note", "--id", "1", "--category", "setup").exit)
	require.Equal(t, "1. [setup] the tests need Redis 8\n   (2026-06-07T08:09:10Z)\n"+third, run(t, nil, dir, "", "recall", "redis").out)
	require.Equal(t, 0, run(t, later, dir, "by stdin\n", "note", "--id", "1").exit)
	require.Contains(t, run(t, nil, dir, "", "recall").out, "1. [setup] by stdin\n")
	require.Equal(t, said{"", "removed note 2 from .agentbash/notes.json, which has 2 now: the numbers after it are one lower\n", 0}, run(t, nil, dir, "", "note", "--id", "2", "--remove"))
	require.Equal(t, "2"+third[1:], run(t, nil, dir, "", "recall", "redis").out)
	got := run(t, nil, dir, "", "note", "--id", "3", "--remove")
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, "there is no note 3: recall shows those there are")

	// what else is in an entry stays, and what is no note can only be removed
	path := filepath.Join(dir, ".agentbash", "notes.json")
	require.NoError(t, os.WriteFile(path, []byte(`[5, {"content": "old", "mine": [1]}]`), 0o600))
	require.Contains(t, run(t, nil, dir, "", "note", "--id", "1", "x").err, "entry 1 is no note: note --id 1 --remove takes it out")
	require.Equal(t, 0, run(t, later, dir, "", "note", "--id", "2", "new").exit)
	require.Equal(t, 0, run(t, nil, dir, "", "note", "--id", "1", "--remove").exit)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.JSONEq(t, `[{"content": "new", "mine": [1], "timestamp": "2026-06-07T08:09:10Z"}]`, string(data))
	require.NoError(t, os.WriteFile(path, []byte(`{`), 0o600))
	require.Contains(t, run(t, nil, dir, "", "note", "--id", "1", "--remove").err, "is no list of notes (")
	require.FileExists(t, path, "only a new note moves it aside")
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct {
		name  string
		words []string
		exit  int
		says  string
	}{
		{"an empty note", []string{"note", " "}, 2, "the note is empty"},
		{"nothing", []string{"note"}, 2, "content"},
		{"an empty category", []string{"note", "x", "--category", ""}, 2, "the category is empty"},
		{"too long", []string{"note", strings.Repeat("x", maxNote+1)}, 2, "longer than 1 MiB"},
		{"nothing to change", []string{"note", "--id", "1"}, 2, "the note is empty"},
		{"removing without a number", []string{"note", "--remove"}, 2, "--remove wants --id alone"},
		{"removing and changing", []string{"note", "x", "--id", "1", "--remove"}, 2, "--remove wants --id alone"},
		{"a number that is not there", []string{"note", "x", "--id", "1"}, 1, "there is no note 1"},
		{"an unknown key", []string{"recall", "--catgory", "x"}, 2, "category"},
	} {
		got := run(t, nil, dir, "", row.words...)
		require.Equal(t, row.exit, got.exit, row.name)
		require.Contains(t, got.err, row.says, row.name)
	}
	require.NoDirExists(t, filepath.Join(dir, ".agentbash"))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".agentbash", "notes.json"), 0o777))
	got := run(t, nil, dir, "", "note", "x")
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, "is a directory: move it away")
}

// Programs that write at once lose nothing of each other's.
func TestTwoProgramsAtOnce(t *testing.T) {
	const programs, each = 4, 25
	if dir := os.Getenv("NOTES_TEST_DIR"); dir != "" {
		for i := range each {
			require.Equal(t, 0, run(t, nil, dir, "", "note", fmt.Sprintf("%s-%d", os.Getenv("NOTES_TEST_NAME"), i)).exit)
		}
		return
	}
	dir := t.TempDir()
	var all []*exec.Cmd
	for i := range programs {
		c := exec.Command(os.Args[0], "-test.run=^TestTwoProgramsAtOnce$")
		c.Env = append(os.Environ(), "NOTES_TEST_DIR="+dir, fmt.Sprintf("NOTES_TEST_NAME=p%d", i))
		require.NoError(t, c.Start())
		all = append(all, c)
	}
	for _, c := range all {
		require.NoError(t, c.Wait())
	}
	out := run(t, nil, dir, "", "recall", "--limit", "0").out
	for i := range programs {
		for k := range each {
			require.Contains(t, out, fmt.Sprintf("[general] p%d-%d\n", i, k))
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, ".agentbash"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left there")
}

// TestRecallFitsAScreen: many notes are cut to the last, and it is said how to see more.
func TestRecallFitsAScreen(t *testing.T) {
	dir, list := t.TempDir(), []note{}
	for i := range 150 {
		list = append(list, note{Content: fmt.Sprintf("note %d.", i+1)})
	}
	data, err := json.Marshal(list)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".agentbash"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".agentbash", "notes.json"), data, 0o644))
	got := run(t, nil, dir, "", "recall")
	require.Equal(t, 40, strings.Count(got.out, "\n"))
	require.True(t, strings.HasPrefix(got.out, "131. [general] note 131.\n"), got.out[:40])
	require.Equal(t, "the last 20 of 150 notes: recall --limit 0 shows all, recall WORDS those with these words\n", got.err)
	require.Equal(t, 300, strings.Count(run(t, nil, dir, "", "recall", "--limit", "0").out, "\n"))
	require.Equal(t, 150, strings.Count(run(t, nil, dir, "", "recall", "--json").out, "timestamp"))
	require.Equal(t, 2, strings.Count(run(t, nil, dir, "", "recall", "--json", "--limit", "2").out, "timestamp"))
	require.Empty(t, run(t, nil, dir, "", "recall", "note 7.").err)
}
