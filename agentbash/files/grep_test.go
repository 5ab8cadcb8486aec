//go:build linux

package files

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sources puts a small tree of sources.
func sources(t *testing.T) *shell {
	s := newShell(t, nil)
	s.put("a.go", "package a\n\nfunc Foo() {}\n// foo bar\n")
	s.put("b/b.py", "def foo():\n    return 1\n")
	s.put("b/c.txt", "Foo\nfoo\nfood\n")
	s.put("z.md", "# nothing\n")
	return s
}

func TestGrep(t *testing.T) {
	s := sources(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"Foo"}, "a.go:3:func Foo() {}\nb/c.txt:1:Foo\n"},
		{[]string{"-i", "FOO"}, "a.go:3:func Foo() {}\na.go:4:// foo bar\nb/b.py:1:def foo():\nb/c.txt:1:Foo\nb/c.txt:2:foo\nb/c.txt:3:food\n"},
		{[]string{"-w", "foo"}, "a.go:4:// foo bar\nb/b.py:1:def foo():\nb/c.txt:2:foo\n"},
		{[]string{"-F", "Foo()"}, "a.go:3:func Foo() {}\n"},
		{[]string{"foo", "b"}, "b/b.py:1:def foo():\nb/c.txt:2:foo\nb/c.txt:3:food\n"},
		{[]string{"foo", "--path", "b/b.py"}, "b/b.py:1:def foo():\n"},
		{[]string{"foo", "--glob", "*.go"}, "a.go:4:// foo bar\n"},
		{[]string{"foo", "--include", "*.{go,py}"}, "a.go:4:// foo bar\nb/b.py:1:def foo():\n"},
		{[]string{"foo", "--glob", "!*.txt"}, "a.go:4:// foo bar\nb/b.py:1:def foo():\n"},
		{[]string{"foo", "--glob", "*.go *.txt !b/**"}, "a.go:4:// foo bar\n"},
		{[]string{"foo", "--glob", "*.py,c.txt *.go"}, "a.go:4:// foo bar\n"},
		{[]string{"foo", "--glob", "b/*.py"}, "b/b.py:1:def foo():\n"},
		{[]string{"foo", "--glob", "/a.*"}, "a.go:4:// foo bar\n"},
		{[]string{"foo", "--type", "py"}, "b/b.py:1:def foo():\n"},
		{[]string{"foo", "--type", "go,python"}, "a.go:4:// foo bar\nb/b.py:1:def foo():\n"},
		{[]string{"foo", "--output_mode", "files"}, "a.go\nb/b.py\nb/c.txt\n"},
		{[]string{"foo", "--output_mode", "count"}, "a.go:1\nb/b.py:1\nb/c.txt:2\n"},
		{[]string{"foo", "--no-show_line_numbers", "--type", "go"}, "a.go:// foo bar\n"},
		{[]string{"foo", "--type", "py", "-A", "1"}, "b/b.py:1:def foo():\nb/b.py-2-    return 1\n"},
		{[]string{"Foo", "-B", "1", "-A", "1"}, "a.go-2-\na.go:3:func Foo() {}\na.go-4-// foo bar\n--\nb/c.txt:1:Foo\nb/c.txt-2-foo\n"},
		{[]string{"foo", "-C", "1", "--head_limit", "2"}, "a.go-3-func Foo() {}\na.go:4:// foo bar\n--\nb/b.py:1:def foo():\nb/b.py-2-    return 1\n"},
		{[]string{"foo", "-C", "1", "--head_limit", "0"}, "a.go-3-func Foo() {}\na.go:4:// foo bar\n--\nb/b.py:1:def foo():\nb/b.py-2-    return 1\n--\nb/c.txt-1-Foo\nb/c.txt:2:foo\nb/c.txt:3:food\n"},
		{[]string{"foo", "--head_limit", "1", "--offset", "2"}, "b/c.txt:2:foo\n"},
		{[]string{"package.*func", "--multiline"}, "a.go:1:package a\na.go:2:\na.go:3:func Foo() {}\n"},
		{[]string{"-U", `\n\n`}, "a.go:1:package a\na.go:2:\n"},
		{[]string{"^$"}, "a.go:2:\n"},
	} {
		r := s.run(append([]string{"grep"}, test.args...)...)
		require.Equal(t, test.want, r.out, "%q: %s", test.args, r.err)
		require.Zero(t, r.status, "%q", test.args)
	}
}

func TestGrepSaysWhatItLeftOut(t *testing.T) {
	s := sources(t)
	r := s.run("grep", "foo", "--head_limit", "2")
	require.Equal(t, "lines 1-2 of 4 in 3 files: go on with --offset 2, or narrow the search (--path DIR, --glob, --type); by directory: b 3, . 1\n", r.err)
	r = s.run("grep", "foo", "--head_limit", "2", "--output_mode", "files")
	require.Equal(t, "files 1-2 of 3: go on with --offset 2, or narrow the search (--path DIR, --glob, --type); by directory: b 2, . 1\n", r.err)
	r = s.run("grep", "foo", "--offset", "9")
	require.Equal(t, "4 matching lines, none after --offset 9\n", r.err)
	require.Zero(t, r.status)
}

func TestGrepLooksIntoWhatItLeavesOutWhenNothingIsFound(t *testing.T) {
	s := sources(t)
	s.put(".git/config", "secret")
	s.put(".gitignore", "ignored/\n*.log\n")
	s.put("ignored/x", "secret\n")
	s.put("a.log", "1\nsecret\n")
	s.put(".env", "secret=1\nsecret=2\n")
	s.put("bin", "\x00secret")
	r := s.run("grep", "secret")
	require.Equal(t, 1, r.status)
	require.Empty(t, r.out)
	require.Equal(t, "0 in 4 files; 1 binary file left out; 4 in ignored or hidden files (.env:1, .env:2, a.log:2, ...): pass --ignore=false --hidden\n", r.err)
	require.Equal(t, ".env:1:secret=1\n.env:2:secret=2\na.log:2:secret\nignored/x:1:secret\n", s.ok("grep", "secret", "--ignore=false", "--hidden"))
	require.Equal(t, "a.log:2:secret\nignored/x:1:secret\n", s.ok("grep", "secret", "--no-ignore"))
	require.Equal(t, ".env:1:secret=1\n.env:2:secret=2\n", s.ok("grep", "secret", "--hidden"))
	require.Equal(t, "ignored/x:1:secret\n", s.ok("grep", "secret", "ignored"), "a directory that is named is searched")
	require.Equal(t, ".env:1:secret=1\n", s.ok("grep", "secret=1", "--glob", ".env"), "a pattern that names the dot finds it")
	r = s.run("grep", "secret", "--glob", "*.zig")
	require.Contains(t, r.err, "0 in 0 files")
	require.Contains(t, r.err, "no file fits --glob and --type")
}

func TestGrepBinaryFiles(t *testing.T) {
	s := newShell(t, nil)
	s.put("bin", "match\x00\nmatch\n")
	s.put("late", strings.Repeat("text\n", 20000)+"match\nnul\x00\nmatch\n")
	r := s.run("grep", "match")
	require.Equal(t, "late:20001:match\n", r.out)
	require.Equal(t, "late: searched up to line 20002, where it turns binary\n", r.err)
	r = s.run("grep", "match", "bin")
	require.Zero(t, r.status)
	require.Empty(t, r.out)
	require.Equal(t, "bin is binary: 2 matching lines not shown (--text shows them)\n", r.err)
	require.Equal(t, "bin:2\n", s.ok("grep", "match", "bin", "--output_mode", "count"))
}

// In a file that was named the lines behind a NUL byte are counted and not printed, also
// where it is searched in blocks.
func TestGrepOfANamedFileThatTurnsBinary(t *testing.T) {
	s := newShell(t, nil)
	for _, size := range []int{100 << 10, 20 << 20} {
		s.put("late", "match\n"+strings.Repeat("text\n", size/5)+"match\nnul\x00 match\nmatch\n"+strings.Repeat("text\n", size/5)+"match\n")
		want := fmt.Sprintf("late:1:match\nlate:%d:match\n", size/5+2)
		r := s.run("grep", "match", "late")
		require.Equal(t, result{want, "late is binary: 3 matching lines not shown (--text shows them)\n", 0}, r)
		require.Equal(t, "late:5\n", s.ok("grep", "match", "late", "-c"))
		r = s.run("grep", "match")
		require.Equal(t, result{want, fmt.Sprintf("late: searched up to line %d, where it turns binary\n", size/5+3), 0}, r)
		require.Equal(t, 5, strings.Count(s.ok("grep", "match", "--text"), "match\n"))
		require.Equal(t, fmt.Sprintf("late:%d\n", 2*(size/5)), s.ok("grep", "-v", "match", "late", "-c"))
	}
}

func TestGrepOfRulesThatShow(t *testing.T) {
	s := newShell(t, nil)
	for _, name := range []string{".agents/a", ".agents/b", ".github/x", ".y", "n.txt", "m.txt"} {
		s.put(name, "foo\n")
	}
	s.put(".ignore", "!.agents\nn.txt\n")
	s.put(".agents/.rgignore", "b\n")
	s.put("rules", "m.*\n")
	require.Equal(t, ".agents/a\nm.txt\n", s.ok("grep", "-l", "foo"))
	require.Equal(t, ".agents/a\n", s.ok("grep", "-l", "foo", "--ignore_file", "rules"))
	require.Equal(t, ".agents/a\nm.txt\nrules\n", s.ok("glob", "**"))
	require.Equal(t, "n.txt\n", s.ok("grep", "-l", "foo", "--no-ignore", "--ignore_file", "rules", "--glob", "*.txt"))
}

func TestGrepAcrossLines(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "one (\r\ntwo)\r\nthree\nfour (five\n) six (\n)\n")
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{`\($`}, "f:1:one (\r\nf:5:) six (\n"},
		{[]string{`\([^)]*\)`, "-o"}, "f:1:(\nf:2:two)\nf:4:(five\nf:5:)\nf:5:(\nf:6:)\n"},
		{[]string{`\([^)]*\)`, "-v"}, "f:3:three\n"},
		{[]string{`\(([^)]*)\)`, "--replace", "[$1]"}, "f:1:one [\r\nf:2:two]\r\nf:4:four [five\nf:5:] six [\nf:6:]\n"},
		{[]string{`\([^)]*\)`, "-c"}, "f:5\n"},
		{[]string{`\([^)]*\)`, "-co"}, "f:3\n"},
	} {
		require.Equal(t, test.want, s.ok(append([]string{"grep", "-U"}, test.words...)...), "%q", test.words)
	}
}

func TestGrepOfCompressedFiles(t *testing.T) {
	s := newShell(t, nil)
	for name, program := range map[string]string{"a.gz": "gzip", "b.bz2": "bzip2", "c.xz": "xz", "c.lzma": "lzma", "d.zst": "zstd"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s is not installed", program)
			continue
		}
		cmd := exec.Command(program, "-c")
		cmd.Stdin = strings.NewReader(numbered(200000))
		packed, err := cmd.Output()
		require.NoError(t, err)
		s.put(name, string(packed))
		require.Equal(t, name+":199999:line 199999\n", s.ok("grep", "line 199999", name, "-z"))
	}
	require.Contains(t, s.ok("grep", "line 7$", "-z"), "a.gz:7:line 7\n")
	s.put("bad.gz", "\x1f\x8b not")
	require.Equal(t, 2, s.run("grep", "x", "bad.gz", "-z").status)
}

func TestGrepOfFilesThatAskForMuchMemory(t *testing.T) {
	s := newShell(t, nil)
	for _, test := range []struct {
		program []string
		grow    func([]byte) // has the header ask for more
		limit   string
	}{
		{[]string{"xz", "-c"}, func(b []byte) {
			header := b[12 : 12+4*(int(b[12])+1)]
			header[4] = 40 // the size of the dictionary: 4 GiB
			binary.LittleEndian.PutUint32(header[len(header)-4:], crc32.ChecksumIEEE(header[:len(header)-4]))
		}, "64 MiB of memory: xz -dc FILE | grep PATTERN"},
		{[]string{"xz", "-c", "--format=lzma"}, func(b []byte) { binary.LittleEndian.PutUint32(b[1:], 1<<30) }, "64 MiB of memory: xz -dc FILE | grep PATTERN"},
		{[]string{"zstd", "-c"}, func(b []byte) { b[5] = 18 << 3 }, "128 MiB of memory: zstd -dc --long=31 FILE | grep PATTERN"},
	} {
		if _, err := exec.LookPath(test.program[0]); err != nil {
			t.Logf("%s is not installed", test.program[0])
			continue
		}
		cmd := exec.Command(test.program[0], test.program[1:]...)
		cmd.Stdin = strings.NewReader("word\n")
		packed, err := cmd.Output()
		require.NoError(t, err)
		test.grow(packed)
		s.put("f", string(packed))
		r := s.run("grep", "word", "f", "-z")
		require.Equal(t, 2, r.status, "%q: %s", test.program, r.out)
		require.Contains(t, r.err, "f: to unpack it takes more than "+test.limit)
	}
}

func TestGrepTextOfAllKinds(t *testing.T) {
	s := newShell(t, nil)
	s.put("crlf", "foo\r\nbar\r\n")
	s.put("bom", "\ufefffoo\n")
	s.put("le", utf16Bytes("foo\r\nüber\r\n", true, true))
	s.put("be", utf16Bytes("foo\nüber", false, true))
	s.put("latin1", "caf\xe9 foo\n")
	s.put("open", "x\nfoo")
	require.Equal(t, "be:1:foo\nbom:1:foo\ncrlf:1:foo\r\nle:1:foo\r\nopen:2:foo\n", s.ok("grep", "^foo$"))
	require.Equal(t, "be:2:über\nle:2:über\r\n", s.ok("grep", "über"))
	require.Equal(t, "latin1:1:café foo\n", s.ok("grep", "caf. foo"))
	require.Equal(t, "crlf:1:foo\r\ncrlf:2:bar\r\nle:1:foo\r\nle:2:über\r\n", s.ok("grep", `\r$`))
}

func TestGrepCutsLongLinesAroundTheMatch(t *testing.T) {
	s := newShell(t, nil)
	s.put("min.js", strings.Repeat("é", 3000)+"needle"+strings.Repeat("x", 3000)+"\nshort needle\n")
	out := s.ok("grep", "needle", "--max_columns", "100")
	lines := strings.Split(out, "\n")
	require.Equal(t, "min.js:1:[2,975 characters more] ..."+strings.Repeat("é", 25)+"needle"+strings.Repeat("x", 69)+"... [2,931 more characters]", lines[0])
	require.Equal(t, "min.js:2:short needle", lines[1])
	require.Equal(t, s.get("min.js")[:strings.Index(s.get("min.js"), "\n")], strings.TrimPrefix(strings.Split(s.ok("grep", "needle", "--max_columns", "0"), "\n")[0], "min.js:1:"))
}

func TestGrepErrors(t *testing.T) {
	s := sources(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"a("}, "missing closing )"},
		{[]string{`(?=x)`}, "no lookaround"},
		{[]string{`(a)\1`}, "no backreferences"},
		{[]string{`a\nb`}, "--multiline"},
		{[]string{"x", "--type", "pyhton"}, "did you mean python"},
		{[]string{"x", "nowhere"}, "nowhere does not exist"},
		{[]string{"x", "--output_mode", "json"}, "content, files, files_without_match, count, quiet"},
		{[]string{"x", "-A", "-1"}, "below the least value"},
		{[]string{}, "missing --pattern"},
	} {
		r := s.run(append([]string{"grep"}, test.args...)...)
		require.Equal(t, 2, r.status, test.args)
		require.Contains(t, r.err, test.want, test.args)
	}
	if os.Getuid() != 0 {
		require.NoError(t, os.Chmod(s.path("a.go"), 0))
		r := s.run("grep", "foo")
		require.Zero(t, r.status)
		require.Contains(t, r.err, "a.go: permission denied")
	}
}

func TestGrepByTime(t *testing.T) {
	s := sources(t)
	now := time.Now()
	for i, name := range []string{"b/c.txt", "a.go", "b/b.py"} {
		require.NoError(t, os.Chtimes(s.path(name), now, now.Add(-time.Duration(i)*time.Hour)))
	}
	require.Equal(t, "b/c.txt\na.go\nb/b.py\n", s.ok("grep", "foo", "--sort", "mtime", "--output_mode", "files"))
	r := s.run("grep", "foo", "--sort", "mtime", "--head_limit", "3")
	require.Equal(t, "b/c.txt:2:foo\nb/c.txt:3:food\na.go:4:// foo bar\n", r.out)
	require.Contains(t, r.err, "lines 1-3 of 4 in 3 files")
	require.Contains(t, s.run("grep", "nope", "--sort", "mtime").err, "0 in 4 files")
}

func TestGrepTakesLinearTime(t *testing.T) {
	s := newShell(t, nil)
	s.put("a", strings.Repeat("a", 5<<20)+"\n"+strings.Repeat(strings.Repeat("a", 1000)+"\n", 5000))
	// Anything worse than linear would not end within the time that tests have.
	require.Equal(t, 1, s.run("grep", "(a*)*b").status)
	require.Equal(t, 1, s.run("grep", "(a|aa)+$x").status)
	require.Equal(t, 1, s.run("grep", "(?:a?){50}a{50}c$").status)
}

// A big file is searched in blocks by several goroutines; the result is that of
// one pass over it.
func TestGrepInBlocks(t *testing.T) {
	s := newShell(t, nil)
	var b strings.Builder
	var want, every []string
	for i := 1; b.Len() < 30<<20; i++ {
		line := fmt.Sprintf("%d %s", i, strings.Repeat("x", i%211))
		switch {
		case i%50000 == 0:
			line += " needle"
			want = append(want, fmt.Sprintf("big:%d:%s", i, line))
		case i == 123456:
			line = strings.Repeat("y", 9<<20) + " needle" // longer than two blocks
			want = append(want, fmt.Sprintf("big:%d:%s", i, line))
		}
		every = append(every, fmt.Sprintf("big:%d:%s", i, line))
		b.WriteString(line + "\n")
	}
	s.put("big", b.String())
	require.Equal(t, want, strings.Split(strings.TrimSuffix(s.ok("grep", "needle", "big", "--max_columns", "0", "--head_limit", "0"), "\n"), "\n"))
	require.Equal(t, want[:2], strings.Split(strings.TrimSuffix(s.ok("grep", "needle$", "--max_columns", "0", "--head_limit", "2"), "\n"), "\n"))
	require.Equal(t, fmt.Sprintf("big:%d\n", len(want)), s.ok("grep", "needle", "big", "--output_mode", "count"))
	require.Equal(t, "big\n", s.ok("grep", "needle", "--output_mode", "files"))
	require.Equal(t, fmt.Sprintf("big:%d\n", len(every)), s.ok("grep", "", "big", "--output_mode", "count"))
	all := strings.Split(strings.TrimSuffix(s.ok("grep", "^", "big", "--head_limit", "0", "--max_columns", "0"), "\n"), "\n")
	require.Len(t, all, len(every))
	for i := range all {
		if all[i] != every[i] {
			require.Equal(t, every[i], all[i])
		}
	}
	r := s.run("grep", "needle", "big", "--context", "1") // context is searched in one piece
	require.Contains(t, r.out, "big-49999-")
	s.put("big", b.String()[:20<<20]+"\nnul\x00\n"+b.String()[20<<20:])
	r = s.run("grep", "needle", "--head_limit", "0")
	require.Contains(t, r.err, "where it turns binary")
	require.Less(t, strings.Count(r.out, "\n"), len(want))
}

func TestGrepOfAFileThatIsCutShort(t *testing.T) {
	s := newShell(t, nil)
	path := s.put("big", strings.Repeat("some text that fills the file\n", 1<<20))
	for i := range 20 {
		require.NoError(t, os.Truncate(path, 31<<20))
		cut := make(chan error)
		go func() {
			time.Sleep(time.Duration(i) * time.Millisecond / 2) // somewhere in the search
			cut <- os.Truncate(path, int64(i)<<18)
		}()
		r := s.run("grep", "nothing like this|text.*zzz", "big")
		require.NoError(t, <-cut)
		require.NotEqual(t, 0, r.status)
		require.NotContains(t, r.err, "crashed")
	}
}
