package network

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// newNameServer is that of a proxy, asked by Go's resolver.
func newNameServer(t *testing.T) (p *Proxy, server net.Addr, resolver *net.Resolver) {
	p = New(nil)
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	p.Serve(Listeners{DNS: c})
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p, c.LocalAddr(), &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", c.LocalAddr().String())
	}}
}

func TestEveryNameHasAnAddress(t *testing.T) {
	_, server, resolver := newNameServer(t)
	look := func(network, name string) string {
		addrs, err := resolver.LookupNetIP(t.Context(), network, name)
		if err != nil {
			return err.(*net.DNSError).Err
		}
		return fmt.Sprint(addrs)
	}
	require.Equal(t, "[127.64.0.1]", look("ip", "a.example."))
	require.Equal(t, "[127.64.0.2]", look("ip", "xn--bcher-kva.example."))
	require.Equal(t, "[127.64.0.1]", look("ip", "A.Example."))
	require.Equal(t, "no such host", look("ip6", "a.example."))
	require.Equal(t, "[127.0.0.1]", look("ip4", "x.localhost."))
	require.Equal(t, "no such host", look("ip", "1.2.3."))
	_, err := resolver.LookupAddr(t.Context(), "127.64.0.1")
	require.Error(t, err)

	// What is no query gets no answer and ends nothing.
	c, err := net.Dial("udp", server.String())
	require.NoError(t, err)
	defer c.Close()
	name := dnsmessage.MustNewName("a.example.")
	reply := dnsmessage.Message{Header: dnsmessage.Header{Response: true}, Questions: []dnsmessage.Question{{Name: name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}}}
	b, err := reply.Pack()
	require.NoError(t, err)
	for _, bad := range [][]byte{nil, {0}, make([]byte, 11), make([]byte, 12), make([]byte, 4096), b} {
		_, err := c.Write(bad)
		require.NoError(t, err)
	}
	require.Equal(t, "[127.64.0.1]", look("ip", "a.example."))
}

// TestNamesAreBounded: the oldest gives its address to one more.
func TestNamesAreBounded(t *testing.T) {
	var n names
	seen := map[netip.Addr]bool{}
	for i := range maxNames - 1 {
		ip := n.addr(fmt.Sprint("h", i))
		require.True(t, fakeRange.Contains(ip))
		require.False(t, seen[ip])
		seen[ip] = true
	}
	first, second := n.addr("h0"), n.addr("h1")
	require.Equal(t, first, n.addr("one more"))
	require.Equal(t, "one more", n.name(first))
	require.Equal(t, "h1", n.name(second))
	require.Equal(t, second, n.addr("h0"), "it is given an address again")
	require.Len(t, n.index, maxNames-1)
	for _, ip := range []string{"127.64.0.0", "127.127.0.1", "127.65.0.1", "127.64.64.1"} {
		require.Empty(t, n.name(netip.MustParseAddr(ip)), ip)
	}
}

func FuzzDNS(f *testing.F) {
	q := dnsmessage.Message{Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName("a.example."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}}}
	b, err := q.Pack()
	require.NoError(f, err)
	f.Add(b)
	p := New(nil)
	f.Fuzz(func(t *testing.T, query []byte) {
		if reply := p.answerDNS(query); reply != nil {
			var m dnsmessage.Message
			require.NoError(t, m.Unpack(reply))
			require.True(t, m.Response)
		}
	})
}
