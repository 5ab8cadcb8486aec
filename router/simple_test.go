package router

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// parsed is what the parser finds in a text, without the pass for simple ones.
func (n *nameIndex) parsed(text string) (calls []CallSite, hints []string, ok bool) {
	f := finder{names: n, text: text}
	if !n.parse(text, func(s *syntax.Stmt) { f.stmt(s, false, false) }) || f.distrust {
		return nil, nil, false
	}
	return f.calls()
}

func simpleIndex(t testing.TB) *nameIndex {
	reg := registry.New()
	require.NoError(t, reg.Register(testTools()...))
	return newNameIndex(reg)
}

// compareSimple reports whether the text is simple; if it is, the parser must
// agree.
func compareSimple(t *testing.T, n *nameIndex, text string) bool {
	f, ok := n.simple(text)
	if !ok {
		return false
	}
	calls, hints, _ := f.calls()
	wantCalls, wantHints, parsed := n.parsed(text)
	require.True(t, parsed, "only the pass for simple texts takes %q", text)
	require.Equal(t, wantCalls, calls, "%q", text)
	require.Equal(t, wantHints, hints, "%q", text)
	return true
}

func TestSimpleAgreesWithTheParser(t *testing.T) {
	n := simpleIndex(t)
	for text, want := range map[string]bool{
		"read ./x | head":                        true,
		"cat x | read y":                         true,
		"grep foo; grep foo x && write ./f text": true,
		"read ./x > 'a b' 2>> err < in":          true,
		"\n\nread ./x\n\n cat y\n":               true,
		"0<x grep foo || 3<x grep foo":           true,
		"exec < f; grep foo":                     true,
		"echo read ./x":                          true,
		"'read' ./x; \\read ./x; re\"ad\" ./x":   true,
		"field:db:query --sql 'a;b|c' | jq .":    true,
		"glob **/*.go | xargs -n1 agent:read":    true,
		"read ./x |":                             false,
		"read ./x &":                             false,
		"read ./x &> y":                          false,
		"read ./x ;; cat":                        false,
		"read $x":                                false,
		"if read ./x; then cat; fi":              false,
		"a=1 read ./x":                           false,
		"read ./x # | read":                      false,
		"read ./x <<EOF\nread y\nEOF\n":          false,
		"read ./x\r\n":                           false,
		"> ; read x":                             false,
	} {
		require.Equal(t, want, compareSimple(t, n, text), "%q", text)
	}
}

// Texts made of what decides, in any order.
func TestSimpleAgreesWithTheParserOnAnyText(t *testing.T) {
	n := simpleIndex(t)
	pieces := []string{"read", "write", "grep", "glob", "edit", "agent:read", "field:db:q", "exec", "cat", "x", "./x", "--pattern", "--file_path=a", "-i", "-r", "foo", "'a b'", `"a\"b"`,
		`\*`, "*.go", "a=b", "0", "2", "!", "}", "if", "time", "[", "é", "é'x'", " ", " ", " ", " ", "\t", "\n", "|", "||", "&&", ";", "<", ">", ">>", "&", "#", "$x", "(", ")", "\\\n", "\\ ", "@", "^", "%1", "]", "a[1]"}
	r := rand.New(rand.NewPCG(5, 6))
	simple := 0
	for range 60_000 {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		if compareSimple(t, n, b.String()) {
			simple++
		}
	}
	require.Greater(t, simple, 1000)
}

func FuzzSimple(f *testing.F) {
	n := simpleIndex(f)
	f.Add("read ./x | head; grep 'a b' \"c\" > f 2>> g < h && write ./a b")
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.Contains(text, "\x00") {
			compareSimple(t, n, text)
		}
	})
}
