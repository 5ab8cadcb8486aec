package transcript

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func texts(records []Record) (out []string) {
	for _, r := range records {
		if r.Text != "" {
			out = append(out, r.Text)
		}
	}
	return out
}

func say(text string) Record { return Record{Type: TypeUser, Text: text} }

func TestARewindTakesBackWhatCameAfterAPrompt(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	s := create(t, st, "/w", say("one"), Record{Type: TypeAssistant, Text: "1"}, Record{Type: TypeUser, Text: "hint two", Typed: "two"},
		Record{Type: TypeCompact, Messages: []Record{say("short")}}, say("three"), Record{Type: TypeAssistant, Text: "3"})
	points := func() (out []string) {
		list, err := st.Points(s.ID)
		require.NoError(t, err)
		for _, p := range list {
			out = append(out, p.Text)
		}
		return out
	}
	require.Equal(t, []string{"one", "two", "three"}, points())
	list, err := st.Points(s.ID)
	require.NoError(t, err)
	require.NoError(t, s.Append(Record{Type: TypeRewind, To: list[1].To}))
	require.Equal(t, []string{"one"}, points(), "also what was shortened since is whole again")
	require.NoError(t, s.Append(say("four")))
	require.NoError(t, s.Close())

	again, living, _, err := st.Open(s.ID, "test")
	require.NoError(t, err)
	require.Equal(t, []string{"one", "1", "four"}, texts(living))
	require.Equal(t, []string{"one", "four"}, points())
	require.NoError(t, again.Append(Record{Type: TypeRewind, To: list[0].To}))
	require.NoError(t, again.Close())
	_, all, err := st.Read(s.ID)
	require.NoError(t, err)
	require.Equal(t, []Type{TypeSession}, types(all))
}

func TestAForkBeginsAsTheOtherStands(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	s := create(t, st, "/w", say("one"), Record{Type: TypeAssistant, Text: "1"})
	defer s.Close()
	_, err := st.Rename(s.ID, " My\nwork ")
	require.NoError(t, err)
	id, err := st.Fork(s.ID, "later")
	require.NoError(t, err)
	require.NotEqual(t, s.ID, id)
	require.NoError(t, s.Append(say("two")))
	e, records, err := st.Read(id)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "1"}, texts(records))
	require.Equal(t, []string{id, s.ID, "/w", "later"}, []string{records[0].ID, records[0].Parent, records[0].Dir, records[0].Program})
	head, err := Head(e.Path)
	require.NoError(t, err)
	require.Equal(t, Heading{"/w", "My work"}, head)
	_, err = st.Delete(id)
	require.NoError(t, err)
	require.NoFileExists(t, titlePath(e.Path))
	left, err := os.ReadDir(st.Path)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestALongFirstPromptIsATitleToo(t *testing.T) {
	st := &Store{Path: t.TempDir()}
	for name, records := range map[string][]Record{
		"a long prompt":                    {say("do " + strings.Repeat("x", 2*headSize))},
		"a long system prompt":             {{Type: TypeSystem, Text: strings.Repeat("s", 2*headSize)}, say("do it"), say("later")},
		"a prompt that ends with the head": {say("do " + strings.Repeat("x", headSize-150)), say("later")},
	} {
		s := create(t, st, "/w", records...)
		require.NoError(t, s.Close())
		head, err := Head(s.Path)
		require.NoError(t, err, name)
		require.True(t, strings.HasPrefix(head.Title, "do "), "%s: %.20q", name, head.Title)
	}
}
