package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/stretchr/testify/require"
)

func intent(command string) *Record {
	return &Record{Type: TypeIntent, Session: "s", PID: 1, Who: "person", Command: command, Decision: "allow"}
}

func appendAll(t *testing.T, l *Log, commands ...string) {
	t.Helper()
	for _, c := range commands {
		require.NoError(t, l.Append(false, intent(c)))
	}
}

func verify(t *testing.T, dir string) Report {
	t.Helper()
	rep, err := Verify(dir, "")
	require.NoError(t, err)
	return rep
}

func lines(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	require.NoError(t, err)
	return strings.SplitAfter(string(data), "\n")
}

func TestChain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	require.True(t, verify(t, dir).OK, "no log is no broken log")
	l := Open(dir)
	appendAll(t, l, "one", "two <&>", "three\xff")
	code := 3
	require.NoError(t, l.Append(true, &Record{Type: TypeOutcome, Of: 1, ExitCode: &code}))
	require.NoError(t, l.Close())
	rep := verify(t, dir)
	require.True(t, rep.OK)
	require.EqualValues(t, 4, rep.Records)
	require.Equal(t, []int64{2, 3}, rep.Open)

	for path, mode := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, filepath.Join(dir, "audit.jsonl"): 0o600, filepath.Join(dir, "head"): 0o600} {
		st, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, st.Mode(), path)
	}

	again := Open(dir)
	appendAll(t, again, "four")
	require.NoError(t, again.Close())
	found, err := Verify(dir, rep.Last)
	require.NoError(t, err)
	require.True(t, found.OK)
	require.EqualValues(t, 5, found.Records)
	missing, err := Verify(dir, strings.Repeat("ab", 32))
	require.NoError(t, err)
	require.Contains(t, missing.Broken.Text, "made anew")
}

// Whatever is done to the log is found, and the first place is named.
func TestTampering(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(l []string) []string
		line   int
		text   string
	}{
		{"a text", func(l []string) []string { l[2] = strings.Replace(l[2], "c3", "cX", 1); return l }, 3, "was changed"},
		{"a hash", func(l []string) []string { l[2] = strings.Replace(l[2], `"prev":"`, `"prev":"0`, 1); return l }, 3, "was changed"},
		{"a line removed", func(l []string) []string { return append(l[:1:1], l[2:]...) }, 2, "1 before it are missing"},
		{"the beginning removed", func(l []string) []string { return l[2:] }, 1, "what was before is missing"},
		{"two lines swapped", func(l []string) []string { l[1], l[2] = l[2], l[1]; return l }, 2, "1 before it are missing"},
		{"a line twice", func(l []string) []string { return append(l[:2:2], l[1:]...) }, 3, "the order was changed"},
		{"a line replaced with its hash", func(l []string) []string {
			var r Record
			require.NoError(t, json.Unmarshal([]byte(l[1]), &r))
			r.Command = "harmless"
			line, err := r.line()
			require.NoError(t, err)
			l[1] = string(line) + "\n"
			return l
		}, 3, "the one before it was replaced"},
		{"the last line replaced with its hash", func(l []string) []string {
			var r Record
			require.NoError(t, json.Unmarshal([]byte(l[4]), &r))
			r.Command = "harmless"
			line, err := r.line()
			require.NoError(t, err)
			l[4] = string(line) + "\n"
			return l
		}, 0, "the last record was replaced"},
		{"the end cut off", func(l []string) []string { return l[:3] }, 0, "there were 5 records, and 3 are left"},
		{"all of it removed", func(l []string) []string { return nil }, 0, "there were 5 records, and 0 are left"},
		{"something else put in", func(l []string) []string { l[1] = "hello\n"; return l }, 2, "no record"},
		{"a line torn by hand", func(l []string) []string { l[1] = l[1][:20] + "\n"; return l }, 2, "no record"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			l := Open(dir)
			appendAll(t, l, "c1", "c2", "c3", "c4", "c5")
			require.NoError(t, l.Close())
			changed := row.change(lines(t, dir)[:5])
			require.NoError(t, os.WriteFile(filepath.Join(dir, "audit.jsonl"), []byte(strings.Join(changed, "")), 0o600))
			rep := verify(t, dir)
			require.False(t, rep.OK)
			require.Equal(t, row.line, rep.Broken.Line, rep.Broken.Error())
			require.Contains(t, rep.Broken.Error(), row.text)
		})
	}
	t.Run("the head removed", func(t *testing.T) {
		dir := t.TempDir()
		l := Open(dir)
		appendAll(t, l, "c1")
		require.NoError(t, l.Close())
		require.NoError(t, os.Remove(filepath.Join(dir, "head")))
		require.Contains(t, verify(t, dir).Broken.Text, "missing")
	})
}

// A crash in the middle of a write leaves a piece of a line. The next writer
// goes on after it, and says so.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir)
	appendAll(t, l, "c1", "c2")
	require.NoError(t, l.Close())
	f, err := os.OpenFile(filepath.Join(dir, "audit.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"v":1,"seq":3,"comm`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	rep := verify(t, dir)
	require.True(t, rep.OK)
	require.EqualValues(t, 1, rep.Torn)

	l = Open(dir)
	appendAll(t, l, "c3")
	require.NoError(t, l.Close())
	rep = verify(t, dir)
	require.True(t, rep.OK, "%v", rep.Broken)
	require.EqualValues(t, 1, rep.Torn)
	require.EqualValues(t, 4, rep.Records)
}

func TestClockGoesBack(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l.now = func() time.Time { return now }
	appendAll(t, l, "c1")
	now = now.Add(-time.Hour)
	appendAll(t, l, "c2", "c3")
	require.NoError(t, l.Close())
	rep := verify(t, dir)
	require.True(t, rep.OK)
	require.EqualValues(t, 1, rep.Back)
	var seqs []int64
	require.NoError(t, Records(dir, func(r *Record, _ []byte) error { seqs = append(seqs, r.Seq); return nil }))
	require.Equal(t, []int64{1, 2, 3}, seqs)
}

// Each writer has its own open file, as separate processes have.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			l := Open(dir)
			l.max = 4 << 10 // so that files are put aside meanwhile
			for i := range 40 {
				if err := l.Append(false, intent(fmt.Sprintf("w%d c%d", w, i))); err != nil {
					t.Error(err)
				}
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	rep := verify(t, dir)
	require.True(t, rep.OK, "%v", rep.Broken)
	require.EqualValues(t, 240, rep.Records)
	require.Greater(t, len(rep.Files), 5)
	seen := map[string]bool{}
	require.NoError(t, Records(dir, func(r *Record, _ []byte) error { seen[r.Command] = true; return nil }))
	require.Len(t, seen, 240)

	require.NoError(t, os.Remove(rep.Files[1]))
	require.Contains(t, verify(t, dir).Broken.Text, "before it are missing")
}

func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "audit"), nil, 0o600))
	l := Open(filepath.Join(dir, "audit")) // a file where the directory should be
	err := l.Append(false, intent("c"))
	require.ErrorContains(t, err, "not a directory")
	require.ErrorContains(t, err, filepath.Join(dir, "audit"))

	elsewhere := filepath.Join(dir, "elsewhere")
	require.NoError(t, os.WriteFile(elsewhere, []byte("kept"), 0o600))
	linked := filepath.Join(dir, "linked")
	require.NoError(t, os.Mkdir(linked, 0o700))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(linked, "audit.jsonl")))
	require.Error(t, Open(linked).Append(false, intent("c")), "a link is not followed")
	data, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, "kept", string(data))
}

func TestLongLines(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir)
	appendAll(t, l, strings.Repeat("x", 1<<20), "short")
	require.NoError(t, l.Close())
	l = Open(dir)
	appendAll(t, l, strings.Repeat("y", 1<<20))
	require.NoError(t, l.Close())
	l = Open(dir)
	appendAll(t, l, "end")
	require.NoError(t, l.Close())
	rep := verify(t, dir)
	require.True(t, rep.OK)
	require.EqualValues(t, 4, rep.Records)
}

func TestSecrets(t *testing.T) {
	s := NewSecrets([]string{"sk-known-key\n", "short"}, []string{"DB_PASSWORD=hunter2hunter2", "HOME=/home/somebody", "GH_TOKEN=ghp_abcdefgh"})
	for _, row := range []struct{ text, want string }{
		{"curl -d sk-known-key x", "curl -d [redacted: key] x"},
		{"echo hunter2hunter2 ghp_abcdefgh", "echo [redacted: key] [redacted: key]"},
		{"cd /home/somebody; ls short", "cd /home/somebody; ls short"},
		{"export API_KEY=abc OTHER=def", "export API_KEY=[redacted: key] OTHER=def"},
		{"x --password 'a b' --user me", "x --password '[redacted: password]' --user me"},
		{`curl -H "Authorization: Bearer abc.def-ghi"`, `curl -H "Authorization: Bearer [redacted: credentials]"`},
		{"git clone https://me:pw123@example.com/x", "git clone https://me:[redacted: password]@example.com/x"},
		{`{"api_key": "abc", "n": 1}`, `{"api_key": "[redacted: key]", "n": 1}`},
		{"mysql -pPASS; curl -u user:pw h -H 'x-api-key: v' -H 'Cookie: sid=v'; echo password is v12345", "mysql -p[redacted: password]; curl -u user:[redacted: password] h -H 'x-api-key: [redacted: key]' -H 'Cookie: sid=[redacted: cookie]'; echo password is [redacted: password]"},
		{"echo ghp_" + strings.Repeat("aB3d", 9) + " sk-ant-" + strings.Repeat("aB3dE", 9), "echo [redacted: GitHub token] [redacted: Anthropic key]"},
		{"echo " + base64.StdEncoding.EncodeToString([]byte("xsk-known-keyx")), "echo eH[redacted: key, base64]Xg="},
		{"grep token file.go", "grep token file.go"},
		{"KEY=$(cat f)", "KEY=$(cat f)"},
		{"ssh -i key host:path user@host", "ssh -i key host:path user@host"},
		{"rm -rf /", "rm -rf /"},
	} {
		require.Equal(t, row.want, s.HideCommand(row.text), row.text)
	}
}

// TestOutcomesWait: they are written by Flush, with the next intent or by Close,
// whichever is first, and an intent that cannot be written leaves them waiting.
func TestOutcomesWait(t *testing.T) {
	dir := t.TempDir()
	r := &Recorder{Log: Open(dir), Who: "person", Session: func() string { return "s" }, Secrets: NewSecrets(nil, nil), Later: true}
	begin := func(command string) func(router.Outcome) {
		end, err := r.Intent(&guard.Entry{Plan: router.PlanNative(command)})
		require.NoError(t, err)
		return end
	}
	end := begin("one")
	end(router.Outcome{ExitCode: 1})
	require.Equal(t, []int64{1}, verify(t, dir).Open, "the answer is first")
	r.Flush()
	require.Empty(t, verify(t, dir).Open)
	begin("two")(router.Outcome{})
	begin("three")(router.Outcome{ExitCode: 3})
	require.Equal(t, []int64{5}, verify(t, dir).Open)
	require.NoError(t, r.Close())
	rep := verify(t, dir)
	require.True(t, rep.OK)
	require.Empty(t, rep.Open)
	require.EqualValues(t, 6, rep.Records)
	var of []int64
	require.NoError(t, Records(dir, func(rec *Record, _ []byte) error {
		if rec.Type == TypeOutcome {
			of = append(of, rec.Of, int64(*rec.ExitCode))
		}
		return nil
	}))
	require.Equal(t, []int64{1, 1, 3, 0, 5, 3}, of)
}

func TestHashCoversTheLine(t *testing.T) {
	r := intent("x")
	line, err := r.line()
	require.NoError(t, err)
	for i := range line {
		changed := bytes.Clone(line)
		changed[i] ^= 1
		_, whole, err := parseRecord(changed)
		require.False(t, err == nil && whole, "byte %d", i)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(map[bool]string{false: "written", true: "synced"}[sync], func(b *testing.B) {
			l := Open(b.TempDir())
			defer l.Close()
			for b.Loop() {
				if err := l.Append(sync, intent("go test ./... && git diff --stat")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
