package term

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func renderer(p palette, width int) *markdown {
	return &markdown{l: layouter{palette: p, width: func() int { return width + 1 }}}
}

func TestMarkdown(t *testing.T) {
	tests := []struct {
		name, in, want string
		width          int
	}{
		{"text is broken between words", "one two three four\n", "one two\nthree\nfour\n", 9},
		{"a line without its end", "one two", "one two\n", 20},
		{"headings", "# One\n## Two\n####### no\n#no\n", "<bold,underline>One</>\n<bold>Two</>\n####### no\n#no\n", 40},
		{"emphasis", "a *b* **c d** ***e*** ~~f~~ __g__ _h_\n",
			"a <italic>b</> <bold>c d</> <bold,italic>e</> <strike>f</> <bold>g</> <italic>h</>\n", 80},
		{"nested emphasis", "**a `b` *c*** d\n", "<bold>a <bold,cyan>b<bold> <bold,italic>c</> d\n", 80},
		{"no emphasis", "2 * 3 * 4, *.go, snake_case_name, a ** b, __init__.py\n", "2 * 3 * 4, *.go, snake_case_name, a ** b, <bold>init</>.py\n", 80},
		{"code has no emphasis", "`*a*` and ``b ` c``, `open\n", "<cyan>*a*</> and <cyan>b ` c</>, `open\n", 80},
		{"escapes", "\\*a\\* \\`b\\` C:\\dir\n", "*a* `b` C:\\dir\n", 80},
		{"links", "[text](http://x/y \"title\"), [http://z](http://z), ![pic](p.png), [1] [ ] f[i](\n",
			"<underline>text<dim> (http://x/y)</>, <underline>http://z</>, <underline>pic<dim> (p.png)</>, [1] [ ] f[i](\n", 80},
		{"lists hang", "- one two three\n  - four five six\n10. seven eight nine\n* [x] done\n",
			"<cyan>\u2022 </>one two\n  three\n  <cyan>\u2022 </>four\n    five\n    six\n<cyan>10. </>seven\n    eight\n    nine\n<cyan>\u2022 </>[x] done\n", 11},
		{"not lists", "-one\n+1\n1.5\n2024 was\n-\n*\n", "-one\n+1\n1.5\n2024 was\n-\n*\n", 40},
		{"a quote", "> one two three\n", "<dim>\u2502 one two</>\n\u2502 <dim>three</>\n", 10},
		{"a rule", "---\n", "<dim>" + strings.Repeat("\u2500", 10) + "</>\n", 10},
		{"code keeps its lines", "```go\nif a {\n\tb  *c*\n}\n\n# no\n```\nafter\n",
			"  <keyword>if</> a {\n  \tb  *c*\n  }\n  \n  # no\nafter\n", 10},
		{"code in ~~~ holds ```", "~~~\n```\n~~~\na\n", "  <cyan>```</>\na\n", 10},
		{"code without an end", "```\nx", "  <cyan>x</>\n", 10},
		{"a diff", "```diff\n--- a\n+++ a\n@@ 1 @@\n-b\n+c\n d\n```\n",
			"  <bold>--- a</>\n  <bold>+++ a</>\n  <cyan>@@ 1 @@</>\n  <red>-b</>\n  <green>+c</>\n   d\n", 40},
		{"``` within a line is code", "```a``` b\n", "<cyan>a</> b\n", 40},
		{"a table", "| a | Long one |\n|---|:--|\n| `x` y | 2 \\| 3 |\n| z |\nafter\n",
			"<bold>a</>    <bold>Long one</>\n<dim>-------------</>\n<cyan>x</> y  2 | 3\nz\nafter\n", 40},
		{"a table that is squeezed", "| aaaa bbbb cccc | dddd eeee |\n|-|-|\n| 1 | 2 |\n",
			"<bold>aaaa bbbb</>  <bold>dddd eeee</>\n<bold>cccc</>\n<dim>--------------------</>\n1          2\n", 20},
		{"a table too wide is a list", "| aaa | bbb | ccc |\n|-|-|-|\n| 1234567 | 2345678 | 3456789 |\n",
			"<bold>aaa:</> 1234567\n<bold>bbb:</> 2345678\n<bold>ccc:</> 3456789\n\n", 18},
		{"Chinese is broken anywhere", "\u4f60\u597d\u4f60\u597d ok\n", "\u4f60\u597d\n\u4f60\u597d\nok\n", 5},
		{"what is longer than a row stays whole", "see http://example.com/a/b?c done\n", "see\nhttp://example.com/a/b?c done\n", 10},
		{"styles end before a break", "**aa bb** _cc dd_\n", "<bold>aa</>\n<bold>bb</>\n<italic>cc</>\n<italic>dd</>\n", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole := renderer(newPalette(true, true, ""), tt.width)
			require.Equal(t, tt.want, styleNames(whole.feed(tt.in)+whole.end()))
			bytewise := renderer(newPalette(true, true, ""), tt.width)
			var b strings.Builder
			for _, r := range tt.in {
				b.WriteString(bytewise.feed(string(r)))
			}
			require.Equal(t, tt.want, styleNames(b.String()+bytewise.end()), "a character at a time")
			require.NotContains(t, strings.ReplaceAll(renderer(newPalette(true, false, ""), tt.width).feed(tt.in), "\x1b[0;4m", ""), "\x1b[0;3;3", "NO_COLOR")
		})
	}
}

// styleNames shows styles by their names.
func styleNames(s string) string {
	p := newPalette(true, true, "")
	names := []string{"bold", "dim", "italic", "underline", "strike", "red", "green", "yellow", "cyan", "keyword"}
	for st := style(1); st < 1<<len(names); st++ {
		var with []string
		for i, n := range names {
			if st&(1<<i) != 0 {
				with = append(with, n)
			}
		}
		s = strings.ReplaceAll(s, p.seq(st), "<"+strings.Join(with, ",")+">")
	}
	return strings.ReplaceAll(s, p.seq(0), "</>")
}

func TestMarkdownShowsWhatItHasAtOnce(t *testing.T) {
	m := renderer(palette{}, 80)
	require.Equal(t, "one two", m.feed("one two th"))
	require.Equal(t, " three", m.feed("ree *fo"))
	require.Equal(t, " four", m.feed("ur* fi"))
	require.Equal(t, " five\n  if", m.feed("ve\n```\nif"))
}

// FuzzMarkdown checks that no text is lost, and that it does not matter where a
// stream is cut.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# a\n- b *c* `d`\n```\ne\n```\n|f|g|\n|-|-|\n[h](i) \\* ***j** k*", "*_`[~", "1. a\n\n> b\n---\n", "```diff\n-a\n```"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		s = cleanText(strings.ToValidUTF8(s, "?"))
		if len(s) > longestSpan {
			return // a long span may be given up on
		}
		at := 0
		for i := range s {
			if i <= cut%(len(s)+1) {
				at = i
			}
		}
		whole, parts := renderer(newPalette(true, true, ""), 30), renderer(newPalette(true, true, ""), 30)
		want := whole.feed(s) + whole.end()
		got := parts.feed(s[:at]) + parts.feed(s[at:]) + parts.end()
		for _, r := range s {
			if (r >= 'a' && r <= 'z' || r > 0x3000) && !strings.ContainsRune(want, r) && !strings.ContainsAny(s, "~`|[") {
				t.Fatalf("%q is lost of %q in %q", r, s, want)
			}
		}
		if at == 0 || !strings.ContainsAny(s, "\u200d\ufe0f") {
			require.Equal(t, plainText(want), plainText(got))
		}
	})
}

func plainText(s string) string { return strings.Join(strings.Fields(cleanText(s)), " ") }

// BenchmarkMarkdown renders a reply of 100,000 tokens of four bytes each, a
// token at a time; ms/1000tokens is CPU time, of which a stream of 1,000 tokens
// a second leaves 1,000.
func BenchmarkMarkdown(b *testing.B) {
	const tokens = 100_000
	unit := "# Heading\n\nSome **bold text** with `code`, a [link](http://example.com) and plain words.\n\n- an item of *a list*\n- another one\n\n```go\nfunc main() {\n\tprintln(1)\n}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
	text := strings.Repeat(unit, 4*tokens/len(unit)+1)[:4*tokens]
	for b.Loop() {
		m := renderer(newPalette(true, true, ""), 80)
		for at := 0; at < len(text); at += 4 {
			m.feed(text[at : at+4])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/(tokens/1000), "ms/1000tokens")
}
