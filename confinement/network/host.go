package network

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agentbash/agentbash/internal/publicaddr"
	"golang.org/x/net/idna"
)

// host is who is meant: a name in its ASCII form, or an address.
type host struct {
	name string // lower case, no trailing dot; "" if it is an address
	addr netip.Addr
}

func (h host) String() string {
	if h.name != "" {
		return h.name
	}
	return h.addr.String()
}

// isLocal reports whether only this machine or its networks can be meant.
func (h host) isLocal() bool {
	if h.name != "" {
		return h.name == "localhost" || strings.HasSuffix(h.name, ".localhost")
	}
	return !publicaddr.Contains(h.addr)
}

// mapName makes names comparable (UTS 46). Hyphens and underscores stand where DNS
// has them in practice.
var mapName = sync.OnceValue(func() *idna.Profile {
	return idna.New(idna.MapForLookup(), idna.CheckHyphens(false), idna.StrictDomainName(false), idna.BidiRule())
})

// maxName is the longest name of DNS, in its ASCII form.
const maxName = 253

// parseHost reads a name or an address, without brackets.
func parseHost(text string) (host, error) {
	if ip, err := netip.ParseAddr(text); err == nil {
		if ip.Zone() != "" {
			return host{}, errors.New("an address with a zone is of this machine's links")
		}
		return host{addr: ip.Unmap()}, nil
	}
	name, err := text, error(nil)
	if len(text) <= 4*maxName { // longer ones stay too long
		name, err = mapName().ToASCII(text)
		name = strings.TrimSuffix(name, ".")
	}
	if ip, notIP := netip.ParseAddr(name); notIP == nil && ip.Is4() {
		return host{addr: ip}, nil // 127.0.0.1. and the like
	}
	if err != nil || !isName(name) || !utf8.ValidString(text) {
		return host{}, fmt.Errorf("%s is no host name", quoteText(text))
	}
	if endsInNumber(name) {
		return host{}, fmt.Errorf("%s is no host name and no whole address: write four decimal numbers", quoteText(text))
	}
	return host{name: name}, nil
}

// isName reports whether DNS can ask for a name.
func isName(name string) bool {
	if len(name) > maxName {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// endsInNumber reports a name that resolvers may take for an IPv4 address: the URL
// standard's rule.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// parsePort reads a TCP port.
func parsePort(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%s is no port: write a number from 1 to 65535", quoteText(text))
	}
	return int(n), nil
}

// quoteText shows the beginning of what somebody sent.
func quoteText(text string) string { return fmt.Sprintf("%.80q", text) }
