package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAddressesAreJudged: what a name leads to must be public or named.
func TestAddressesAreJudged(t *testing.T) {
	port := newServer(t)
	own := ownAddress(t)
	for _, row := range []struct {
		name, allow, deny, zone, host string
		refused                       string // "" is not
	}{
		{"an address that is named", "127.0.0.1", "", "", "127.0.0.1", ""},
		{"another port is named", "127.0.0.1:1", "", "", "127.0.0.1", "nobody allowed it"},
		{"a name and its address", "a.example 127.0.0.1", "", "127.0.0.1", "a.example", ""},
		{"a name and its range", "*.example 127.0.0.0/8", "", "127.0.0.1", "a.example", ""},
		{"a name alone", "a.example", "", "127.0.0.1", "a.example", `it leads to 127.0.0.1, which is not a public address: "127.0.0.1" in network.allow allows it`},
		{"the address alone", "127.0.0.1", "", "", "a.example", "nobody allowed it"},
		{"the address for another port", "a.example 127.0.0.1:1", "", "127.0.0.1", "a.example", "not a public address"},
		{"everything", "*", "", "127.0.0.1", "a.example", "not a public address"},
		{"a private address", "*", "", "10.0.0.1", "a.example", "it leads to 10.0.0.1"},
		{"a cloud's metadata", "*", "", "169.254.169.254", "a.example", "it leads to 169.254.169.254"},
		{"metadata in IPv6", "*", "", "fd00:ec2::254", "a.example", "it leads to fd00:ec2::254"},
		{"mapped loopback", "*", "", "::ffff:127.0.0.1", "a.example", "it leads to 127.0.0.1"},
		{"NAT64 of loopback", "*", "", "64:ff9b::7f00:1", "a.example", "it leads to 64:ff9b::7f00:1"},
		{"6to4 of a private address", "*", "", "2002:a00:1::1", "a.example", "it leads to 2002:a00:1::1"},
		{"unspecified", "*", "", "0.0.0.0", "a.example", "it leads to 0.0.0.0"},
		{"carrier's NAT", "*", "", "100.64.1.1", "a.example", "it leads to 100.64.1.1"},
		{"an interface of this machine", "*", "", own, "a.example", "it leads to " + own},
		{"several, none public", "*", "", "127.0.0.1 10.0.0.1 ::1", "a.example", "it leads to "},
		{"a denied address", "a.example 127.0.0.0/8", "127.0.0.1", "127.0.0.1", "a.example", `"127.0.0.1" in network.deny`},
		{"a denied name", "* 127.0.0.1", "*.example", "", "a.example", `"*.example" in network.deny denies it`},
		{"localhost", "localhost", "", "", "localhost", ""},
		{"below localhost", "x.localhost", "", "127.0.0.1", "x.localhost", ""},
		{"below localhost, elsewhere", "x.localhost", "", "10.0.0.1", "x.localhost", "it leads to 10.0.0.1"},
		{"everything is not localhost", "*", "", "", "localhost", "nobody allowed it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			zone := map[string]string{}
			if row.zone != "" {
				zone[row.host] = row.zone
			}
			p, at := newProxy(t, Options{Rules: newRules(t, row.allow, row.deny)}, zone)
			status, body := tryConnect(t, at, fmt.Sprintf("%s:%d", row.host, port))
			refusals := p.Refusals()
			if row.refused == "" {
				require.Equal(t, 200, status, body)
				require.Empty(t, refusals)
				return
			}
			require.Equal(t, 403, status)
			require.Contains(t, body, fmt.Sprintf("%s:%d", row.host, port))
			require.Contains(t, body, row.refused)
			require.Len(t, refusals, 1)
			require.Equal(t, row.host, refusals[0].Host)
			require.Contains(t, refusals[0].Error(), row.refused)
			require.Empty(t, p.Refusals(), "they are told once")
		})
	}
}

// ownAddress is an address of this machine that is no loopback one.
func ownAddress(t *testing.T) string {
	addrs, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addrs {
		if ip := netip.MustParsePrefix(a.String()).Addr(); ip.IsGlobalUnicast() {
			return ip.String()
		}
	}
	return "127.0.0.1"
}

// TestOddHostsReachNoResolver: what some resolvers take for this machine.
func TestOddHostsReachNoResolver(t *testing.T) {
	port := newServer(t)
	p, at := newProxy(t, Options{Rules: newRules(t, "* 0.0.0.0/0 ::/0 localhost", ""), Ask: sayYes}, map[string]string{"a.example": ""})
	for _, h := range odd {
		status, _ := tryConnect(t, at, fmt.Sprintf("%s:%d", h, port))
		require.GreaterOrEqual(t, status, 400, "%.80q", h)
		status, _ = send(t, at, fmt.Sprintf("GET http://%s:%d/ HTTP/1.1\r\nHost: localhost:%[2]d\r\n\r\n", h, port))
		require.GreaterOrEqual(t, status, 400, "%.80q", h)
	}
	for _, r := range p.Refusals() {
		require.LessOrEqual(t, len(r.Host), 400)
		require.NotContains(t, r.Host, "\n")
	}
}

func sayYes(context.Context, string, int) (bool, error) { return true, nil }

func TestOpenAndGrant(t *testing.T) {
	port := newServer(t)
	at := fmt.Sprintf("127.0.0.1:%d", port)
	p, proxy := newProxy(t, Options{Rules: newRules(t, "localhost", "localhost:1")}, nil)
	local := fmt.Sprintf("localhost:%d", port)
	try := func(to string) int { status, _ := tryConnect(t, proxy, to); return status }

	require.Equal(t, 403, try(at))
	revoke := p.Grant([]string{"no host", at})
	other := p.Grant([]string{"127.0.0.1:2"})
	require.Equal(t, 200, try(at))
	revoke()
	revoke()
	require.Equal(t, 403, try(at))
	other()

	defer p.Grant([]string{"localhost:1"})()
	require.Equal(t, 403, try("localhost:1"), "a denial beats an approval")

	require.Equal(t, 200, try(local))
	p.SetOpen(false)
	defer p.Grant([]string{local})()
	p.Refusals()
	require.Equal(t, 403, try(local))
	require.Equal(t, []Refusal{{Host: "localhost", Port: port, Reason: "what only reads has no network"}}, p.Refusals())
	p.SetOpen(true)
	require.Equal(t, 200, try(local))
}

func TestAProxyStartsClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := New(&Options{Rules: newRules(t, "127.0.0.1", "")})
	p.Serve(Listeners{HTTP: l})
	status, _ := tryConnect(t, l.Addr().String(), fmt.Sprintf("127.0.0.1:%d", newServer(t)))
	require.Equal(t, 403, status)
	require.NoError(t, p.Close())
	p.Serve(Listeners{HTTP: l}) // too late: it is closed
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestFailuresAreTold(t *testing.T) {
	p, proxy := newProxy(t, Options{Rules: newRules(t, "127.0.0.1", "")}, nil)
	for range 2 {
		status, _ := tryConnect(t, proxy, "127.0.0.1:1")
		require.Equal(t, 502, status)
	}
	got := p.Refusals()
	require.Len(t, got, 1)
	require.True(t, got[0].Failed)
	require.Contains(t, got[0].Reason, "connection refused")
}

func TestRefusalsAreBounded(t *testing.T) {
	p, proxy := newProxy(t, Options{}, nil)
	for n := range 2 * maxRefusals {
		for range 2 {
			status, _ := tryConnect(t, proxy, fmt.Sprintf("h%d.example:443", n))
			require.Equal(t, 403, status)
		}
	}
	got := p.Refusals()
	require.Len(t, got, maxRefusals)
	require.Equal(t, "h0.example", got[0].Host)
	require.Equal(t, `the network refuses h0.example:443: nobody allowed it: "h0.example" in network.allow allows it`, got[0].Error())
}

// TestAsk: connections to one host share a question, and its answer is for them.
func TestAsk(t *testing.T) {
	port := newServer(t)
	asked, answer := make(chan string), make(chan bool)
	p, proxy := newProxy(t, Options{Ask: func(ctx context.Context, host string, port int) (bool, error) {
		asked <- host
		select {
		case yes := <-answer:
			return yes, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}}, nil)
	connect := func(host string, n int, want int) (wait func()) {
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				status, body := tryConnect(t, proxy, fmt.Sprintf("%s:%d", host, port))
				if status != want {
					t.Errorf("%s: %d instead of %d: %s", host, status, want, body)
				}
			})
		}
		for all := 0; all != n; {
			p.mu.Lock()
			all = 0
			for t, q := range p.asking {
				if t.String() == host {
					all = q.waiting
				}
			}
			p.mu.Unlock()
		}
		return all.Wait
	}
	yes := connect("127.0.0.1", 5, 200)
	require.Equal(t, "127.0.0.1", <-asked)
	no := connect("localhost", 3, 403) // waits until the first is answered
	answer <- true
	require.Equal(t, "localhost", <-asked)
	answer <- false
	yes()
	no()
	p.mu.Lock()
	require.Empty(t, p.asking)
	p.mu.Unlock()

	again := connect("localhost", 1, 200) // the proxy does not remember
	<-asked
	answer <- true
	again()

	status, _ := tryConnect(t, proxy, "169.254.169.254:80") // never asked about
	require.Equal(t, 403, status)
	status, _ = tryConnect(t, proxy, "[64:ff9b::a9fe:a9fe]:80")
	require.Equal(t, 403, status)
}

// TestAQuestionThatNobodyWaitsForEnds: its context does.
func TestAQuestionThatNobodyWaitsForEnds(t *testing.T) {
	asked, ended := make(chan bool), make(chan error)
	p, proxy := newProxy(t, Options{Ask: func(ctx context.Context, _ string, _ int) (bool, error) {
		asked <- true
		<-ctx.Done()
		ended <- ctx.Err()
		return true, nil
	}}, nil)
	c, err := net.Dial("tcp", proxy)
	require.NoError(t, err)
	_, err = io.WriteString(c, "CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	<-asked
	require.NoError(t, c.Close())
	require.ErrorIs(t, <-ended, context.Canceled)

	c, err = net.Dial("tcp", proxy)
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	<-asked
	go p.Close() // so does Close
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestAskFails(t *testing.T) {
	p, proxy := newProxy(t, Options{Ask: func(context.Context, string, int) (bool, error) { return true, errors.New("no terminal") }}, nil)
	status, body := tryConnect(t, proxy, "a.example:443")
	require.Equal(t, 403, status)
	require.Contains(t, body, "no terminal")
	require.Len(t, p.Refusals(), 1)
}

// TestCloseEndsEverything: tunnels, requests without an answer, clients that say nothing.
func TestCloseEndsEverything(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	p, proxy := newProxy(t, Options{Rules: newRules(t, "127.0.0.1", "")}, nil)
	var clients []net.Conn
	for _, text := range []string{"", "GET ht", "CONNECT " + silent.Addr().String() + " HTTP/1.1\r\n\r\n", "GET http://" + silent.Addr().String() + "/ HTTP/1.1\r\nHost: x\r\n\r\n"} {
		c, err := net.Dial("tcp", proxy)
		require.NoError(t, err)
		defer c.Close()
		_, err = io.WriteString(c, text)
		require.NoError(t, err)
		if strings.Contains(text, silent.Addr().String()) {
			up, err := silent.Accept()
			require.NoError(t, err)
			defer up.Close()
			clients = append(clients, up)
		}
		clients = append(clients, c)
	}
	require.NoError(t, p.Close())
	for _, c := range clients {
		_, err := io.Copy(io.Discard, c) // ends
		_ = err
	}
	_, err = net.Dial("tcp", proxy)
	require.Error(t, err)
}

// TestIdleConnectionsEnd: also those whose client takes nothing of what the host sends.
func TestIdleConnectionsEnd(t *testing.T) {
	for _, flood := range []bool{false, true} {
		host, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer host.Close()
		_, proxy := newProxy(t, Options{Rules: newRules(t, "127.0.0.1", ""), Idle: 20 * time.Millisecond}, nil)
		c, err := net.Dial("tcp", proxy)
		require.NoError(t, err)
		defer c.Close()
		_, err = io.WriteString(c, "CONNECT "+host.Addr().String()+" HTTP/1.1\r\n\r\n")
		require.NoError(t, err)
		up, err := host.Accept()
		require.NoError(t, err)
		defer up.Close()
		for err == nil && flood {
			_, err = up.Write(make([]byte, 1<<20))
		}
		io.Copy(io.Discard, up)
		io.Copy(io.Discard, c)
	}
}

func TestClientsAreBounded(t *testing.T) {
	p := New(nil)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer inner.Close()
	l := p.limit(inner).(*limited)
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	var first net.Conn
	for n := range maxClients + 1 {
		c, err := net.Dial("tcp", inner.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		if n == maxClients {
			require.Len(t, l.slots, maxClients)
			first.Close()
			first.Close()
		}
		in := <-accepted
		defer in.Close()
		if n == 0 {
			first = in
		}
	}
	require.Len(t, l.slots, maxClients)
	require.NoError(t, p.Close()) // ends Accept, which waits for a place
	_, more := <-accepted
	require.False(t, more)
}
