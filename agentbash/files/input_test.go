//go:build linux

package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestGrepOfAPipe compares with grep(1), which gets the same on its stdin.
func TestGrepOfAPipe(t *testing.T) {
	s := newShell(t, nil)
	s.put("file", "needle in a file\n")
	text := "one\nTwo two\nneedle\nthree\n\nTWO needle\nlast without end"
	many := strings.Repeat("two of many lines\nand another one\n", 20_000)
	more := numbered(500_000)
	for _, row := range []struct{ ours, native, input string }{
		{"--pattern needle", "needle", text},
		{"needle", "needle", text},
		{"--pattern nowhere", "nowhere", text},
		{"--pattern last", "last", text},
		{"--pattern two --ignore_case", "-i two", text},
		{"--pattern two -i --word", "-iw two", text},
		{"--pattern e. --fixed", "-F e.", text},
		{"--pattern needle --show_line_numbers", "-n needle", text},
		{"--pattern needle --output_mode count", "-c needle", text},
		{"--pattern nowhere --output_mode count", "-c nowhere", text},
		{"--pattern needle --output_mode files", "-l needle", text},
		{"--pattern needle --context 1", "-C 1 needle", text},
		{"--pattern two -A 1", "-A 1 two", text},
		{"--pattern needle -B 1 -n", "-nB 1 needle", text},
		{"--pattern two", "two", many},
		{"--pattern two --output_mode count", "-c two", many},
		{"--pattern 5$ -A 1", "-A 1 5$", more},
		{"--pattern 5$ -C 2 -n", "-nC 2 5$", more},
		{"--pattern 77 --context 7", "-C 7 77", more},
		{"--pattern x", "x", strings.Repeat("x", 10_000) + "\n"},
		{"--pattern needle --path -", "needle -", text},
		{"--pattern needle", "needle", ""},
	} {
		t.Run(row.ours+" "+fmt.Sprint(len(row.input)), func(t *testing.T) {
			native := exec.Command("grep", strings.Fields(row.native)...)
			native.Stdin, native.Dir, native.Env = strings.NewReader(row.input), s.dir, append(os.Environ(), "LC_ALL=C.UTF-8")
			want, err := native.Output()
			if exit, ok := err.(*exec.ExitError); ok {
				require.Equal(t, 1, exit.ExitCode(), "%s", exit.Stderr)
			}
			r := s.pipe(strings.NewReader(row.input), append([]string{"grep"}, strings.Fields(row.ours)...)...)
			require.Equal(t, string(want), r.out)
			require.Equal(t, native.ProcessState.ExitCode(), r.status)
			require.Equal(t, row.input == "", r.err != "", r.err)
		})
	}
	require.Equal(t, "file:1:needle in a file\n", s.ok("grep", "--pattern", "needle"), "nothing is piped in")
	r := s.pipe(strings.NewReader(text), "grep", "--pattern", "needle", "--glob", "f*")
	require.Equal(t, "file:1:needle in a file\n", r.out, "files are chosen")
	require.Equal(t, 2, s.run("grep", "foo", "-").status)
	r = s.pipe(strings.NewReader("1 a\n2 a\n3 a\n"), "grep", "--pattern", "a", "--head_limit", "1")
	require.Equal(t, "1 a\n", r.out, "what is said counts")
}

func TestGrepOfABinaryPipe(t *testing.T) {
	s := newShell(t, nil)
	r := s.pipe(strings.NewReader("a needle\x00\nneedle\n"), "grep", "--pattern", "needle")
	require.Equal(t, result{"", "(standard input) is binary: 2 matching lines not shown (--text shows them)\n", 0}, r)

	text := strings.Repeat("needle\n", grepBuffer)
	r = s.pipe(io.MultiReader(strings.NewReader(text), strings.NewReader("\x00needle\n")), "grep", "--pattern", "needle")
	require.Contains(t, r.err, "(standard input) is binary: ")
	require.NotContains(t, r.out, "\x00")
	require.Contains(t, r.out, "needle\n")
}

// TestGrepOfAPipePrintsAsItComes: a match is printed while more is awaited, and when
// nobody reads it, an endless input is left.
func TestGrepOfAPipePrintsAsItComes(t *testing.T) {
	s := newShell(t, nil)
	in, feed := io.Pipe()
	shown, out := io.Pipe()
	done := make(chan registry.ToolResult)
	go func() {
		done <- s.tools["grep"].Command(context.Background(), []string{"--pattern", "needle"}, &registry.Call{Dir: s.dir, Stdin: in, Stdout: out, Stderr: io.Discard})
	}()
	io.WriteString(feed, "hay\nneedle 1\nhay")
	line := make([]byte, len("needle 1\n"))
	_, err := io.ReadFull(shown, line)
	require.NoError(t, err)
	require.Equal(t, "needle 1\n", string(line))
	shown.CloseWithError(unix.EPIPE)
	go func() {
		for {
			if _, err := io.WriteString(feed, "needle\n"); err != nil {
				return
			}
		}
	}()
	require.Equal(t, 2, (<-done).ExitStatus)
	in.Close()
}

// numberedPipe is the reading end of a pipe that a program writes lines to.
func numberedPipe(t *testing.T, lines string) *os.File {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	go func() {
		defer w.Close()
		io.WriteString(w, lines)
	}()
	return r
}

func pathOf(t *testing.T, f *os.File) string {
	raw, err := f.SyscallConn()
	require.NoError(t, err)
	var path string
	require.NoError(t, raw.Control(func(fd uintptr) { path = fmt.Sprint("/dev/fd/", fd) }))
	return path
}

func TestDescriptorsAreRead(t *testing.T) {
	s := newShell(t, nil)
	lines := numbered(5000)
	require.Equal(t, "hi\n", s.ok("read", pathOf(t, numberedPipe(t, "hi\n"))))
	r := s.run("read", pathOf(t, numberedPipe(t, lines)), "--offset", "3", "--limit", "2")
	require.Equal(t, "line 3\nline 4\n", r.out)
	require.Contains(t, r.err, "lines 3-4 of more than")
	require.Equal(t, "line 77\n", s.ok("grep", "--pattern", "^line 77$", "--path", pathOf(t, numberedPipe(t, lines))))
	require.Equal(t, "piped\n", s.pipe(strings.NewReader("piped\n"), "read", "/dev/stdin").out)
	require.Equal(t, "piped\n", s.pipe(strings.NewReader("piped\n"), "grep", "p", "/dev/stdin").out)

	f, err := os.Open(s.put("f", "a\nb\n"))
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, "a\nb\n", s.ok("read", pathOf(t, f)))
	require.Equal(t, pathOf(t, f)+":2:b\n", s.ok("grep", "b", pathOf(t, f)))
	for _, words := range [][]string{{"write", pathOf(t, f), "x"}, {"edit", pathOf(t, f), "a", "b"}, {"write", "/dev/stdin", "x"}, {"write", "/proc/self/fd/987", "x"}} {
		require.Contains(t, s.fails(words...), "is a descriptor", words)
	}
	require.Equal(t, "a\nb\n", s.get("f"))

	for _, tool := range []string{"read", "grep"} {
		var notes bytes.Buffer
		words := map[string][]string{"read": {pathOf(t, f)}, "grep": {"a", pathOf(t, f)}}[tool]
		res := s.tools[tool].Command(t.Context(), words, &registry.Call{Dir: s.dir, Stdout: io.Discard, Stderr: &notes})
		require.False(t, res.Success, "a call without descriptors has not the program's own")
		require.Contains(t, notes.String(), "is not open")
	}
}

func TestFIFOsAreRead(t *testing.T) {
	s := newShell(t, nil)
	require.NoError(t, unix.Mkfifo(s.path("fifo"), 0o644))
	for _, words := range [][]string{{"read", "fifo"}, {"grep", "x", "fifo"}} {
		go os.WriteFile(s.path("fifo"), []byte("x\n"), 0)
		require.Equal(t, "x\n", s.ok(words...), words)
	}
	require.Equal(t, "read: fifo is a FIFO that nobody writes to: start the program that writes it first\n", s.fails("read", "fifo"))
}

// TestNoPipeOfTheProgramIsRead: a link to a descriptor leads to this program's.
func TestNoPipeOfTheProgramIsRead(t *testing.T) {
	s := newShell(t, nil)
	require.NoError(t, os.Symlink(pathOf(t, numberedPipe(t, "mine\n")), s.path("link")))
	require.Contains(t, s.fails("read", "link"), "only regular files can be read")
}

// A line that is too long to be held is searched in pieces, and that is said.
func TestGrepOfALongLineInAPipe(t *testing.T) {
	s := newShell(t, nil)
	r := s.pipe(strings.NewReader(strings.Repeat("x", longLine+longLine/2)+"needle\nnext needle\n"), "grep", "needle", "-c")
	require.Equal(t, result{"2\n", "(standard input): line 1 is longer than 32 MiB: it was searched in pieces\n", 0}, r)
}
