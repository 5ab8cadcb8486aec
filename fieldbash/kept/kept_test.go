package kept_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/kept"
)

// counter is a server that answers each request with its process and how many it has answered.
const counter = `n=0; echo "it starts" >&2
while read -r line; do
	[[ $line =~ \"id\":([0-9]+) ]] || continue
	[[ $line != *die* ]] || exit 7
	echo "{\"jsonrpc\":\"2.0\",\"id\":${BASH_REMATCH[1]},\"result\":{\"pid\":$$,\"n\":$((++n))}}"
done`

// process is a running counter.
type process struct {
	*exec.Cmd
	io.Writer
	in     io.Closer
	lines  *bufio.Reader
	stderr sync.WaitGroup
}

func launch(_ context.Context, stderr func(string)) (kept.Server, error) {
	cmd := exec.Command("bash", "-c", counter)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	p := &process{Cmd: cmd, Writer: in, in: in, lines: bufio.NewReader(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.stderr.Go(func() {
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			stderr(lines.Text())
		}
	})
	return p, nil
}

func (p *process) ReadLine() ([]byte, error) { return p.lines.ReadBytes('\n') }
func (p *process) Noise([]byte)              {}
func (p *process) Stop() string {
	p.in.Close()
	p.stderr.Wait()
	p.Wait()
	return p.ProcessState.String()
}

// place is one whose keepers run in this process, and end with the test.
func place(t *testing.T, o kept.Options) *kept.Place {
	dir := filepath.Join(t.TempDir(), "kept")
	p := &kept.Place{Dir: dir, Name: "s", Want: "this", Always: true}
	var keepers sync.WaitGroup
	ctx, end := context.WithCancel(context.Background())
	t.Cleanup(func() { end(); keepers.Wait() })
	p.Start = func(listener *os.File) error {
		l, err := net.FileListener(listener)
		if err != nil {
			return err
		}
		o := o
		o.Place = *p
		if o.Launch == nil {
			o.Launch = launch
		}
		keepers.Go(func() { kept.Serve(ctx, l.(*net.UnixListener), &o) })
		return nil
	}
	return p
}

// answer is what the counter says.
type answer struct{ PID, N int }

// ask sends one request over a connection.
func ask(c *kept.Conn, number int64) (a answer, err error) {
	if _, err := fmt.Fprintf(c, `{"jsonrpc":"2.0","id":%d,"method":"m"}`+"\n", c.FirstID()+number); err != nil {
		return a, err
	}
	var m struct {
		ID     int64
		Result answer
	}
	for r := bufio.NewReader(c); m.ID != c.FirstID()+number; { // nothing follows the answer
		line, err := r.ReadBytes('\n')
		if err == nil && line[0] != '!' {
			err = json.Unmarshal(line, &m)
		}
		if err != nil {
			return a, err
		}
	}
	return m.Result, nil
}

// use connects, asks once and leaves.
func use(t *testing.T, p *kept.Place) answer {
	c, err := p.Connect(t.Context())
	require.NoError(t, err)
	defer c.Close()
	a, err := ask(c, 1)
	require.NoError(t, err)
	return a
}

func TestOneServerForAll(t *testing.T) {
	p := place(t, kept.Options{Idle: time.Hour, About: kept.Status{Server: "s"}})
	var mu sync.Mutex
	seen := map[answer]bool{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c, err := p.Connect(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			a, err := ask(c, 1)
			mu.Lock()
			defer mu.Unlock()
			if seen[a] = true; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	first := use(t, p)
	require.Equal(t, 9, first.N)
	require.Len(t, seen, 8, "each gets its own answer")
	for a := range seen {
		require.Equal(t, first.PID, a.PID)
	}
	stopped, err := kept.Each(t.Context(), p.Dir, true, func(s kept.Status) bool { return s.Server == "s" })
	require.NoError(t, err)
	require.Len(t, stopped, 1)
	require.Equal(t, 9, stopped[0].Requests)
	require.Equal(t, 1, use(t, p).N, "once stopped, the next starts it")
}

func TestAnotherServerTakesThePlace(t *testing.T) {
	p := place(t, kept.Options{Idle: time.Hour})
	old, err := p.Connect(t.Context())
	require.NoError(t, err)
	defer old.Close()
	before, err := ask(old, 1)
	require.NoError(t, err)
	p.Want = "another"
	require.NotEqual(t, before.PID, use(t, p).PID)
	after, err := ask(old, 2)
	require.NoError(t, err)
	require.Equal(t, answer{before.PID, 2}, after, "who has the old one keeps it")
}

func TestEndOfTheServer(t *testing.T) {
	p := place(t, kept.Options{Idle: time.Hour})
	c, err := p.Connect(t.Context())
	require.NoError(t, err)
	defer c.Close()
	_, err = fmt.Fprintln(c, `{"jsonrpc":"2.0","id":1,"method":"die"}`)
	require.NoError(t, err)
	text, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Contains(t, string(text), "!end exit status 7\n")
	require.Contains(t, fmt.Sprint(c.Stderr)+string(text), "it starts")
}

func TestNobodyUsesIt(t *testing.T) {
	p := place(t, kept.Options{Idle: time.Millisecond})
	use(t, p)
	require.Eventually(t, func() bool {
		all, err := kept.Each(t.Context(), p.Dir, false, func(kept.Status) bool { return true })
		return err == nil && len(all) == 0
	}, 3*time.Minute, 2*time.Millisecond)
	p.Always = false
	c, err := p.Connect(t.Context())
	require.NoError(t, err)
	require.Nil(t, c)
}

func TestWhatCannotBeKept(t *testing.T) {
	p := place(t, kept.Options{Launch: func(context.Context, func(string)) (kept.Server, error) { return nil, os.ErrPermission }})
	_, err := p.Connect(t.Context())
	require.EqualError(t, err, os.ErrPermission.Error())
	require.NoError(t, os.Chmod(p.Dir, 0o755))
	_, err = p.Connect(t.Context())
	require.ErrorContains(t, err, "others can get at it")
}
