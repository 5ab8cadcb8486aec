//go:build linux

package files

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// shell runs commands in a directory as a session would.
type shell struct {
	t     *testing.T
	dir   string
	tools map[string]*registry.Tool
}

// result is what one command came to.
type result struct {
	out, err string
	status   int
}

func newShell(t *testing.T, opts *Options) *shell {
	s := &shell{t: t, dir: t.TempDir(), tools: map[string]*registry.Tool{}}
	for _, tool := range Tools(opts) {
		s.tools[tool.Name] = tool
	}
	return s
}

// run parses words as the router does and runs the tool.
func (s *shell) run(words ...string) result { return s.pipe(nil, words...) }

// pipe runs a command with something on stdin.
func (s *shell) pipe(stdin io.Reader, words ...string) result {
	s.t.Helper()
	return runIn(s.tools[words[0]], s.dir, stdin, words[1:]...)
}

func runIn(tool *registry.Tool, dir string, stdin io.Reader, words ...string) result {
	p, err := tool.Parse(words, stdin != nil)
	if err != nil {
		return result{err: err.Error(), status: registry.ExitStatus(err)}
	}
	var out, notes bytes.Buffer
	res := tool.Invoke(context.Background(), &registry.Call{Kwargs: p.Kwargs, Dir: dir, Stdin: stdin, Stdout: &out, Stderr: &notes, Descriptor: ownDescriptor})
	return result{out.String(), notes.String(), res.ExitStatus}
}

func ownDescriptor(n int) (*os.File, error) { return registry.ProcessDescriptor("self", n) }

// ok runs a command that must succeed and returns its stdout.
func (s *shell) ok(words ...string) string {
	s.t.Helper()
	r := s.run(words...)
	require.Zero(s.t, r.status, "%q: %s", words, r.err)
	return r.out
}

// fails runs a command that must fail with status 1, and returns its message.
func (s *shell) fails(words ...string) string {
	s.t.Helper()
	r := s.run(words...)
	require.Equal(s.t, 1, r.status, "%q: %s", words, r.out)
	return r.err
}

func (s *shell) path(name string) string { return filepath.Join(s.dir, name) }

// put makes a file with its parents.
func (s *shell) put(name, content string) string {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(content), 0o644))
	return s.path(name)
}

// get reads a file without the tools.
func (s *shell) get(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(name))
	require.NoError(s.t, err)
	return string(b)
}

// requireNoTemp sees that no temporary file stayed behind.
func (s *shell) requireNoTemp() {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(p string, _ os.DirEntry, err error) error {
		require.False(s.t, strings.HasPrefix(filepath.Base(p), ".agentbash-"), p)
		return err
	})
	require.NoError(s.t, err)
}

func TestToolsAreReadyToBeRegistered(t *testing.T) {
	r := registry.New()
	require.NoError(t, r.Register(Tools(nil)...))
	for _, name := range []string{"read", "write", "edit", "grep", "glob", "undo"} {
		tool, ok := r.Lookup(name)
		require.True(t, ok, name)
		require.NotEmpty(t, tool.Kind, name)
		require.NotEmpty(t, tool.Category, name)
		require.NotEmpty(t, tool.Examples, name)
		for _, p := range tool.Params.List() {
			require.NotEmpty(t, p.Description, "%s --%s", name, p.Name)
		}
	}
	require.Equal(t, registry.ReadOnly, must(r.Lookup("read")).Kind)
	require.Equal(t, registry.Write, must(r.Lookup("edit")).Kind)
}

func must(t *registry.Tool, _ bool) *registry.Tool { return t }

func TestPositionalArguments(t *testing.T) {
	s := newShell(t, nil)
	s.ok("write", "a.txt", "one\ntwo\nthree\nfour\n")
	require.Contains(t, s.run("read", "a.txt", "2", "3").err, "for lines: read a.txt --offset N --limit COUNT")
	s.ok("edit", "a.txt", "two", "2")
	require.Equal(t, "one\n2\nthree\nfour\n", s.get("a.txt"))
	require.Equal(t, "a.txt:3:three\n", s.ok("grep", "thr", "."))
	require.Equal(t, "a.txt\n", s.ok("glob", "*.txt", "."))
}
