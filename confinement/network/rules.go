package network

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/publicaddr"
)

// Rules say which hosts may be connected to. A denial beats what is allowed. The
// zero value knows no host.
type Rules struct {
	Allow, Deny []Rule
}

// ParseRules reads two lists with [ParseRule].
func ParseRules(allow, deny []string) (r Rules, err error) {
	if r.Allow, err = parseList(allow); err == nil {
		r.Deny, err = parseList(deny)
	}
	return r, err
}

func parseList(texts []string) (rules []Rule, err error) {
	for _, text := range texts {
		rule, err := ParseRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// Verdict is what rules say of a host.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota // no rule is about it
	Allowed
	Denied // also what is no host
)

// Judge says what the rules say of a host, a name or an address without brackets,
// and a TCP port. Where a name leads to is not looked at.
func (r *Rules) Judge(name string, port int) Verdict {
	h, err := parseHost(name)
	switch {
	case err != nil || r.denies(h, port) != "":
		return Denied
	case slices.ContainsFunc(r.Allow, func(rule Rule) bool { return rule.allows(h, port) }):
		return Allowed
	}
	return Unknown
}

// AllowAll reports whether "*" is allowed and nothing denied, so that nobody has to look
// at names. Private addresses are not told from others then.
func (r *Rules) AllowAll() bool {
	return len(r.Deny) == 0 && slices.ContainsFunc(r.Allow, func(rule Rule) bool { return rule.any && rule.port == 0 })
}

// denies is the text of the rule that denies a host, or "".
func (r *Rules) denies(h host, port int) string {
	for _, rule := range r.Deny {
		if rule.matches(h, port) || h.name == "" && rule.matches(host{addr: publicaddr.Unwrap(h.addr)}, port) {
			return rule.text
		}
	}
	return ""
}

// namesAddress reports whether a rule names an address, or a range that it is in.
func (r *Rules) namesAddress(ip netip.Addr, port int) bool {
	return slices.ContainsFunc(r.Allow, func(rule Rule) bool { return rule.prefix.IsValid() && rule.matches(host{addr: ip}, port) })
}

// Rule is about some hosts. It is comparable; the zero value is about none.
type Rule struct {
	text   string
	any    bool         // *
	below  bool         // *.name
	name   string       // as in host
	prefix netip.Prefix // of addresses
	port   int          // 0: all
}

// MarshalText is the rule as it was written, which UnmarshalText reads.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.text), nil }

// UnmarshalText is [ParseRule].
func (r *Rule) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRule(string(text))
	return err
}

// ParseRule reads HOST or HOST:PORT. HOST is a name, "*." and a name for all that is
// below it (not itself), an address, a range of addresses (10.0.0.0/8), or "*" for
// every name and every public address; an IPv6 one before a port stands in brackets.
func ParseRule(text string) (Rule, error) {
	r := Rule{text: text}
	name, port, err := splitRule(text)
	if err != nil {
		return Rule{}, fmt.Errorf("%s: %w", quoteText(text), err)
	}
	if port != "" {
		if r.port, err = parsePort(port[1:]); err != nil {
			return Rule{}, fmt.Errorf("%s: %w", quoteText(text), err)
		}
	}
	if r.any = name == "*"; r.any {
		return r, nil
	}
	if r.prefix, err = netip.ParsePrefix(name); err == nil {
		if r.prefix = r.prefix.Masked(); r.prefix.Addr().Is4In6() {
			return Rule{}, fmt.Errorf("%s: write the IPv4 range, such as 10.0.0.0/8", quoteText(text))
		}
		return r, nil
	}
	name, r.below = strings.CutPrefix(name, "*.")
	h, err := parseHost(name)
	switch {
	case err != nil:
		return Rule{}, fmt.Errorf("%s: %w: write a host, HOST:PORT, *.HOST, an address, or a range such as 10.0.0.0/8", quoteText(text), err)
	case h.name != "":
		r.name = h.name
	case r.below:
		return Rule{}, fmt.Errorf("%s: nothing is below an address: write a range such as 10.0.0.0/8", quoteText(text))
	default:
		r.prefix = netip.PrefixFrom(h.addr, h.addr.BitLen())
	}
	return r, nil
}

// splitRule parts the host of a rule from its port, which keeps its colon.
func splitRule(text string) (name, port string, err error) {
	if strings.Contains(text, "://") || strings.ContainsAny(text, "@?#") {
		return "", "", errors.New("write the host alone, without scheme, user or path")
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		name, port, ok = strings.Cut(inner, "]")
		if !ok || port != "" && port[0] != ':' {
			return "", "", errors.New("write an IPv6 address with a port as [::1]:8080")
		}
		return name, port, nil
	}
	if i := strings.IndexByte(text, ':'); i >= 0 && i == strings.LastIndexByte(text, ':') {
		return text[:i], text[i:], nil
	}
	return text, "", nil
}

// String is the rule as it was written.
func (r Rule) String() string { return r.text }

// allows reports whether the rule allows a host: "*" does not stand for this machine
// and its networks.
func (r Rule) allows(h host, port int) bool {
	return r.matches(h, port) && !(r.any && h.isLocal())
}

func (r Rule) matches(h host, port int) bool {
	switch {
	case r.port != 0 && r.port != port:
		return false
	case r.any:
		return true
	case h.name == "":
		return r.prefix.IsValid() && r.prefix.Contains(h.addr)
	case r.below:
		return strings.HasSuffix(h.name, "."+r.name)
	}
	return h.name == r.name
}
