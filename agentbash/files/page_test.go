//go:build linux

package files

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const page = "../../docs/agent-commands.md"

// TestThePageSaysWhatTestsShow: each point of the page's sections names the tests that show
// it, and there are such tests.
func TestThePageSaysWhatTestsShow(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	out, err := exec.Command("grep", "-rhoE", "--include=*_test.go", `^func (Test|Example)\w*`, "../..").Output()
	require.NoError(t, err)
	tests := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		tests[strings.TrimSpace(strings.TrimPrefix(line, "func "))] = true
	}
	rules, _, ok := strings.Cut(string(text), "\n## Measured")
	require.True(t, ok)
	_, rules, _ = strings.Cut(rules, "\n## ")
	shown := regexp.MustCompile(`<!--((?: \w+)+) -->`)
	for _, point := range regexp.MustCompile(`\n- |\n\n`).Split(rules, -1) {
		if point = strings.TrimSpace(point); strings.Count(point, " ") < 6 || point[0] == '|' {
			continue // a heading, or a table
		}
		names := shown.FindStringSubmatch(point)
		require.NotNil(t, names, "no test is named that shows: %s", point)
		for _, name := range strings.Fields(names[1]) {
			if script, ok := strings.CutSuffix(name, "_txtar"); ok {
				require.FileExists(t, "../../testdata/script/"+script+".txtar")
			} else {
				require.True(t, tests[name], "there is no test %s, which is to show: %s", name, point)
			}
		}
	}
}

// TestThePagesExamples: what the page shows as commands are calls that the tools take.
func TestThePagesExamples(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	s, calls := newShell(t, nil), 0
	fill := strings.NewReplacer("FILE", "f", "'TEXT'", "x", " N", " 1")
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(text), -1) {
		command, _, _ := strings.Cut(m[1][strings.LastIndex(m[1], "| ")+1:], " > ")
		words := strings.Fields(fill.Replace(command))
		if len(words) < 2 || s.tools[words[0]] == nil || words[0] == "grep" && !strings.Contains(command, "--") {
			continue // grep(1) has no such options
		}
		calls++
		_, err := s.tools[words[0]].Parse(words[1:], true)
		require.NoError(t, err, "%s", m[1])
	}
	require.Greater(t, calls, 8)
}
