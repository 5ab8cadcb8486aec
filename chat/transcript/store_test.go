package transcript

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func create(t testing.TB, st *Store, dir string, records ...Record) *Writer {
	t.Helper()
	s, err := st.Create(dir, "test")
	require.NoError(t, err)
	for _, r := range records {
		require.NoError(t, s.Append(r))
	}
	require.NoError(t, s.Sync())
	return s
}

func types(records []Record) (out []Type) {
	for _, r := range records {
		out = append(out, r.Type)
	}
	return out
}

func TestRecordsComeBackAsTheyWere(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	want := []Record{
		{Type: TypeUser, Text: "look at <this> & that\n\x00\u2028", Images: []Image{{Name: "a.png", MIME: "image/png", Data: []byte{0, 1, 2, 255}}}},
		{Type: TypeAssistant, Text: "ok", Calls: []Call{{ID: "1", Name: "bash", Arguments: `{"command":"ls"}`, Extra: []byte(`{"google":{"s":"x"}}`)}}},
		{Type: TypeToolResult, ID: "1", Output: "a\n", ExitCode: 3, DurationMS: 7, Dir: "/tmp"},
		{Type: TypeUsage, Usage: &Usage{Prompt: 10, Cost: 0.25}},
		{Type: TypeCompact, Messages: []Record{{Type: TypeUser, Text: "short"}}},
	}
	s := create(t, st, "/a/b", want...)
	require.NoError(t, s.Close())
	again, _, unread, err := st.Open(s.ID, "test")
	require.NoError(t, err)
	defer again.Close()
	require.Zero(t, unread)
	require.Equal(t, "/a/b", again.Dir)
	got, err := ReadFile(s.Path)
	require.NoError(t, err)
	require.Equal(t, Record{Type: TypeSession, V: Version, ID: s.ID, Dir: "/a/b", Program: "test", Time: got[0].Time}, got[0])
	for i := range want {
		want[i].Time = got[i+1].Time
		require.WithinDuration(t, time.Now(), got[i+1].Time, time.Minute)
	}
	require.Equal(t, want, got[1:])
}

// TestEveryTornEnd cuts a session at every byte: whole lines stay, the torn one
// goes, and what is appended after it can be read.
func TestEveryTornEnd(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	s := create(t, st, "/p", Record{Type: TypeUser, Text: "one"}, Record{Type: TypeText, Text: "two\nthree"})
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(s.Path)
	require.NoError(t, err)
	first := bytes.IndexByte(whole, '\n') + 1
	for n := first; n <= len(whole); n++ {
		require.NoError(t, os.WriteFile(s.Path, whole[:n], 0o600))
		again, records, unread, err := st.Open(s.ID, "test")
		require.NoError(t, err, n)
		require.Zero(t, unread, n)
		lines := bytes.Count(whole[:n], []byte{'\n'})
		require.Len(t, records, lines, n)
		require.NoError(t, again.Append(Record{Type: TypeUser, Text: "after"}))
		require.NoError(t, again.Close())
		records, err = ReadFile(s.Path)
		require.NoError(t, err)
		require.Len(t, records, lines+1, n)
		require.Equal(t, "after", records[lines].Text, n)
	}
}

func TestALineThatIsNoRecordCostsOnlyItself(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	s := create(t, st, "/p", Record{Type: TypeUser, Text: "one"})
	_, err := s.file.WriteString("\x00\x00\x00\n{\"type\":\"later_type\",\"text\":\"x\"}\n")
	require.NoError(t, err)
	require.NoError(t, s.Append(Record{Type: TypeUser, Text: "two"}))
	require.NoError(t, s.Close())
	again, records, unread, err := st.Open(s.ID, "test")
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, 1, unread)
	require.Equal(t, []Type{TypeSession, TypeUser, "later_type", TypeUser}, types(records))
}

func TestWhatIsNoSessionIsRefused(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	s := create(t, st, "/p")
	require.NoError(t, s.Close())
	for name, c := range map[string]struct{ content, says string }{
		"empty":           {"", "first line is not of type session"},
		"another file":    {"hello\n", "first line is not of type session"},
		"a later version": {`{"type":"session","v":99}` + "\n", "a later version"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(s.Path, []byte(c.content), 0o600))
			_, _, _, err := st.Open(s.ID, "test")
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestASessionIsOpenOnce(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	s := create(t, st, "/p")
	_, _, _, err := st.Open(s.ID, "test")
	require.ErrorIs(t, err, ErrInUse)
	_, err = st.Delete(s.ID)
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, s.Close())
	again, _, _, err := st.Open(s.ID, "test")
	require.NoError(t, err)
	require.NoError(t, again.Close())
	_, err = st.Delete(s.ID)
	require.NoError(t, err)
	require.NoFileExists(t, s.Path)
	require.NoDirExists(t, filepath.Dir(s.Path))
}

func TestFindAndLatest(t *testing.T) {
	st := &Store{Path: filepath.Join(t.TempDir(), "sessions")}
	_, err := st.Latest("/p")
	require.ErrorContains(t, err, "no session of /p yet")
	var ids []string
	for i, dir := range []string{"/p", "/p", "/other", "/p"} {
		s := create(t, st, dir)
		require.NoError(t, s.Close())
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		require.NoError(t, os.Chtimes(s.Path, at, at))
		ids = append(ids, s.ID)
	}
	last, err := st.Latest("/p")
	require.NoError(t, err)
	require.Equal(t, ids[3], last.ID)
	all, err := st.List("")
	require.NoError(t, err)
	require.Len(t, all, 4)
	require.Equal(t, ids[2], all[1].ID)
	found, err := st.Find(ids[1])
	require.NoError(t, err)
	require.Equal(t, ids[1], found.ID)
	_, err = st.Find("2")
	require.ErrorContains(t, err, "4 sessions begin with")
	_, err = st.Find("x")
	require.ErrorContains(t, err, "there is no session")
	st0, err := os.Stat(found.Path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st0.Mode().Perm())
}

// TestAFullDisk writes to a device that is always full.
func TestAFullDisk(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	s := newWriter(f, "x", "/p", 0, (&Store{GoOnWith: "--no-session"}).orGoOn())
	err = s.Append(Record{Type: TypeUser, Text: "one"})
	require.ErrorContains(t, err, "no space left")
	require.ErrorContains(t, err, "--no-session")
	require.Equal(t, err, s.Append(Record{Type: TypeUser}))
	require.Equal(t, err, s.Sync())
	require.NoError(t, s.Close())
}

func TestScriptsAreBash(t *testing.T) {
	dir := t.TempDir()
	st := &Store{Path: t.TempDir()}
	s := create(t, st, dir,
		Record{Type: TypeUser, Text: "do\nit"},
		Record{Type: TypeAssistant, Text: "I'll do it", Calls: []Call{{ID: "1", Name: "bash", Arguments: `{"command":"x"}`}}},
		Record{Type: TypeToolCall, ID: "1", Command: "echo 'a' \"b\" $x \\\n%s; exit 3", Timeout: 120},
		Record{Type: TypeToolResult, ID: "1", ExitCode: 3},
		Record{Type: TypeToolResult, ID: "2", Refused: true},
	)
	defer s.Close()
	_, records, err := st.Read(s.ID)
	require.NoError(t, err)
	var script bytes.Buffer
	require.NoError(t, WriteScript(&script, records))
	require.Contains(t, script.String(), "# user: do\n  # it\n")
	require.Contains(t, script.String(), "# exit status then: 3\n")
	// An agentbash that shows what it is given.
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "agentbash"), []byte("#!/bin/sh\necho \"$@\"; cat\n"), 0o700))
	cmd := exec.Command("bash", "-s")
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	cmd.Stdin = &script
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "exec --jsonl\n{\"command\":\"echo 'a' \\\"b\\\" $x \\\\\\n%s; exit 3\",\"timeout\":120}\n", string(out))
}

func TestExportsOfAReplyThatBrokeOff(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	s := create(t, st, "/p", Record{Type: TypeUser, Text: "hi"}, Record{Type: TypeText, Text: "Hel"}, Record{Type: TypeText, Text: "lo"})
	defer s.Close()
	_, records, err := st.Read(s.ID)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, WriteMarkdown(&b, records))
	require.Contains(t, b.String(), "## Assistant\n\nHello\n\n(the reply broke off here)\n")
	b.Reset()
	require.NoError(t, WriteJSON(&b, records))
	back, err := ReadExport(b.Bytes())
	require.NoError(t, err)
	require.Equal(t, []Type{TypeSession, TypeUser, TypeAssistant}, types(back))
	require.Equal(t, "Hello", back[2].Text)
}

func TestOpenLeavesOutWhatIsOver(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	user, piece, whole := Record{Type: TypeUser, Text: "u"}, Record{Type: TypeText, Text: "p"}, Record{Type: TypeAssistant, Text: "w"}
	for name, c := range map[string]struct {
		records []Record
		want    []Type
	}{
		"pieces of a whole reply":      {[]Record{user, piece, piece, whole, {Type: TypeEnd}}, []Type{TypeUser, TypeAssistant}},
		"pieces without one":           {[]Record{user, piece, whole, user, piece}, []Type{TypeUser, TypeAssistant, TypeUser, TypeText}},
		"pieces that are void":         {[]Record{user, piece, {Type: TypeRetry}, piece}, []Type{TypeUser, TypeText, TypeRetry, TypeText}},
		"before a compaction":          {[]Record{{Type: TypeSystem}, user, whole, {Type: TypeCompact}, user}, []Type{TypeSystem, TypeCompact, TypeUser}},
		"who said it":                  {[]Record{{Type: TypeModel}, user, whole, {Type: TypeModel}, {Type: TypeCompact}, user}, []Type{TypeModel, TypeModel, TypeCompact, TypeUser}},
		"before a clear":               {[]Record{user, whole, {Type: TypeClear}}, []Type{TypeClear}},
		"calls that were answered":     {[]Record{whole, {Type: TypeToolCall}, {Type: TypeToolResult}, whole}, []Type{TypeAssistant, TypeToolResult, TypeAssistant}},
		"a call that was not answered": {[]Record{whole, {Type: TypeToolCall}}, []Type{TypeAssistant, TypeToolCall}},
	} {
		t.Run(name, func(t *testing.T) {
			s := create(t, st, "/p", c.records...)
			require.NoError(t, s.Close())
			again, got, _, err := st.Open(s.ID, "test")
			require.NoError(t, err)
			require.NoError(t, again.Close())
			require.Equal(t, append([]Type{TypeSession}, c.want...), types(got))
		})
	}
}

func TestALostCompactionGivesBackWhatItStoodFor(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	user, piece, whole := Record{Type: TypeUser, Text: "u"}, Record{Type: TypeText, Text: "p"}, Record{Type: TypeAssistant, Text: "w"}
	for name, c := range map[string]struct {
		last    Type // the record whose line is lost
		records []Record
		want    []Type
	}{
		"a compaction":    {TypeCompact, []Record{user, whole, {Type: TypeCompact}, user}, []Type{TypeUser, TypeAssistant, TypeUser}},
		"the later one":   {TypeCompact, []Record{user, {Type: TypeCompact}, whole, {Type: TypeCompact}, user}, []Type{TypeCompact, TypeAssistant, TypeUser}},
		"a clear":         {TypeClear, []Record{user, whole, {Type: TypeClear}, user}, []Type{TypeUser, TypeAssistant, TypeUser}},
		"the whole reply": {TypeAssistant, []Record{user, whole, user, piece, whole}, []Type{TypeUser, TypeAssistant, TypeUser, TypeText}},
	} {
		t.Run(name, func(t *testing.T) {
			s := create(t, st, "/p", c.records...)
			require.NoError(t, s.Close())
			data, err := os.ReadFile(s.Path)
			require.NoError(t, err)
			head := []byte(`{"type":"` + string(c.last) + `"`)
			at := bytes.LastIndex(data, head) + len(head)
			data[at] = 0 // a broken disk
			require.NoError(t, os.WriteFile(s.Path, data, 0o600))
			again, got, unread, err := st.Open(s.ID, "test")
			require.NoError(t, err)
			require.NoError(t, again.Close())
			require.Equal(t, append([]Type{TypeSession}, c.want...), types(got))
			require.Equal(t, 1, unread)
		})
	}
}

// BenchmarkOpen resumes a session of 10,000 records.
func BenchmarkOpen(b *testing.B) {
	st := &Store{Path: b.TempDir()}
	s := create(b, st, "/p")
	for i := range 2000 {
		id := fmt.Sprint(i)
		for _, r := range []Record{
			{Type: TypeText, Text: "four"}, {Type: TypeUsage, Usage: &Usage{Prompt: 1000, Completion: 10}},
			{Type: TypeAssistant, Text: "Let me look at the next file.", Calls: []Call{{ID: id, Name: "bash", Arguments: `{"command":"sed -n 1,20p a.go"}`}}},
			{Type: TypeToolCall, ID: id, Command: "sed -n 1,20p a.go", Timeout: 120},
			{Type: TypeToolResult, ID: id, Output: "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n}\n", Dir: "/p"},
		} {
			require.NoError(b, s.Append(r))
		}
	}
	require.NoError(b, s.Close())
	for b.Loop() {
		again, records, _, err := st.Open(s.ID, "test")
		require.NoError(b, err)
		require.Len(b, records, 4002) // and the session's own and the last call
		require.NoError(b, again.Close())
	}
}

func BenchmarkAppend(b *testing.B) {
	s := create(b, &Store{Path: b.TempDir()}, "/p")
	defer s.Close()
	for b.Loop() {
		require.NoError(b, s.Append(Record{Type: TypeText, Text: "four"}))
	}
}
