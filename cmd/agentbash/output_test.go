package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/stretchr/testify/require"
)

// outputRow is a command that writes to stdout.
type outputRow struct {
	stdin string
	words []string
}

// outputRows are commands of every subcommand; "" has the others.
func outputRows() map[string][]outputRow {
	of := func(words ...string) outputRow { return outputRow{words: words} }
	given := func(stdin string, words ...string) outputRow { return outputRow{stdin, words} }
	const request = `{"command": "echo hi"}` + "\n"
	return map[string][]outputRow{
		"": {of("--help"), of("--version"), of("help"), of("help", "exec"), of("-p", "hi"), of("-p", "hi", "--output-format", "json"), of("-p", "hi", "--output-format", "stream-json"),
			of("read", "f"), of("read", "--help"), of("read", "-h"), given("text", "read", "-"), of("grep", "t", "f"), of("glob", "*"), of("undo", "--list"), of("field:"),
			of("write", "new", "x", "--dry_run"), of("edit", "f", "text", "more", "--dry_run")},
		"chat":       {given("hi\n", "chat")},
		"exec":       {of("exec", "ls"), of("exec", "read ./f"), of("exec", "read --help"), of("exec", "trap 'echo bye' EXIT"), of("exec", "--json", "ls"), given(request, "exec", "--jsonl")},
		"route":      {of("route", "ls"), of("route", "--json", "ls"), given(request, "route", "--jsonl")},
		"tools":      {of("tools"), of("tools", "--json"), of("tools", "--format", "openai"), of("tools", "--format", "anthropic", "--single"), of("tools", "--format", "mcp")},
		"field":      {of("field", "list"), of("field", "list", "--json")},
		"mcp":        {of("help", "mcp")}, // it answers as long as it is asked
		"acp":        {of("help", "acp")},
		"batch":      {of("help", "batch")},
		"eval":       {of("help", "eval")},
		"sessions":   {of("sessions", "--all"), of("sessions", "--json", "--all")},
		"audit":      {of("audit"), of("audit", "--json"), of("audit", "verify"), of("audit", "verify", "--json")},
		"config":     {of("config"), of("config", "--json")},
		"doctor":     {of("doctor")},
		"completion": {of("completion", "bash"), of("completion", "zsh"), of("completion", "fish")},
		"version":    {of("version")},
	}
}

// TestOutputThatCannotBeWritten: a full device and a reader that has gone are an
// error of every command.
func TestOutputThatCannotBeWritten(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("text\n"), 0o600))
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	written, err := os.Create(filepath.Join(home, "written"))
	require.NoError(t, err)
	defer written.Close()

	run := func(row outputRow, stdout *os.File) (status int, notes string) {
		server, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{{Text: "Hi."}}}, nil)
		require.NoError(t, err)
		defer server.Close()
		cmd := exec.Command(os.Args[0], row.words...)
		var stderr bytes.Buffer
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(row.stdin), stdout, &stderr
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "GORACE=" + os.Getenv("GORACE"), asProgram + "=1",
			"OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + server.BaseURL, "AGENTBASH_MODEL=scripted-1"}
		cmd.Run()
		require.NotNil(t, cmd.ProcessState)
		return cmd.ProcessState.ExitCode(), stderr.String()
	}
	for _, row := range []outputRow{{words: []string{"-p", "hi"}}, {words: []string{"write", "changed", "x"}}} { // there is a session, a change, a record
		status, notes := run(row, written)
		require.Zero(t, status, notes)
	}
	rows := outputRows()
	for _, c := range allCommands() {
		require.NotEmpty(t, rows[c.name], "agentbash %s is not tried", c.name)
		rows[c.name] = append(rows[c.name], outputRow{words: []string{c.name, "--help"}})
	}
	for _, list := range rows {
		for _, row := range list {
			t.Run(strings.Join(row.words, " "), func(t *testing.T) {
				require.NoError(t, written.Truncate(0))
				status, notes := run(row, written)
				if row.words[0] != "doctor" { // of this machine it may find something
					require.Zero(t, status, notes)
				}
				st, err := written.Stat()
				require.NoError(t, err)
				require.NotZero(t, st.Size(), "it writes to stdout")

				status, notes = run(row, full)
				require.Positive(t, status, notes)
				require.Contains(t, notes, "no space left on device")

				r, w, err := os.Pipe()
				require.NoError(t, err)
				r.Close()
				status, notes = run(row, w)
				w.Close()
				require.NotZero(t, status, "a closed pipe: %s", notes)
			})
		}
	}
}
