package agentbash_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/stretchr/testify/require"
)

const pythonServer = `id=$(bash_start 'python3 -u -c "
import http.server as h
s = h.HTTPServer((\"127.0.0.1\", 0), h.SimpleHTTPRequestHandler)
print(s.server_port)
s.serve_forever()"'); bash_output --bash_id $id --wait '^\d+$'`

// person is asked about hosts.
type person struct {
	hosts []string
	yes   bool
}

func (p *person) Approve(_ context.Context, e *guard.Entry) (guard.Approval, error) {
	p.hosts = append(p.hosts, e.Host)
	return guard.Approval{Yes: p.yes}, nil
}

// A server that a command started is fetched without a question, held or not; of other servers of the
// machine a person is asked.
func TestWebFetchOfOwnServer(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	asked := 0
	others := [2]*httptest.Server{}
	for i := range others {
		others[i] = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked++; io.WriteString(w, "<h1>other</h1>") }))
		defer others[i].Close()
	}
	for _, mode := range []policy.Mode{policy.AutoMode, policy.FullMode} {
		_, work := newHome(t)
		p := &person{}
		asked = 0
		b, err := agentbash.New(&agentbash.Options{Dir: work, Mode: mode, Guard: guard.Options{Approver: p}})
		require.NoError(t, err)
		defer func() { require.NoError(t, b.Close()) }()
		run := func(command string) (string, string, int) {
			res := b.Run(context.Background(), command, nil)
			return res.Stdout, res.Stderr, res.ExitCode
		}
		port, said, _ := run(pythonServer)
		require.Regexp(t, `^\d+\n?$`, port, said)
		for _, text := range []string{"own", "changed"} {
			require.NoError(t, os.WriteFile(filepath.Join(work, "index.html"), []byte("<h1>"+text+"</h1>"), 0o600))
			out, said, exit := run("web_fetch http://127.0.0.1:" + strings.TrimSpace(port) + "/")
			require.Equal(t, "# "+text+"\n", out, "%s: %d %s", mode, exit, said)
		}
		require.Empty(t, p.hosts)
		_, said, exit := run("web_fetch " + others[0].URL)
		require.Equal(t, 126, exit)
		require.Contains(t, said, "127.0.0.1 is not a public address, and was not fetched: if it is meant, ")
		require.Zero(t, asked)
		if mode == policy.FullMode { // nothing is asked about
			require.Empty(t, p.hosts)
			continue
		}
		require.Equal(t, []string{strings.TrimPrefix(others[0].URL, "http://")}, p.hosts)
		p.yes = true
		out, said, _ := run("web_fetch " + others[1].URL)
		require.Equal(t, "# other\n", out, said)
	}
}
