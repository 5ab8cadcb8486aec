package network

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// fakeRange are the addresses that stand for names.
var fakeRange = netip.MustParsePrefix("127.64.0.0/10")

// maxNames is how many names have addresses; the oldest gives way to one more.
const maxNames = 1 << 14

// names are addresses that stand for names. The zero value is ready for use, and it
// is safe for concurrent use.
type names struct {
	mu      sync.Mutex       // guards what follows
	entries [maxNames]string // by the last two bytes of the address; the first is none
	index   map[string]int
	last    int
}

// addr is the address of a name.
func (n *names) addr(name string) netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	i, ok := n.index[name]
	if !ok {
		if n.index == nil {
			n.index = map[string]int{}
		}
		i = n.last%(maxNames-1) + 1
		delete(n.index, n.entries[i])
		n.last, n.index[name], n.entries[i] = i, i, name
	}
	return netip.AddrFrom4([4]byte{127, 64, byte(i >> 8), byte(i)})
}

// name is the name of an address in fakeRange, or "".
func (n *names) name(ip netip.Addr) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := ip.As4()
	if i := int(b[2])<<8 | int(b[3]); b[1] == 64 && i < maxNames {
		return n.entries[i]
	}
	return ""
}

// serveDNS is the name server.
func (p *Proxy) serveDNS(c net.PacketConn) {
	query := make([]byte, 4096)
	for {
		n, from, err := c.ReadFrom(query)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if reply := p.answerDNS(query[:n]); reply != nil {
			c.WriteTo(reply, from) // who gets none asks again
		}
	}
}

// answerDNS answers a query from the table alone: every name exists, also one that
// will be refused, so that it is refused with a reason. nil: it is no query.
func (p *Proxy) answerDNS(query []byte) []byte {
	var in dnsmessage.Parser
	head, err := in.Start(query)
	if err != nil || head.Response {
		return nil
	}
	q, err := in.Question()
	if err != nil {
		return nil
	}
	out := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: head.ID, Response: true, OpCode: head.OpCode, RecursionDesired: head.RecursionDesired, RecursionAvailable: true},
		Questions: []dnsmessage.Question{q},
	}
	h, err := parseHost(q.Name.String())
	if err != nil || h.name == "" {
		out.RCode = dnsmessage.RCodeNameError
	} else if q.Type == dnsmessage.TypeA && q.Class == dnsmessage.ClassINET {
		ip := netip.AddrFrom4([4]byte{127, 0, 0, 1})
		if !h.isLocal() {
			ip = p.names.addr(h.name)
		}
		out.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 5},
			Body:   &dnsmessage.AResource{A: ip.As4()},
		}}
	}
	reply, err := out.Pack()
	if err != nil {
		return nil
	}
	return reply
}
