//go:build linux

package files

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestReadPrintsTheBytesOfTheFile(t *testing.T) {
	s := newShell(t, nil)
	for name, content := range map[string]string{
		"lf": "a\nb\n", "crlf": "a\r\nb\r\n", "mixed": "a\r\nb\nc\r", "bom": "\ufeffa\nb\n", "no final newline": "a\nb", "one newline": "\n",
		"a stray byte": "é\xff\n", "long": strings.Repeat("x", 1500) + "\n", "only cr": "a\rb", "tabs": "\t\ta \n \n", "unicode": "é日本\u2028z\n",
	} {
		s.put(name, content)
		require.Equal(t, content, s.ok("read", name), name)
		require.Equal(t, content, s.ok("read", name, "--limit", "0"), name)
	}
	long := strings.Repeat("é", 5000) + "\r\n" + numbered(3000)
	s.put("long2", long)
	require.Equal(t, long, s.ok("read", "long2", "--limit=0"))
	binary := "\x00\x01\xff" + numbered(2500)
	s.put("binary", binary)
	require.Equal(t, binary, s.ok("read", "binary", "--encoding", "raw"))
}

func TestReadWindow(t *testing.T) {
	s := newShell(t, nil)
	s.put("ten", numbered(10))
	s.put("open", "a\nb\nc")
	s.put("empty", "")
	for _, test := range []struct {
		args      []string
		out, note string
	}{
		{[]string{"ten", "--offset", "9"}, "line 9\nline 10\n", ""},
		{[]string{"ten", "--offset", "0", "--limit", "1"}, "line 1\n", "ten: lines 1-1 of 10: go on with --offset 2"},
		{[]string{"ten", "--offset", "3", "--limit", "2"}, "line 3\nline 4\n", "lines 3-4 of 10: go on with --offset 5"},
		{[]string{"ten", "--offset=-2"}, "line 9\nline 10\n", ""},
		{[]string{"ten", "--offset", "-3", "--limit", "1"}, "line 8\n", "lines 8-8 of 10: go on with --offset 9"},
		{[]string{"ten", "--offset", "-99"}, numbered(10), ""},
		{[]string{"open", "--offset", "-1"}, "c", ""},
		{[]string{"open", "--limit", "2"}, "a\nb\n", "lines 1-2 of 3"},
		{[]string{"empty"}, "", "empty is empty"},
		{[]string{"ten", "--show_line_numbers", "--offset", "9"}, " 9| line 9\n10| line 10\n", ""},
		{[]string{"ten", "-n", "--limit", "2"}, "1| line 1\n2| line 2\n", "go on"},
		{[]string{"open", "-n"}, "1| a\n2| b\n3| c", ""},
		{[]string{"ten", "--max_bytes", "15"}, "line 1\nline 2\n", "lines 1-2 of 10: go on with --offset 3"},
		{[]string{"ten", "--max_bytes", "3"}, "lin", "only the start of line 1 of 10 fits in --max_bytes 3"},
		{[]string{"ten", "--limit", "0", "--max_bytes", "14"}, "line 1\nline 2\n", "go on with --offset 3"},
	} {
		r := s.run(append([]string{"read"}, test.args...)...)
		require.Zero(t, r.status, "%q: %s", test.args, r.err)
		require.Equal(t, test.out, r.out, "%q", test.args)
		if test.note == "" {
			require.Empty(t, r.err, "%q", test.args)
		}
		require.Contains(t, r.err, test.note, "%q", test.args)
	}
	require.Equal(t, "read: ten has 10 lines: there is no line 11\n", s.fails("read", "ten", "--offset", "11"))
	require.Equal(t, 2, s.run("read", "ten", "--limit", "-1").status)
	require.Equal(t, 2, s.run("read", "").status)
	require.Equal(t, 2, s.run("read").status)
}

func TestReadStopsAtTwoThousandLinesAndSaysTheTotal(t *testing.T) {
	s := newShell(t, nil)
	s.put("many", numbered(12345))
	r := s.run("read", "many")
	require.Equal(t, numbered(2000), r.out)
	require.Equal(t, "many: lines 1-2000 of 12,345: go on with --offset 2001\n", r.err)
}

func TestReadCutsLongLinesWithACount(t *testing.T) {
	s := newShell(t, nil)
	s.put("long", strings.Repeat("é", 2500)+"\nshort\n"+strings.Repeat("x", 2001)+"\r\n"+strings.Repeat("y", 2000)+"\r\n")
	r := s.run("read", "long")
	want := strings.Repeat("é", 2000) + "... [500 more characters]\nshort\n" + strings.Repeat("x", 2000) + "... [2 more characters]\n" + strings.Repeat("y", 2000) + "\r\n"
	require.Equal(t, want, r.out)
	require.Equal(t, "long: 2 lines cut at 2,000 characters, line 1 first: --max_columns 0 shows whole lines\n", r.err)
	require.Equal(t, strings.Repeat("é", 2500)+"\n", s.ok("read", "long", "--limit", "1", "--max_columns", "0"))
	require.Equal(t, "éé... [2,498 more characters]\n", s.ok("read", "long", "--limit", "1", "--max_columns", "2"))
}

// A line of 64 MB is cut without being held in memory.
func TestReadOfOneHugeLine(t *testing.T) {
	s := newShell(t, nil)
	s.put("huge", strings.Repeat("z", 64<<20))
	require.Equal(t, strings.Repeat("z", 2000)+"... [67,106,864 more characters]", s.ok("read", "huge"))
}

func TestReadFarIntoABigFile(t *testing.T) {
	s := newShell(t, nil)
	var b bytes.Buffer
	for i := 1; b.Len() < 20<<20; i++ { // several chunks
		fmt.Fprintf(&b, "%d %s\n", i, strings.Repeat("x", i%97))
	}
	s.put("big", b.String())
	lines := strings.SplitAfter(strings.TrimSuffix(b.String(), "\n"), "\n")
	for _, n := range []int{1, 2, 20000, 123456, len(lines) - 1, len(lines)} {
		require.Equal(t, strings.TrimSuffix(lines[n-1], "\n"), strings.TrimSuffix(s.ok("read", "big", "--offset", fmt.Sprint(n), "--limit", "1"), "\n"), n)
	}
	require.Equal(t, strings.Join(lines[len(lines)-3:], ""), strings.TrimSuffix(s.ok("read", "big", "--offset", "-3"), "\n"))
	require.Contains(t, s.run("read", "big", "--offset", "5", "--limit", "1").err, "of "+groupThousands(len(lines)))
}

func utf16Bytes(text string, little, mark bool) string {
	var b []byte
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	for _, u := range units {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	return string(b)
}

func TestReadDecodes(t *testing.T) {
	s := newShell(t, nil)
	text := "grün\r\n日本 😀\n"
	s.put("le", utf16Bytes(text, true, true))
	s.put("be", utf16Bytes(text, false, true))
	s.put("bare", utf16Bytes(text, false, false))
	s.put("latin1", "gr\xfcn\n")
	s.put("gbk", "\xc4\xe3\xba\xc3\n")
	for _, name := range []string{"le", "be"} {
		r := s.run("read", name)
		require.Equal(t, text, r.out, name)
		require.Contains(t, r.err, "--encoding raw", name)
		require.Equal(t, s.get(name), s.ok("read", name, "--encoding", "raw"), name)
	}
	r := s.run("read", "bare")
	require.Equal(t, text, r.out)
	require.Contains(t, r.err, "the file is utf-16be by its bytes")
	require.Equal(t, text, s.ok("read", "bare", "--encoding", "utf-16be"))
	require.Equal(t, "grün\n", s.ok("read", "latin1", "--encoding", "latin1"))
	require.Equal(t, "你好\n", s.ok("read", "gbk", "--encoding", "gbk"))
	r = s.run("read", "latin1")
	require.Equal(t, result{"grün\n", "latin1: shown as UTF-8, the file is windows-1252 by its bytes: --encoding raw gives its bytes\n", 0}, r)
	r = s.run("read", "gbk")
	require.Equal(t, "你好\n", r.out)
	require.Contains(t, r.err, "the file is gbk by a guess (it may be ")
	s.put("late", strings.Repeat("x\n", detectSize)+"gr\xfcn\n")
	r = s.run("read", "late", "--offset=-1")
	require.Equal(t, result{"gr\xfcn\n", "late: line 1048577 is not UTF-8; its bytes are printed as they are: --encoding windows-1252 reads all as that\n", 0}, r)
	require.Equal(t, 2, s.run("read", "latin1", "--encoding", "ebcdic").status)
}

func TestReadDescribesBinaryFiles(t *testing.T) {
	s := newShell(t, nil)
	var img bytes.Buffer
	require.NoError(t, png.Encode(&img, image.NewGray(image.Rect(0, 0, 31, 17))))
	s.put("a.png", img.String())
	exe, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	s.put("prog", string(exe))
	s.put("other", "abc\x00def")
	for name, want := range map[string]string{
		"a.png": fmt.Sprintf("a.png is binary: PNG image, 31x17 pixels, %d bytes: it is shown only to a model that takes images: --encoding raw gives its bytes", img.Len()),
		"prog":  "prog is binary: ELF binary, " + groupThousands(len(exe)) + " bytes: look into it with: readelf -hd prog, nm prog or strings prog; --encoding raw gives its bytes",
		"other": "other is binary: unknown type, 7 bytes: look into it with: file other, ",
	} {
		r := s.run("read", name)
		require.Equal(t, 1, r.status, name)
		require.Empty(t, r.out, name)
		require.Contains(t, r.err, want)
	}
}

func TestReadStdin(t *testing.T) {
	s := newShell(t, nil)
	r := s.pipe(strings.NewReader(numbered(9)), "read", "-", "--offset", "3", "--limit", "2", "-n")
	require.Equal(t, "3| line 3\n4| line 4\n", r.out)
	require.Contains(t, r.err, "stdin: lines 3-4 of more than")
	require.Contains(t, s.fails("read", "-"), "nothing on stdin")
	r = s.pipe(strings.NewReader(strings.Repeat(numbered(1000), 2000)), "read", "-", "--offset", "-1") // more than is kept in memory
	require.Equal(t, "line 1000\n", r.out)
}

func TestReadOfProcFiles(t *testing.T) {
	s := newShell(t, nil)
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	require.Equal(t, strings.SplitN(string(status), "\n", 2)[0]+"\n", s.ok("read", "/proc/self/status", "--limit", "1"))
	require.Contains(t, s.ok("read", "/proc/self/mounts", "--offset", "-1"), " ")
	page, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	require.NoError(t, err)
	require.Equal(t, string(page), s.ok("read", "/sys/kernel/mm/transparent_hugepage/enabled"))
}

// TestReadSaysHowToGoOn: whoever shows only so many lines of what was read can say how
// to read on, with the numbers of the file.
func TestReadSaysHowToGoOn(t *testing.T) {
	s := newShell(t, nil)
	s.put("a big one.txt", numbered(5000))
	s.put("ten", numbered(10))
	rest := func(words ...string) string {
		p, err := s.tools["read"].Parse(words, false)
		require.NoError(t, err)
		return s.tools["read"].Invoke(t.Context(), &registry.Call{Kwargs: p.Kwargs, Dir: s.dir}).Rest(3)
	}
	require.Equal(t, "a big one.txt: lines 4000-4002 of 5,000: go on with read --file_path 'a big one.txt' --offset 4003", rest("a big one.txt", "--offset", "4000"))
	require.Equal(t, "ten: lines 6-8 of 10: go on with read --file_path ten --offset 9", rest("ten", "--offset=-5"))
}

func TestReadSeveralFiles(t *testing.T) {
	s := newShell(t, nil)
	s.put("a.txt", "1\n2\n3\n")
	s.put("b c.txt", "x\n")
	s.put("odd:1-2", "odd\n")
	require.Equal(t, result{"==> a.txt <==\n1\n2\n3\n\n==> b c.txt <==\nx\n\n==> a.txt:2-3 <==\n2\n3\n", "", 0}, s.run("read", "a.txt", "b c.txt", "a.txt:2-3"))
	r := s.run("read", "a.txt", "none", "b c.txt", "--limit", "1")
	require.Equal(t, 1, r.status)
	require.Equal(t, "==> a.txt <==\n1\n\n==> none <==\n\n==> b c.txt <==\nx\n", r.out)
	require.Equal(t, "a.txt: lines 1-1 of 3: go on with --offset 2\nread: none does not exist: look with: glob '**/none'\n", r.err)
	for name, want := range map[string]string{"a.txt:2": "2\n3\n", "a.txt:2:7": "2\n3\n", "a.txt:2-2": "2\n", "a.txt:3:": "3\n", "odd:1-2": "odd\n"} {
		require.Equal(t, want, s.ok("read", name), name)
	}
	require.Contains(t, s.fails("read", "a.txt:9"), "a.txt has 3 lines: there is no line 9")
	require.Contains(t, s.fails("read", "none.txt:2"), "none.txt:2 does not exist")
	p, err := s.tools["read"].Parse([]string{"a.txt", "b:2", "-"}, true)
	require.NoError(t, err)
	uses, known := s.tools["read"].UsesOf(p.Kwargs)
	require.True(t, known)
	require.Equal(t, []registry.Use{{Role: registry.ReadsFile, Value: "a.txt"}, {Role: registry.ReadsFile, Value: "b:2"}, {Role: registry.ReadsFile, Value: "b"}}, uses)
}
