//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestScreenNothingFromOutsideReachesTheTerminal(t *testing.T) {
	evil := "one\x1b]52;c;c2VjcmV0\x07two\x1b[2J\x1b[Hthree\u202efour\u009b31mfive\x1bP1$r\x1b\\six\x07\b\x7f\rseven\x1b[?1049h"
	p := newPane(t, screenTest{files: map[string]string{"evil": evil + "\n"}, replies: []modelserver.Reply{
		{Text: "Said: " + evil + "\n", Chunk: 1, Reasoning: "thought " + evil, ToolCalls: calls("cat evil # \x1b]52;c;\x07\u202e")},
		{ToolCalls: calls("todo add '" + evil + "' # listed")}, {Text: "End."}}})
	p.ready()
	p.say("go")
	s := p.want("End.")
	require.Contains(t, s, "/help lists", "nothing was cleared")
	require.Contains(t, s, "[ ] 1. onetwo", "a step is shown")
	require.Contains(t, s, "onetwothreefour")
	require.Contains(t, s, `  $ cat evil # \x1b]52;c;\x07\u202e  [ok, `, "a command is shown with what hides in it")
	p.say("/output")
	p.ready()
	for _, bad := range []string{"\x1b]52", "\x1b[2J", "\x1b[H", "\u202e", "\u009b", "\x1bP", "\x07", "\x1b[?1049h", "\x1b[31m"} {
		require.NotContains(t, p.raw(), bad)
	}
}

func TestScreenALargePasteWithSequencesInIt(t *testing.T) {
	line := "a line of text \x1b[2J\x1b[A \x03\x04 and more of it\n"
	text := strings.Repeat(line, 1<<20/len(line)) + "the end"
	p := newPane(t, screenTest{files: map[string]string{"big": text}, replies: []modelserver.Reply{{Text: "Got it."}}})
	p.ready()
	p.tmux("load-buffer", filepath.Join(p.dir, "big"))
	p.tmux("paste-buffer", "-p", "-r")
	p.matches(`\n> \[pasted [\d,]+ lines\]\n$`)
	p.say("!")
	p.want("Got it.")
	require.NotContains(t, p.raw(), "\x1b[2J")
	requests := p.server.Requests()
	require.Contains(t, string(requests[len(requests)-1].Body), "and more of it\\nthe end!")
	require.Greater(t, len(requests[len(requests)-1].Body), 1<<20)
}

func TestScreenAStormOfSizes(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 30, replies: []modelserver.Reply{
		{Text: "Some words \u4f60\u597d that need more than one row of a screen that is narrow, and the end", Hold: true}, {Text: "Still here."}}})
	p.ready()
	p.say("go")
	p.want("the end")
	for i := range 30 {
		p.tmux("resize-window", "-x", strconv.Itoa([]int{20, 120, 47, 99, 21}[i%5]), "-y", strconv.Itoa([]int{5, 40, 12}[i%3]))
	}
	p.tmux("resize-window", "-x", "60", "-y", "20")
	s := p.matches(`the end\n[/\\|-] working \d+ s, Esc stops\n$`)
	require.Equal(t, 1, strings.Count(s, "working"), s)
	p.keys("Escape")
	p.want("interrupted")
	p.say("again")
	p.want("Still here.")
}

func TestScreenTwentyColumns(t *testing.T) {
	p := newPane(t, screenTest{width: 20, height: 200, replies: []modelserver.Reply{
		{Text: "Wide \u4f60\u597d\u4e16\u754c\u4f60\u597d\u4e16\u754c\u4f60\u597d, flag \U0001f1e9\U0001f1ea, family \U0001f468\u200d\U0001f469\u200d\U0001f467, e\u0301.\n\n" + strings.Repeat("long", 12) + "\n\n| a | b |\n|---|---|\n| some cell | another cell |\n",
			ToolCalls: calls("echo \u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d; seq 9")},
		{Text: "End."}}})
	p.ready()
	p.typed("\u4f60\u597d\u4e16\u754c\u4f60\u597d\u4e16\u754c\u4f60\u597d x")
	p.keys("BSpace", "BSpace", "BSpace")
	p.matches(`\n> \x{4f60}\x{597d}\x{4e16}\x{754c}\x{4f60}\x{597d}\x{4e16}\x{754c}\x{4f60}\n$`)
	p.keys("Enter")
	s := p.want("End.")
	require.Contains(t, s, "Wide \u4f60\u597d\u4e16\u754c\u4f60\u597d\u4e16\n\u754c\u4f60\u597d,")
	require.Contains(t, s, "longlonglonglonglong\nlonglonglonglonglong\nlonglong\n", "it is the terminal that breaks a long word")
	p.say("/help")
	p.want("  Alt-Enter\n      a new line;\n      so does Enter\n      after \\\n")
	p.ready()
}

func TestScreenIsLeftAndComesBack(t *testing.T) {
	p := newPane(t, screenTest{width: 100, shell: true, replies: []modelserver.Reply{{Text: "Held text", Hold: true}, {Text: "After."}}})
	p.want("shell>")
	p.say(os.Args[0] + " --dir " + p.dir + " --base-url " + p.server.BaseURL + " --model m --api-key k")
	p.ready()
	p.typed("half a prompt")
	p.keys("C-z")
	p.matches(`Stopped(.|\n)*\nshell>`)
	p.say("stty -a | grep -o ' icanon'; fg")
	s := p.matches(`> half a prompt\n$`)
	require.Contains(t, s, " icanon")
	p.keys("C-u")
	p.say("go")
	p.want("Held text")
	p.keys("C-z")
	p.matches(`Stopped(.|\n)*Stopped(.|\n)*\nshell>`)
	p.say("clear; fg")
	p.matches(`[/\\|-] working \d+ s, Esc stops\n$`)
	p.keys("Escape")
	p.want("interrupted")
	p.ready()
	p.say("and now")
	p.want("After.")
	p.keys("C-c", "C-c")
	p.matches(`\nshell>`)
}

func TestScreenWordsGoToAFile(t *testing.T) {
	p := newPane(t, screenTest{width: 100, shell: true, replies: []modelserver.Reply{{Text: "# Head\n\n**words**", ToolCalls: calls("echo ran")}, {Text: "End."}}})
	p.want("shell>")
	p.say("cd " + p.dir + "; " + os.Args[0] + " --base-url " + p.server.BaseURL + " --model m --api-key k > out.txt; PS1='again> '")
	p.want("/help lists")
	p.typed("go")
	p.keys("Enter")
	p.matches(`\$ echo ran  \[ok, 1 line`)
	p.matches(`session [\d,]+ tokens(.|\n)*> *\n$`)
	p.keys("C-d")
	p.want("again>")
	data, err := os.ReadFile(filepath.Join(p.dir, "out.txt"))
	require.NoError(t, err)
	require.Equal(t, "# Head\n\n**words**\nEnd.\n", string(data))
}

func TestScreenTheTerminalVanishes(t *testing.T) {
	p := newPane(t, screenTest{shell: true, replies: []modelserver.Reply{{Text: "Half of it", ToolCalls: calls("echo $$ > shell; sleep 300")}}})
	p.want("shell>")
	p.say(os.Args[0] + " --dir " + p.dir + " --base-url " + p.server.BaseURL + " --model m --api-key k --mode full")
	p.ready()
	p.say("go")
	p.want("running")
	p.until("the shell's process", func(string) bool {
		_, err := os.Stat(filepath.Join(p.dir, "shell"))
		return err == nil
	})
	pids := []int{p.program()}
	data, err := os.ReadFile(filepath.Join(p.dir, "shell"))
	require.NoError(t, err)
	shell, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	var ends []unix.PollFd
	for _, pid := range append(pids, shell) {
		fd, err := unix.PidfdOpen(pid, 0)
		require.NoError(t, err)
		defer unix.Close(fd)
		ends = append(ends, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	p.tmux("kill-server")
	for i := range ends {
		n, err := unix.Poll(ends[i:i+1], int(waitLimit.Milliseconds()))
		require.NoError(t, err)
		require.Equal(t, 1, n, "process %d of 2 goes on", i+1)
	}
	require.Contains(t, p.session(), "Half of it")
}

func TestScreenAPasteDuringATurnIsOneText(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{
		{ToolCalls: calls("until [ -e go ]; do read -t 0.05 < <(:) || :; done")}, {Text: "One."},
		{Text: "Two.", Expect: modelserver.Expectations{{Equals: ptr("line one\nline two\n")}}}}})
	p.ready()
	p.say("first")
	p.want("running")
	p.tmux("set-buffer", "line one\nline two\n")
	p.tmux("paste-buffer", "-p", "-r")
	p.want("> line one line two")
	p.write("go", "")
	p.matches(`One\.(.|\n)*> line one\n  line two\n\n?$`)
	p.keys("Enter")
	p.want("Two.")
}

func TestScreenAQuestionInTwentyColumnsAndResized(t *testing.T) {
	p := newPane(t, screenTest{width: 20, height: 40, files: askingFiles("false"), replies: []modelserver.Reply{
		{Text: "Ordering.", ToolCalls: calls("field:shop:order")}, {Text: "Never mind.", Expect: expect("'action':'decline'")}}})
	p.ready()
	p.say("go")
	p.matches(`\n\? field:shop asks\n  something\. Answer\n  it\?\n    Which one\?\\x1b\[\n    2J\\u202e\n`)
	p.want("  [y] yes  [n] no\n")
	p.tmux("resize-window", "-x", "100")
	p.matches(`waiting for your answer \d+ s, Esc stops\n  \[y\] yes  \[n\] no\nanswer y, n \(Enter: n\):\n$`)
	p.typed("n")
	p.want("Never mind.")
}
