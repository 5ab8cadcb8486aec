//go:build linux

package files

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// TestMain makes of this binary a program that edits, for tests that need one
// to kill or to compete with.
func TestMain(m *testing.M) {
	switch os.Getenv("AGENTBASH_TEST_ROLE") {
	case "flip":
		flip(os.Args[1])
	case "append":
		appendLines(os.Args[1], os.Args[2])
	case "tool":
		os.Exit(command(os.Args[1], os.Args[2:]))
	default:
		os.Exit(m.Run())
	}
}

// command runs a tool as a program of its own.
func command(name string, words []string) int {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for _, t := range Tools(nil) {
		if t.Name != name {
			continue
		}
		p, err := t.Parse(words, false)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return registry.ExitStatus(err)
		}
		return t.Invoke(context.Background(), &registry.Call{Kwargs: p.Kwargs, Dir: dir, Stdout: os.Stdout, Stderr: os.Stderr}).ExitStatus
	}
	return 127
}

// maxRSS is the most memory that a program had, in kilobytes.
func maxRSS(p *os.ProcessState) int64 {
	return int64(p.SysUsage().(*syscall.Rusage).Maxrss)
}

func child(t *testing.T, role string, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), "AGENTBASH_TEST_ROLE="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// call runs a tool in a child, which has no test to fail.
func call(tools []*registry.Tool, stdout io.Writer, name string, kwargs registry.Kwargs) registry.ToolResult {
	for _, t := range tools {
		if t.Name == name {
			res := t.Invoke(context.Background(), &registry.Call{Kwargs: kwargs, Dir: "/", Stdout: stdout})
			if !res.Success {
				fmt.Fprintln(os.Stderr, res.Error)
			}
			return res
		}
	}
	panic(name)
}

// flip edits a file between two contents until it is killed; it says when it has begun.
func flip(path string) {
	tools := Tools(&Options{StateDir: filepath.Join(filepath.Dir(path), "state")})
	for i := 0; ; i++ {
		from, to := "old", "new"
		if i%2 == 1 {
			from, to = to, from
		}
		res := call(tools, io.Discard, "edit", registry.Kwargs{"file_path": path, "old_string": from, "new_string": to, "replace_all": true})
		if !res.Success {
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

func TestAnEditThatIsKilledLeavesTheOldContentOrTheNew(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a program many times")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	older, newer := strings.Repeat("old line of text\n", 20000), strings.Repeat("new line of text\n", 20000)
	require.NoError(t, os.WriteFile(path, []byte(older), 0o644))
	r := rand.New(rand.NewPCG(1, 1))
	seen := map[bool]int{}
	for range 20 {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		if string(content) == newer { // each child starts from the old content
			require.NoError(t, os.WriteFile(path, []byte(older), 0o644))
		}
		cmd := child(t, "flip", path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		done := bufio.NewReader(out)
		for i := range 1 + r.IntN(3) {
			line, err := done.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintln(i), line)
		}
		time.Sleep(time.Duration(r.IntN(25000)) * time.Microsecond) // a moment of the edit, whichever
		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		content, err = os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, string(content) == older || string(content) == newer, "half: %d bytes", len(content))
		seen[string(content) == newer]++
	}
	t.Logf("killed 20 times: %d old, %d new", seen[false], seen[true])
	s := newShell(t, &Options{StateDir: filepath.Join(dir, "state")})
	s.dir = dir
	before := s.get("f")
	s.run("undo", "--force")
	require.NotEqual(t, before, s.get("f"), "the checkpoints are of no use")
}

// appendLines edits a file many times, each time as a command that has read
// nothing before; each edit adds a line.
func appendLines(path, name string) {
	for i := range 25 {
		kwargs := registry.Kwargs{"file_path": path, "old_string": "end\n", "new_string": fmt.Sprintf("%s %d\nend\n", name, i)}
		if res := call(Tools(nil), io.Discard, "edit", kwargs); !res.Success {
			os.Exit(1)
		}
	}
}

func TestEditsOfSeveralProcessesAllArrive(t *testing.T) {
	s := newShell(t, nil)
	path := s.put("f", "start\nend\n")
	var wg sync.WaitGroup
	for i := range 4 {
		cmd := child(t, "append", path, fmt.Sprint("p", i))
		require.NoError(t, cmd.Start())
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("child %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	for p := range 4 {
		for i := range 25 {
			require.Equal(t, 1, strings.Count(s.get("f"), fmt.Sprintf("p%d %d\n", p, i)), "p%d %d", p, i)
		}
	}
	s.requireNoTemp()
}

func TestEditsOfOneSessionAtOnceAllArrive(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "end\n")
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			r := runIn(s.tools["edit"], s.dir, nil, "f", "end\n", fmt.Sprintf("%d\nend\n", i))
			if r.status != 0 {
				t.Errorf("edit %d: %s", i, r.err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 31, strings.Count(s.get("f"), "\n"))
}
