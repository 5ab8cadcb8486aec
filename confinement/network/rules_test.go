package network

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func newRules(t *testing.T, allow, deny string) Rules {
	t.Helper()
	r, err := ParseRules(strings.Fields(allow), strings.Fields(deny))
	require.NoError(t, err)
	return r
}

func TestJudge(t *testing.T) {
	for _, row := range []struct {
		name, allow, deny, host string
		port                    int
		want                    Verdict
	}{
		{"no rules", "", "", "a.example", 443, Unknown},
		{"a name", "a.example", "", "a.example", 22, Allowed},
		{"case and trailing dot of the host", "a.example", "", "A.Example.", 443, Allowed},
		{"case and trailing dot of the rule", "A.Example.", "", "a.example", 443, Allowed},
		{"below a name", "a.example", "", "b.a.example", 443, Unknown},
		{"a longer name", "a.example", "", "ba.example", 443, Unknown},
		{"a longer domain", "a.example", "", "a.example.evil.test", 443, Unknown},
		{"a port", "a.example:443", "", "a.example", 443, Allowed},
		{"another port", "a.example:443", "", "a.example", 80, Unknown},
		{"wildcard", "*.a.example", "", "x.y.a.example", 443, Allowed},
		{"wildcard and the name itself", "*.a.example", "", "a.example", 443, Unknown},
		{"wildcard and another name", "*.a.example", "", "xa.example", 443, Unknown},
		{"wildcard with a port", "*.a.example:443", "", "x.a.example", 80, Unknown},
		{"everything", "*", "", "a.example", 1, Allowed},
		{"everything, a public address", "*", "", "93.184.215.14", 1, Allowed},
		{"everything, not this machine", "*", "", "127.0.0.1", 1, Unknown},
		{"everything, not this machine by name", "*", "", "x.localhost", 1, Unknown},
		{"everything, not a private network", "*", "", "10.0.0.1", 1, Unknown},
		{"everything, not a cloud's metadata", "*", "", "169.254.169.254", 80, Unknown},
		{"everything on a port", "*:443", "", "a.example", 80, Unknown},
		{"deny beats allow", "a.example", "a.example", "a.example", 443, Denied},
		{"deny below", "*", "*.a.example", "x.a.example", 443, Denied},
		{"deny on a port", "*", "*:25", "a.example", 25, Denied},
		{"deny everything", "127.0.0.1", "*", "127.0.0.1", 25, Denied},
		{"an address", "10.0.0.5", "", "10.0.0.5", 1, Allowed},
		{"an address, mapped", "10.0.0.5", "", "::ffff:10.0.0.5", 1, Allowed},
		{"a mapped address in the rule", "::ffff:10.0.0.5", "", "10.0.0.5", 1, Allowed},
		{"an address with a dot", "10.0.0.5", "", "10.0.0.5.", 1, Allowed},
		{"an address in wide digits", "10.0.0.5", "", "１０。0．0｡5", 1, Allowed},
		{"a range", "10.0.0.0/8", "", "10.9.8.7", 1, Allowed},
		{"a range with a port", "10.0.0.0/8:80", "", "10.9.8.7", 443, Unknown},
		{"beyond the range", "10.0.0.0/8", "", "11.0.0.0", 1, Unknown},
		{"a range and a name", "0.0.0.0/0", "", "a.example", 1, Unknown},
		{"IPv6", "::1", "", "0:0:0:0:0:0:0:1", 1, Allowed},
		{"IPv6 with a port", "[::1]:8080", "", "::1", 8080, Allowed},
		{"IPv6 with another port", "[::1]:8080", "", "::1", 80, Unknown},
		{"IPv6 range", "[fd00::/8]:80", "", "fd12::1", 80, Allowed},
		{"deny an address in another form", "*", "93.184.215.14", "64:ff9b::5db8:d70e", 443, Denied},
		{"deny a range in another form", "*", "93.184.0.0/16", "2002:5db8:d70e::1", 443, Denied},
		{"IDNA", "bücher.example", "", "xn--bcher-kva.example", 443, Allowed},
		{"IDNA the other way", "xn--bcher-kva.example", "", "BÜCHER.example", 443, Allowed},
		{"IDNA dots", "a.example", "", "a。example．", 443, Allowed},
		{"IDNA wildcard", "*.bücher.example", "", "x.xn--bcher-kva.example", 443, Allowed},
		{"letters that look alike", "apple.example", "", "аpple.example", 443, Unknown},
		{"underscore and hyphens", "r3---sn_x.a.example", "", "R3---sn_x.a.example", 443, Allowed},
	} {
		rules := newRules(t, row.allow, row.deny)
		require.Equal(t, row.want, rules.Judge(row.host, row.port), "%s: %q", row.name, row.host)
	}
}

// odd are hosts that are none, or are this machine to some resolvers.
var odd = []string{
	"", ".", "..", "a..b", ".a", "127.1", "127.0.1", "2130706433", "017700000001", "0x7f000001", "0x7f.1", "0X7F.0.0.1", "127.0.0.0x1", "0x",
	"127.0.0.01", "0177.0.0.1", "127.0.0.1.1", "127.0.0.256", "１２７.1", "1", "a.1", "a.0x1f",
	"fe80::1%eth0", "fe80::1%25eth0", "::1%lo", "[::1]", "[a.example]", "::ffff:127.1", "1::2::3",
	"a.example\x00.evil.test", "a.example\n", "a.example ", " a.example", "a.example\t", "user@a.example", "a.example:80", "a.example/x", "a.example#", "a.example?", "a%2eexample",
	"*", "*.a.example", "a.*", "xn--a", "xn--0000h", "a\u200d.example", "\xff.example", "a\\.example", "a'b.example", "$(id).example",
	strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 127) + "example", strings.Repeat("a", 1<<20),
}

func TestOddHostsAreDenied(t *testing.T) {
	rules := newRules(t, "* 0.0.0.0/0 ::/0 localhost", "")
	for _, h := range odd {
		require.Equal(t, Denied, rules.Judge(h, 80), "%.80q", h)
	}
}

func TestRuleErrorsSayWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example":    "write the host alone",
		"u@a.example":          "write the host alone",
		"a.example/x":          "write a host, HOST:PORT",
		"a.example:":           "from 1 to 65535",
		"a.example:0":          "from 1 to 65535",
		"a.example:70000":      "from 1 to 65535",
		"a.example:+80":        "from 1 to 65535",
		"a.example:http":       "from 1 to 65535",
		"[::1":                 "[::1]:8080",
		"[::1]8080":            "[::1]:8080",
		"::1:80:":              "write a host",
		"a.*.example":          "*.HOST",
		"*a.example":           "*.HOST",
		"*.":                   "*.HOST",
		"*.10.0.0.5":           "a range such as",
		"127.1":                "four decimal numbers",
		"10.0.0.0/99":          "a range such as",
		"::ffff:10.0.0.0/104":  "write the IPv4 range",
		"fe80::1%eth0":         "zone",
		"":                     "write a host",
		"a.example, b.example": "write a host",
	} {
		_, err := ParseRule(text)
		require.ErrorContains(t, err, want, text)
		_, err = ParseRules([]string{"a.example"}, []string{text})
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzHost: whatever is read as a host is a plain name or an address, and reading it
// again changes nothing; a rule of that text is about that host.
func FuzzHost(f *testing.F) {
	for _, h := range append(odd, "a.example", "BÜCHER.example.", "10.0.0.1", "::1", "a。b") {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parseHost(text)
		if err != nil {
			return
		}
		again, err := parseHost(h.String())
		require.NoError(t, err)
		require.Equal(t, h, again, "%q", text)
		if h.name != "" {
			require.Regexp(t, `^[a-z0-9_.-]{1,253}$`, h.name)
			_, err := netip.ParseAddr(h.name)
			require.Error(t, err)
		}
		rule, err := ParseRule(h.String())
		require.NoError(t, err)
		require.True(t, rule.matches(h, 1))
	})
}
