package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/stretchr/testify/require"
)

// httpClient is one client of a server over HTTP, with a session of its own.
type httpClient struct{ *mcp.Client }

func openHTTP(t *testing.T, url string) httpClient {
	c := mcp.NewClient(mcp.Spec{URL: url}, nil)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return httpClient{c}
}

// stdout runs a command and returns what it wrote there.
func (c httpClient) stdout(t *testing.T, command string) string {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"command": command})
	require.NoError(t, err)
	res, err := c.Call(t.Context(), mcp.Call{Tool: "bash", Arguments: arguments, Exact: true})
	require.NoError(t, err)
	require.NotNil(t, res.Streams, "%s", res.Raw)
	return string(res.Streams.Stdout)
}

func TestEachHTTPClientHasItsOwnBash(t *testing.T) {
	t.Parallel()
	url, dir := serveHTTP(t, nil)
	one, two := openHTTP(t, url), openHTTP(t, url)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.Empty(t, one.stdout(t, "cd sub; V=one; bash_start 'sleep 1000' >/dev/null"))
	require.Equal(t, dir+"\n\n", two.stdout(t, `pwd; echo "$V"`))
	require.Empty(t, two.stdout(t, "bash_list 2>/dev/null | grep sleep"))
	require.Equal(t, dir+"/sub\none\n", one.stdout(t, `pwd; echo "$V"`))
}

func TestSharedHTTPClientsHaveOneBash(t *testing.T) {
	t.Parallel()
	url, _ := serveHTTP(t, nil, "--shared")
	openHTTP(t, url).stdout(t, "V=one")
	require.Equal(t, "one\n", openHTTP(t, url).stdout(t, "echo $V"))
}

// The memory of a session, as its share of all pages (PSS) of the server and its shells.
const (
	manySessions  = 200
	mostPerClient = 6 << 20 // bytes
)

func TestManySessionsInOneProcess(t *testing.T) {
	url, _ := serveHTTP(t, nil, "--sessions", strconv.Itoa(manySessions))
	clients := make([]httpClient, manySessions)
	for i := range clients {
		clients[i] = openHTTP(t, url)
	}
	inParallel := func(do func(i int)) {
		var all sync.WaitGroup
		places := make(chan struct{}, 8)
		for i := range clients {
			places <- struct{}{}
			all.Go(func() { defer func() { <-places }(); do(i) })
		}
		all.Wait()
	}
	server := 0
	fmt.Sscan(clients[0].stdout(t, "echo $PPID"), &server)
	before := memoryOf(t, server)
	inParallel(func(i int) { clients[i].stdout(t, fmt.Sprintf("V=%d", i)) })
	each := (memoryOf(t, server) - before) / (manySessions - 1)
	t.Logf("%d sessions: %.2f MB each", manySessions, float64(each)/(1<<20))
	require.Less(t, each, mostPerClient)
	inParallel(func(i int) {
		if got := clients[i].stdout(t, "echo $V"); got != fmt.Sprintf("%d\n", i) {
			t.Errorf("client %d sees %q", i, got)
		}
	})
	_, err := openHTTP(t, url).Start(t.Context())
	require.ErrorContains(t, err, "503")
}

// memoryOf is the memory of a process and of its descendants, in bytes.
func memoryOf(t testing.TB, process int) (bytesAll int) {
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		var state string
		var pid, parent int
		fmt.Sscan(string(stat), &pid)
		fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
		children[parent] = append(children[parent], pid)
	}
	for todo := []int{process}; len(todo) > 0; todo = todo[1:] {
		todo = append(todo, children[todo[0]]...)
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", todo[0]))
		if err != nil {
			continue
		}
		kb := 0
		_, pss, _ := strings.Cut(string(text), "\nPss:")
		fmt.Sscan(pss, &kb)
		bytesAll += kb << 10
	}
	return bytesAll
}
