package network

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// newProxy serves an open proxy on this machine's loopback and returns its address.
// Names lead to where zone says.
func newProxy(t *testing.T, opts Options, zone map[string]string) (*Proxy, string) {
	t.Helper()
	opts.Resolver = newResolver(t, zone)
	p := New(&opts)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.Serve(Listeners{HTTP: l})
	p.SetOpen(true)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p, l.Addr().String()
}

// newResolver asks a name server that knows a zone: addresses with blanks between them.
// It fails the test when it is asked for a name that no test expects to be looked up.
func newResolver(t *testing.T, zone map[string]string) *net.Resolver {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() { c.Close(); <-done })
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil {
				continue
			}
			q := m.Questions[0]
			addrs, ok := zone[strings.TrimSuffix(q.Name.String(), ".")]
			if !ok {
				t.Errorf("the name server was asked for %s", q.Name)
			}
			m.Response, m.RecursionAvailable = true, true
			m.Additionals = nil
			for _, a := range strings.Fields(addrs) {
				h := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}
				if ip := netip.MustParseAddr(a); ip.Is4() && q.Type == dnsmessage.TypeA {
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: ip.As4()}})
				} else if ip.Is6() && q.Type == dnsmessage.TypeAAAA {
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
				}
			}
			if b, err := m.Pack(); err == nil {
				c.WriteTo(b, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", c.LocalAddr().String())
	}}
}

// newServer says what it was asked.
func newServer(t *testing.T) (port int) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s for %s", r.Method, r.URL, r.Host)
	}))
	t.Cleanup(s.Close)
	return portOf(t, s.URL)
}

func portOf(t *testing.T, address string) int {
	u, err := url.Parse(address)
	require.NoError(t, err)
	n, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return n
}

// send writes a request as it is and reads the answer.
func send(t *testing.T, proxy, request string) (status int, body string) {
	t.Helper()
	c, err := net.Dial("tcp", proxy)
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, request)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err, request)
	defer res.Body.Close()
	if res.StatusCode == 200 && strings.HasPrefix(request, "CONNECT") {
		return 200, ""
	}
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(b)
}

// tryConnect asks for a tunnel.
func tryConnect(t *testing.T, proxy, to string) (status int, body string) {
	t.Helper()
	return send(t, proxy, "CONNECT "+to+" HTTP/1.1\r\nHost: "+to+"\r\n\r\n")
}
