package network

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRequests: how requests say whom they are for, as they stand on the wire.
func TestRequests(t *testing.T) {
	port := newServer(t)
	_, proxy := newProxy(t, Options{Rules: newRules(t, "*.a.example localhost 127.0.0.1", "")}, map[string]string{
		"x.a.example": "127.0.0.1", "gone.a.example": "",
	})
	for _, row := range []struct {
		name, request string
		status        int
		body          string
	}{
		{"plain", "GET http://X.A.Example.:<P>/p?q=1;r HTTP/1.1\nHost: X.A.Example.:<P>\n\n", 200, "GET /p?q=1;r for x.a.example:<P>"},
		{"another Host header", "GET http://x.a.example:<P>/ HTTP/1.1\nHost: evil.test\n\n", 200, "GET / for x.a.example:<P>"},
		{"an allowed Host header", "GET http://evil.test:<P>/ HTTP/1.1\nHost: x.a.example:<P>\n\n", 403, "the network refuses evil.test:<P>"},
		{"two Host headers", "GET http://x.a.example:<P>/ HTTP/1.1\nHost: a\nHost: b\n\n", 400, ""},
		{"HTTP/1.0", "GET http://x.a.example:<P>/ HTTP/1.0\n\n", 200, "for x.a.example:<P>"},
		{"a user that looks like a host", "GET http://x.a.example:<P>@evil.test/ HTTP/1.1\nHost: x\n\n", 403, "the network refuses evil.test:80"},
		{"a user", "GET http://evil.test@x.a.example:<P>/ HTTP/1.1\nHost: x\n\n", 200, "for x.a.example:<P>"},
		{"the proxy as a server", "GET / HTTP/1.1\nHost: x.a.example:<P>\n\n", 400, "this is a proxy"},
		{"https without CONNECT", "GET https://x.a.example:<P>/ HTTP/1.1\nHost: x\n\n", 400, "this is a proxy"},
		{"ftp", "GET ftp://x.a.example:<P>/ HTTP/1.1\nHost: x\n\n", 400, "this is a proxy"},
		{"no host", "GET http:///x HTTP/1.1\nHost: x.a.example\n\n", 400, "this is a proxy"},
		{"opaque", "GET http:x.a.example HTTP/1.1\nHost: x.a.example\n\n", 400, "this is a proxy"},
		{"no port, refused", "GET http://evil.test/ HTTP/1.1\nHost: x\n\n", 403, `evil.test:80: nobody allowed it: "evil.test" in network.allow allows it`},
		{"port 0", "GET http://x.a.example:0/ HTTP/1.1\nHost: x\n\n", 400, "from 1 to 65535"},
		{"a port beyond", "GET http://x.a.example:65616/ HTTP/1.1\nHost: x\n\n", 400, "from 1 to 65535"},
		{"an escaped dot", "GET http://x%2ea.example:<P>/ HTTP/1.1\nHost: x\n\n", 400, ""},
		{"NUL", "GET http://x.a.example\x00.evil.test:<P>/ HTTP/1.1\nHost: x\n\n", 400, ""},
		{"a name that is too long", "GET http://" + strings.Repeat("a.", 200) + "a.example/ HTTP/1.1\nHost: x\n\n", 403, "is no host name"},
		{"no such name", "GET http://gone.a.example:<P>/ HTTP/1.1\nHost: x\n\n", 502, "no such host"},
		{"nobody listens", "CONNECT 127.0.0.1:1 HTTP/1.1\n\n", 502, "connection refused"},
		{"CONNECT", "CONNECT x.a.example:<P> HTTP/1.1\n\n", 200, ""},
		{"CONNECT and another Host header", "CONNECT evil.test:<P> HTTP/1.1\nHost: x.a.example:<P>\n\n", 403, "evil.test:<P>"},
		{"CONNECT without a port", "CONNECT x.a.example HTTP/1.1\nHost: x.a.example:<P>\n\n", 400, "CONNECT HOST:PORT"},
		{"CONNECT without a host", "CONNECT :<P> HTTP/1.1\nHost: x.a.example:<P>\n\n", 400, "CONNECT HOST:PORT"},
		{"CONNECT with a user", "CONNECT x.a.example:1@127.0.0.1:<P> HTTP/1.1\n\n", 400, "without a user"},
		{"CONNECT to a path", "CONNECT /x HTTP/1.1\nHost: x.a.example:<P>\n\n", 400, "CONNECT HOST:PORT"},
		{"CONNECT to a URL", "CONNECT http://x.a.example:<P>/ HTTP/1.1\nHost: x.a.example:<P>\n\n", 400, ""},
		{"CONNECT to a zone", "CONNECT [::1%25lo]:<P> HTTP/1.1\n\n", 403, "zone"},
		{"CONNECT to an address that stands for nothing", "CONNECT 127.64.0.9:<P> HTTP/1.1\n\n", 403, "no name has the address 127.64.0.9"},
		{"CONNECT to an address beyond those", "CONNECT 127.127.255.255:<P> HTTP/1.1\n\n", 403, "no name has the address"},
	} {
		number := strings.NewReplacer("<P>", fmt.Sprint(port), "\n", "\r\n")
		status, body := send(t, proxy, number.Replace(row.request))
		require.Equal(t, row.status, status, "%s: %s", row.name, body)
		require.Contains(t, body, number.Replace(row.body), row.name)
	}
}

// newClient makes one that uses the proxy for everything.
func newClient(t *testing.T, proxy string) *http.Client {
	u, err := url.Parse("http://" + proxy)
	require.NoError(t, err)
	tr := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func TestHeadersOfOneHopStayThere(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "X-Mine")
		w.Header().Set("X-Mine", "1")
		w.Header().Set("X-Kept", "1")
		r.Header.Write(w)
		io.Copy(w, r.Body)
	}))
	t.Cleanup(s.Close)
	_, proxy := newProxy(t, Options{Rules: newRules(t, "127.0.0.1", "")}, nil)
	r, err := http.NewRequest("POST", s.URL, strings.NewReader("the body"))
	require.NoError(t, err)
	for _, h := range []string{"Proxy-Authorization", "Proxy-Connection", "X-Named", "Keep-Alive"} {
		r.Header.Set(h, "secret")
	}
	r.Header.Set("Connection", "X-Named")
	r.Header.Set("X-Other", "1")
	res, err := newClient(t, proxy).Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NotContains(t, string(body), "secret")
	require.NotContains(t, string(body), "X-Forwarded")
	require.Contains(t, string(body), "X-Other: 1")
	require.Contains(t, string(body), "the body")
	require.Empty(t, res.Header.Get("X-Mine"))
	require.Equal(t, "1", res.Header.Get("X-Kept"))
}

// TestTLS: what is inside is between the two ends, HTTP/2 too.
func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	_, proxy := newProxy(t, Options{Rules: newRules(t, "a.example 127.0.0.1", "")}, map[string]string{"a.example": "127.0.0.1"})
	res, err := newClient(t, proxy).Get(fmt.Sprintf("https://a.example:%d/", portOf(t, s.URL)))
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "HTTP/2.0", string(body))
}

// TestUpgrades: a connection that becomes another protocol, as web sockets do, with and
// without a tunnel; each end may end its half alone.
func TestUpgrades(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+r.Header.Get("Upgrade")+"\r\n\r\n")
		all, _ := io.ReadAll(buf) // until the client's half ends
		fmt.Fprintf(c, "got %s", all)
	}))
	t.Cleanup(s.Close)
	_, proxy := newProxy(t, Options{Rules: newRules(t, "127.0.0.1", "")}, nil)
	at := strings.TrimPrefix(s.URL, "http://")
	for _, tunnel := range []bool{false, true} {
		c, err := net.Dial("tcp", proxy)
		require.NoError(t, err)
		defer c.Close()
		in := bufio.NewReader(c)
		target := s.URL + "/"
		if tunnel {
			target = "/"
			fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\n\r\n", at)
			res, err := http.ReadResponse(in, &http.Request{Method: "CONNECT"})
			require.NoError(t, err)
			require.Equal(t, 200, res.StatusCode)
		}
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n", target, at)
		res, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		require.Equal(t, 101, res.StatusCode)
		io.WriteString(c, "hello")
		require.NoError(t, c.(*net.TCPConn).CloseWrite())
		all, err := io.ReadAll(in)
		require.NoError(t, err)
		require.Equal(t, "got hello", string(all), "tunnel: %v", tunnel)
	}
}

// TestAPooledConnectionIsJudgedAgain: a kept connection is no way past the rules.
func TestAPooledConnectionIsJudgedAgain(t *testing.T) {
	port := newServer(t)
	p, proxy := newProxy(t, Options{}, nil)
	get := func() int {
		status, _ := send(t, proxy, fmt.Sprintf("GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n\r\n", port))
		return status
	}
	revoke := p.Grant([]string{"127.0.0.1"})
	require.Equal(t, 200, get())
	require.Equal(t, 200, get())
	revoke()
	require.Equal(t, 403, get())
}
