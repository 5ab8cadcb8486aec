package search

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines is text that patterns of the tests meet, with the ends and the bytes that are awkward.
const lines = "foo bar\nFOO\nfoobar baz\r\n\n\r\nüber Straße\nſchool K\u212a k\nx\xffy \xc3\n_a1 b-2\n aaaaab\nabcabc\t\nhello, world\nline\x00nul\r\rend\r\nlast"

// lineOf splits as Next does: by "\n", the last line without one.
func split(buf []byte) [][2]int {
	var out [][2]int
	for at := 0; at < len(buf); {
		end := lineEnd(buf, at)
		out = append(out, [2]int{at, end})
		at = end + 1
	}
	return out
}

// requireSame compares a scan with the definition, line by line.
func requireSame(t *testing.T, m *Matcher, buf []byte, info string) (hits int) {
	t.Helper()
	var want, got [][2]int
	for _, l := range split(buf) {
		if m.MatchLine(buf[l[0]:l[1]]) {
			want = append(want, l)
		}
	}
	s := m.NewScanner()
	s.Reset(buf)
	for from := 0; ; {
		start, end, ok := s.Next(from)
		if !ok {
			break
		}
		got = append(got, [2]int{start, end})
		from = end + 1
	}
	require.Equal(t, want, got, "%s on %q", info, buf)
	return len(want)
}

func TestScansFindWhatTheLibraryMatches(t *testing.T) {
	exprs := []string{"foo", "foo|baz|hello", "(?i)foo", "(?i)strasse|STRAßE", "(?i)school", "(?i)k", "(?i)ks|sk", "^$", "^", "$", "", "a*", "(a*)*b", "^foo", "bar$", "baz$",
		`\bfoo\b`, `\Bo`, `\w+\s+\w+`, `[^a-z]+$`, "ü.er", "x.y", "�", `[\x{80}-\x{10ffff}]`, "[[:upper:]]{3}", "a{3,}b", "(abc){2}", `\t$`, `\x00`, `l$`, "end", `\r`, `d\r`, `\r\r`,
		"last$", `\Alast\z`, "(foo|bar)(baz|qux)?", "f[aeiou]o", "(?:)|x", "[a-c]x?y*", `\d-?`, "hell(o)(,)", "(?i)[ks]", "ba[rz]", "z|", `\S\s\S`, "."}
	for _, expr := range exprs {
		for _, o := range []Options{{}, {IgnoreCase: true}, {Word: true}, {Fixed: true}, {Fixed: true, IgnoreCase: true, Word: true}} {
			m, err := Compile(expr, o)
			require.NoError(t, err, expr)
			requireSame(t, m, []byte(lines), fmt.Sprintf("%q %+v", expr, o))
			requireSame(t, m, []byte(lines+"\n"), fmt.Sprintf("%q %+v", expr, o))
			requireSame(t, m, []byte("abc\r"), fmt.Sprintf("%q %+v", expr, o))
		}
	}
}

// randomExpr makes an expression of pieces that meet the text.
func randomExpr(r *rand.Rand, depth int) string {
	atoms := []string{"a", "b", "o", "foo", "bar", "ab", "é", "k", "S", " ", ".", `\w`, `\W`, `\d`, `\s`, "[a-c]", "[^o]", "[ks]", "^", "$", `\b`, `\B`, "(?i:foo)", "(?i:s)", `\pL`, "x", "-", "_", "baz", `\r`}
	if depth == 0 {
		return atoms[r.IntN(len(atoms))]
	}
	switch r.IntN(7) {
	case 0:
		return "(" + randomExpr(r, depth-1) + "|" + randomExpr(r, depth-1) + ")"
	case 1:
		return "(?:" + randomExpr(r, depth-1) + ")" + []string{"*", "+", "?", "{2}", "{1,3}", "*?"}[r.IntN(6)]
	case 2:
		return atoms[r.IntN(len(atoms))]
	}
	return randomExpr(r, depth-1) + randomExpr(r, depth-1)
}

func TestRandomExpressions(t *testing.T) {
	hits := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		expr := randomExpr(r, 3)
		m, err := Compile(expr, Options{IgnoreCase: r.IntN(3) == 0, Word: r.IntN(4) == 0})
		require.NoError(t, err, expr)
		var buf bytes.Buffer
		words := []string{"foo", "bar", "baz", "ab", "o", " ", "\t", "k", "ſ", "\u212a", "é", "\xff", "-", "_", "1", "S", "x", "\n", "\r\n", "\r", "\n"}
		for range 60 {
			buf.WriteString(words[r.IntN(len(words))])
		}
		hits += requireSame(t, m, buf.Bytes(), fmt.Sprintf("seed %d %q", seed, expr))
	}
	require.Greater(t, hits, 500)
}

func FuzzScan(f *testing.F) {
	f.Add("foo|ba[rz]", []byte(lines), true, false)
	f.Add(`\b(a*)*b$`, []byte("ab\r\n"), false, true)
	f.Fuzz(func(t *testing.T, expr string, buf []byte, ignoreCase, word bool) {
		if len(expr) > 60 || len(buf) > 2000 {
			return
		}
		m, err := Compile(expr, Options{IgnoreCase: ignoreCase, Word: word})
		if err != nil {
			return
		}
		requireSame(t, m, buf, fmt.Sprintf("%q", expr))
	})
}

func TestAnAutomatonThatGrowsTooBigGivesWay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var buf bytes.Buffer
	for range 20000 {
		for range 60 {
			buf.WriteByte("ab"[r.IntN(2)])
		}
		buf.WriteByte('\n')
	}
	m, err := Compile(`[ab]*a[ab]{17}c|^a[ab]*a[ab]{16}aab$`, Options{})
	require.NoError(t, err)
	s := m.NewScanner()
	s.Reset(buf.Bytes())
	n := 0
	for from := 0; ; n++ {
		_, end, ok := s.Next(from)
		if !ok {
			break
		}
		from = end + 1
	}
	require.True(t, s.run.tooBig)
	want := 0
	for _, l := range split(buf.Bytes()) {
		if m.MatchLine(buf.Bytes()[l[0]:l[1]]) {
			want++
		}
	}
	require.Equal(t, want, n)
	require.Positive(t, n)
}

func TestLiterals(t *testing.T) {
	for _, test := range []struct {
		expr  string
		want  []string
		exact bool
	}{
		{"hello", []string{"hello"}, true},
		{"hello|world", []string{"hello", "world"}, true},
		{`func \w+Handler\(`, []string{"Handler("}, false},
		{`ab(c|d)ef`, []string{"abcef", "abdef"}, true},
		{`(?i)Hello`, []string{"hello"}, false},
		{`x?hello`, []string{"hello"}, true},
		{`^package`, []string{"package"}, false},
		{`(foo|)quux*`, []string{"quu"}, false},
		{`[a-z]+_[0-9]+`, []string{"_"}, false},
		{`\w+\s+\w+`, nil, false},
		{`(a*)*b`, []string{"b"}, false},
		{`(?:get|set)Value`, []string{"getValue", "setValue"}, true},
		{`zeta|[a-z]*`, nil, false},
	} {
		parsed, err := syntax.Parse(test.expr, syntax.Perl)
		require.NoError(t, err)
		p := newPrefilter(parsed.Simplify())
		var got []string
		if p != nil {
			require.Equal(t, test.exact, p.exact, test.expr)
			got = p.sets[0]
		}
		require.Equal(t, test.want, got, test.expr)
	}
}

func TestCompileErrors(t *testing.T) {
	_, err := Compile("a(", Options{})
	require.ErrorContains(t, err, "missing closing )")
	_, err = Compile(`a\nb`, Options{})
	require.ErrorContains(t, err, "--multiline")
	_, err = Compile("a\nb", Options{Fixed: true})
	require.ErrorContains(t, err, "--multiline")
	_, err = Compile(`[^x]\s`, Options{})
	require.NoError(t, err)
}

func TestSpans(t *testing.T) {
	m, err := Compile(`start.*?end$`, Options{Multiline: true})
	require.NoError(t, err)
	require.Equal(t, [][]int{{2, 15}}, m.Matches([]byte("x start a\nb end\ny"), -1))
	require.Nil(t, m.Matches([]byte("nothing"), -1))
}

func BenchmarkScan(b *testing.B) {
	var buf bytes.Buffer
	for i := range 40000 {
		fmt.Fprintf(&buf, "\tif err := s.handle(ctx, request%d); err != nil { // note the %s\n", i, strings.Repeat("x", i%40))
	}
	for _, expr := range []string{"nothingLikeThis", "(?i)nothinglikethis", "alpha|bravo|charlie", `[a-z]+[0-9]{7}\w`, `\w+\s+=\w`, `([A-Z]\w+){4}`, `handle\(\w+, requests`} {
		b.Run(expr, func(b *testing.B) {
			m, err := Compile(expr, Options{})
			require.NoError(b, err)
			s := m.NewScanner()
			b.SetBytes(int64(buf.Len()))
			for b.Loop() {
				s.Reset(buf.Bytes())
				_, _, ok := s.Next(0)
				require.False(b, ok)
			}
		})
	}
	b.Run("regexp", func(b *testing.B) {
		re := regexp.MustCompile(`[a-z]+[0-9]{7}\w`)
		b.SetBytes(int64(buf.Len()))
		for b.Loop() {
			require.False(b, re.Match(buf.Bytes()))
		}
	})
}
