package safetext

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// What each reader gets of the same text: a model (clean), a terminal on which
// a tool writes names (names), a person who is to say yes (visible).
var table = map[string]struct{ in, clean, names, visible string }{
	"plain":                       {in: "rm -rf x\n\tdone"},
	"other scripts":               {in: "你好 é e\u0301 ñ שלום مرحبا"},
	"colours":                     {"\x1b[1;31mred\x1b[0m", "red", `\x1b[1;31mred\x1b[0m`, ""},
	"cursor and erasing":          {"a\x1b[2J\x1b[H\x1b[1Ab", "ab", `a\x1b[2J\x1b[H\x1b[1Ab`, ""},
	"a title, ended by BEL":       {"\x1b]0;owned\ax", "x", `\x1b]0;owned\x07x`, ""},
	"a title, ended by ST":        {"\x1b]0;owned\x1b\\x", "x", `\x1b]0;owned\x1b\x`, ""},
	"a string without an end":     {"a\x1b]0;title\nrm x", "a]0;title\nrm x", `a\x1b]0;title` + "\nrm x", ""},
	"a character set":             {"\x1b(0lqk\x1b(B", "lqk", `\x1b(0lqk\x1b(B`, ""},
	"a reset":                     {"\x1bcx", "x", `\x1bcx`, ""},
	"8-bit CSI, wrong decoding":   {"\u009b31mx", "31mx", `\u009b31mx`, ""},
	"8-bit OSC":                   {"\u009d0;t\u009cx", "0;tx", `\u009d0;t\u009cx`, ""},
	"broken by a newline":         {"\x1b[3\nx", "\nx", `\x1b[3` + "\nx", ""},
	"ESC before a letter of ours": {"\x1bé", "é", `\x1bé`, ""},
	"ESC before a newline":        {"\x1b\nx", "\nx", `\x1b` + "\nx", ""},
	"bell, NUL, DEL":              {"\a\b\x00\x7fx", "x", `\x07\x08\x00\x7fx`, ""},
	"CRLF":                        {"a\r\nb", "a\r\nb", "a\r\nb", `a\x0d` + "\nb"},
	"a carriage return":           {"good\revil", "good\revil", `good\x0devil`, ""},
	"broken UTF-8":                {"a\xffb\xe4\xbd", "a\ufffdb\ufffd\ufffd", `a\xffb\xe4\xbd`, ""},
	"the sign for it":             {in: "\ufffd"},
	"overrides":                   {"a\u202egpj.sh\u202c", "agpj.sh", `a\u202egpj.sh\u202c`, ""},
	"isolates":                    {"\u2066a\u2067b\u2068c\u2069", "abc", `\u2066a\u2067b\u2068c\u2069`, ""},
	"marks of direction":          {"a\u200e\u200f\u061cb", "ab", `a\u200e\u200f\u061cb`, ""},
	"zero width":                  {"a\u200bb\u2060c\ufeffd\u00ade\u034f", "abcde", `a\u200bb\u2060c\ufeffd\u00ade\u034f`, ""},
	"tags":                        {"x\U000e0041\U000e007f", "x", `x\U000e0041\U000e007f`, ""},
	"fillers":                     {"a\u3164\u115f\uffa0b", "ab", `a\u3164\u115f\uffa0b`, ""},
	"annotations":                 {"a\ufff9b\ufffb", "ab", `a\ufff9b\ufffb`, ""},
	"joiners between ours":        {"r\u200dm\u200c -rf", "rm -rf", `r\u200dm\u200c -rf`, ""},
	"a run of joiners":            {"م\u200d\u200d\u200cx", "م\u200dx", "م\u200d" + `\u200d\u200cx`, `م\u200d\u200d\u200cx`},
	"selectors after ours":        {"a\ufe01b\ufe0f \U000e0101", "ab ", `a\ufe01b\ufe0f \U000e0101`, ""},
	"a run of selectors":          {"❤\ufe0f\ufe0e\U000e0101", "❤\ufe0f", "❤\ufe0f" + `\ufe0e\U000e0101`, ""},

	"ordinary: a family":   {"\U0001f468\u200d\U0001f469\u200d\U0001f467", "=", "=", "\U0001f468" + `\u200d` + "\U0001f469" + `\u200d` + "\U0001f467"},
	"ordinary: a heart":    {in: "❤\ufe0f"},
	"ordinary: on fire":    {"❤\ufe0f\u200d\U0001f525", "=", "=", "❤\ufe0f" + `\u200d` + "\U0001f525"},
	"ordinary: a keycap":   {"1\ufe0f\u20e3", "=", "=", `1\ufe0f` + "\u20e3"},
	"ordinary: Persian":    {"می\u200cخواهم", "=", "=", "می" + `\u200c` + "خواهم"},
	"ordinary: Devanagari": {"क\u094d\u200dष", "=", "=", "क\u094d" + `\u200d` + "ष"},
	"ordinary: names":      {"葛\U000e0100", "=", "=", "葛" + `\U000e0100`},
	"ordinary: blanks":     {"a\u00a0b\u3000c", "=", "=", `a\u00a0b\u3000c`},
	"ordinary: separators": {"a\u2028b\u2029c", "=", `a\u2028b\u2029c`, `a\u2028b\u2029c`},
	"ordinary: braille":    {"\u2801\u2800", "=", "=", "\u2801" + `\u2800`},
	"ordinary: private":    {"\ue0b0", "=", "=", `\ue0b0`},
	"ordinary: Arabic":     {"\u0601\u0661", "=", "=", `\u0601` + "\u0661"},
}

func TestWhatEachReaderGets(t *testing.T) {
	same := func(s, other string) string {
		if s == "" || s == "=" {
			return other
		}
		return s
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			clean, names := same(row.clean, row.in), same(row.names, row.in)
			require.Equal(t, clean, Clean(row.in))
			require.Equal(t, same(row.visible, names), Visible(row.in))
			require.Equal(t, names, written(t, row.in, len(row.in)))
			require.Equal(t, names, written(t, row.in, 1), "byte by byte")
			var z Stream
			got := ""
			for i := range len(row.in) {
				got += z.Clean(row.in[i : i+1])
			}
			require.Equal(t, clean, got+z.Rest(), "byte by byte")
		})
	}
}

func written(t *testing.T, s string, size int) string {
	var b bytes.Buffer
	w := Writer{W: &b}
	for p := []byte(s); len(p) > 0; {
		n := min(size, len(p))
		got, err := w.Write(p[:n])
		require.NoError(t, err)
		require.Equal(t, n, got)
		p = p[n:]
	}
	require.NoError(t, w.Flush())
	return b.String()
}

func TestLine(t *testing.T) {
	require.Equal(t, `a\nb\tc\u202e`, Line("a\nb\tc\u202e"))
}

func TestLinesAreNotWrittenOver(t *testing.T) {
	for in, want := range map[string]string{"10%\r50%\r\n": "10%\n50%\n", "a\r\nb\r\n": "a\nb\n", "a\r": "a\n", "a\r\x1b[K\nb": "a\nb", "a\x1b[31": "a"} {
		z := Stream{Lines: true}
		require.Equal(t, want, z.Clean(in)+z.Rest(), "%q", in)
	}
}

func TestALongSequenceHidesNothing(t *testing.T) {
	for _, start := range []string{"\x1b]0;", "\x1b[", "\x1b("} {
		in := start + strings.Repeat(" ", 2*maxSequence) + "seen"
		require.Equal(t, in[1:], Clean(in))
		var z Stream
		require.Equal(t, in[1:], z.Clean(in))
	}
}

// The bytes that are written out are those that bash reads in $'..'.
func TestBashReadsWhatIsVisible(t *testing.T) {
	for name, row := range table {
		if strings.ContainsAny(row.in, "\x00\\'") {
			continue
		}
		c := exec.Command("bash", "-c", "printf %s $'"+Visible(row.in)+"'")
		c.Env = []string{"LC_ALL=C.UTF-8"}
		out, err := c.Output()
		require.NoError(t, err)
		require.Equal(t, row.in, string(out), name)
	}
}

// safe fails when something is left in a text that no reader may get.
func safe(t *testing.T, text string) {
	require.True(t, utf8.ValidString(text))
	prev := rune(0)
	for _, r := range text {
		require.False(t, isControl(r) || isHidden(prev, r), "%q in %q", r, text)
		prev = r
	}
}

func FuzzSafetext(f *testing.F) {
	for _, row := range table {
		f.Add(row.in, 2)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		clean := Clean(s)
		safe(t, clean)
		require.Equal(t, clean, Clean(clean))
		visible := Visible(s)
		safe(t, visible)
		require.Equal(t, visible, Visible(visible))
		names := written(t, s, len(s))
		safe(t, names)
		require.Equal(t, names, written(t, names, len(names)))

		at := 0
		if len(s) > 0 {
			at = (cut%len(s) + len(s)) % len(s)
		}
		for _, lines := range []bool{false, true} {
			whole, parts := Stream{Lines: lines}, Stream{Lines: lines}
			require.Equal(t, whole.Clean(s)+whole.Rest(), parts.Clean(s[:at])+parts.Clean(s[at:])+parts.Rest())
		}
		require.Equal(t, names, written(t, s, max(1, at)))
	})
}

func BenchmarkClean(b *testing.B) {
	for name, s := range map[string]string{"ASCII": "a line of output\n", "Chinese": "一行输出，还有标点。\n", "colours": "\x1b[31mred\x1b[0m\n"} {
		text := strings.Repeat(s, 30_000/utf8.RuneCountInString(s))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Clean(text)
			}
		})
	}
}
