//go:build linux

package files

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWriteCreatesWithParents(t *testing.T) {
	s := newShell(t, nil)
	out := s.ok("write", "a/b/c.txt", "one\ntwo")
	require.Equal(t, "one\ntwo", s.get("a/b/c.txt"))
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("one\ntwo")))
	require.Equal(t, "created a/b/c.txt: 2 lines, 7 bytes, sha256 "+sum[:16]+"\n", out)
	s.requireNoTemp()
}

func TestWriteTakesStdinByteForByte(t *testing.T) {
	s := newShell(t, nil)
	content := "\x00\xff\r\n é $& \\n -h --all\r"
	r := s.pipe(strings.NewReader(content), "write", "f")
	require.Zero(t, r.status, r.err)
	require.Equal(t, content, s.get("f"))
	r = s.pipe(strings.NewReader("ignored"), "write", "g", "given")
	require.Zero(t, r.status, r.err)
	require.Equal(t, "given", s.get("g"))
	require.Equal(t, 2, s.run("write", "h").status)
}

func TestWriteOverwritesWithADiff(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "a\nb\nc\n")
	out := s.ok("write", "f", "a\nB\nc\n")
	require.Contains(t, out, "overwrote f: 3 lines, 6 bytes, sha256 ")
	require.Contains(t, out, "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")
	require.Equal(t, "a\nB\nc\n", s.get("f"))
}

func TestWriteDoesNotEchoWhatWasSent(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "a\n")
	out := s.ok("write", "f", numbered(300), "--append")
	require.Equal(t, 11, strings.Count(out, "\n"))
	require.Contains(t, out, "... 295 more + lines ...\n+line 300\n")
	s.put("g", "a\nb\n")
	require.Contains(t, s.fails("write", "g", "a\n# ... rest of the file ...\n"), "they would be lost")
	require.Equal(t, "a\nb\n", s.get("g"))
	s.ok("write", "g", "a\n# ... rest of the file ...\n", "--force")
	s.ok("write", "new", "a\n# ... rest of the file ...\n")
}

func TestWriteAppendAndCreateOnly(t *testing.T) {
	s := newShell(t, nil)
	s.ok("write", "f", "a\n", "--append")
	require.Contains(t, s.ok("write", "f", "b\n", "--append"), "appended to f: 2 lines, 4 bytes")
	require.Equal(t, "a\nb\n", s.get("f"))
	require.Contains(t, s.fails("write", "f", "x", "--create_only"), "f exists (4 bytes)")
	require.Equal(t, "a\nb\n", s.get("f"))
	s.ok("write", "g", "x", "--create_only")
	require.Equal(t, 2, s.run("write", "f", "x", "--create_only", "--append").status)
}

func TestWriteExpectedHash(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "old")
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("old")))
	require.Contains(t, s.fails("write", "f", "new", "--expected_hash", strings.Repeat("0", 64)), "it changed; read it again")
	require.Equal(t, "old", s.get("f"))
	s.ok("write", "f", "new", "--expected_hash", sum[:12])
	require.Equal(t, "new", s.get("f"))
	require.Contains(t, s.fails("edit", "f", "new", "newer", "--expected_hash", sum), "it changed")
	sum = fmt.Sprintf("%X", sha256.Sum256([]byte("new")))
	s.ok("edit", "f", "new", "newer", "--expected_hash", "sha256:"+sum)
	require.Equal(t, "newer", s.get("f"))
	require.Equal(t, 2, s.run("write", "f", "x", "--expected_hash", "nothex!!").status)
	require.Contains(t, s.fails("write", "none", "x", "--expected_hash", sum), "does not exist")
}

func TestWriteDryRun(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "a\n")
	require.Contains(t, s.ok("write", "f", "b\n", "--dry_run"), "-a\n+b\n")
	require.Contains(t, s.ok("write", "g/h", "b\n", "--dry_run"), "would create g/h")
	require.Equal(t, "a\n", s.get("f"))
	require.NoDirExists(t, s.path("g"))
}

func TestAGuardedSessionOverwritesOnlyWhatItKnows(t *testing.T) {
	s := newShell(t, &Options{RequireRead: true})
	s.put("f", "somebody's work\n")
	require.Contains(t, s.fails("write", "f", "x"), "was not read: read it first, or pass --force")
	require.Equal(t, "somebody's work\n", s.get("f"))
	s.ok("read", "f")
	s.ok("write", "f", "x")
	s.ok("write", "f", "y") // its own write counts as known
	s.put("g", "a b\n")
	s.ok("edit", "g", "a", "c")
	s.ok("write", "g", "z") // and so does its edit
	s.put("h", "1")
	s.ok("write", "h", "2", "--force")
	s.put("empty", "")
	s.ok("write", "empty", "there was nothing to lose")
	s.put("log", "a\n")
	s.ok("write", "log", "b\n", "--append")
	s.ok("write", "new", "1")
	s.ok("write", "new", "2")

	free := newShell(t, nil)
	free.put("f", "a")
	free.ok("write", "f", "b")
}

func TestTextIsJustText(t *testing.T) {
	s := newShell(t, nil)
	for i, text := range []string{"$& $1 $$ ${x}", `\n \t \\ \1`, "-h", "--help", "--all", "--replace_all", "-", "--", "", "'\"`$(id)", "007", "true", "[1]", "{\"a\":1}", "a\x00b"} {
		name := fmt.Sprintf("f%d", i)
		r := s.run("write", "--content="+text, name)
		require.Zero(t, r.status, "%q: %s", text, r.err)
		require.Equal(t, text, s.get(name))
		if text == "" {
			continue
		}
		s = newShell(t, nil)
		s.put(name, "<"+text+">")
		r = s.run("edit", name, "--old_string="+text, "--new_string=$0 \\0 &")
		require.Zero(t, r.status, "%q: %s", text, r.err)
		require.Equal(t, "<$0 \\0 &>", s.get(name))
		require.Zero(t, s.run("edit", name, "--old_string=$0 \\0 &", "--new_string="+text).status, text)
		require.Equal(t, "<"+text+">", s.get(name))
	}
	s.ok("write", "h1", "--content", "-h")
	require.Equal(t, "-h", s.get("h1"))
	s.ok("write", "--", "h2", "--help")
	require.Equal(t, "--help", s.get("h2"))
}

func TestAwkwardNames(t *testing.T) {
	s := newShell(t, nil)
	for _, name := range []string{"a b", "a\nb", "-rf", "--all", "日本 é", "'q\"", "a\\b", "*", "~x", "#", ".hidden", strings.Repeat("n", 255), "d i r/-x/\n"} {
		if name == "*" {
			r := s.run("write", "--file_path="+name, "--content=x")
			require.Equal(t, 1, r.status)
			require.Contains(t, r.err, "no file matches *")
		}
		s.ok("write", "--file_path="+name, "--content=one two\n", "--force")
		require.Equal(t, "one two\n", s.get(name), "%q", name)
		require.Equal(t, "one two\n", s.ok("read", "--file_path="+name), "%q", name)
		s.ok("edit", "--file_path="+name, "--old_string=two", "--new_string=three")
		require.Equal(t, "one three\n", s.get(name), "%q", name)
		require.Equal(t, name+":1:one three\n", s.ok("grep", "three", "--path="+name), "%q", name)
	}
	for _, args := range [][]string{{"read", "a\x00b"}, {"write", "a\x00b", "x"}, {"edit", "a\x00b", "x", "y"}, {"grep", "x", "a\x00b"}} {
		r := s.run(args...)
		require.NotZero(t, r.status, args)
		require.Contains(t, r.err, "NUL", args)
	}
	require.Contains(t, s.fails("write", strings.Repeat("n", 256), "x"), "file name too long")
}

func TestWriteSaysWhatALiteralEscapeIs(t *testing.T) {
	s := newShell(t, nil)
	require.Contains(t, s.run("write", "a", `x\ny`).err, `the content has a literal \n and no end of line`)
	require.Empty(t, s.run("write", "b", "printf 'x\\n'\n").err)
	require.Empty(t, s.pipe(strings.NewReader(`x\ny`), "write", "c").err)
}

// A program that has a file open goes on with what is appended to it.
func TestAnAppendGoesToTheSameFile(t *testing.T) {
	s := newShell(t, nil)
	open, err := os.Open(s.put("log", "one\n"))
	require.NoError(t, err)
	defer open.Close()
	s.ok("write", "log", "two\n", "--append")
	got, err := io.ReadAll(open)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(got))
}

func TestALineThatStandsForOthersOverwritesNothing(t *testing.T) {
	s := newShell(t, nil)
	s.put("a.go", "a\nb\nc\n")
	require.Contains(t, s.fails("write", "a.go", "a\n// ... existing code ...\n"), "existing code")
	require.Equal(t, "a\nb\nc\n", s.get("a.go"))
	s.ok("write", "a.go", "a\n// ... existing code ...\n", "--force")
}
