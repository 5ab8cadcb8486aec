package term

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistoryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "h.jsonl")
	none, err := loadHistory(path)
	require.NoError(t, err)
	require.Empty(t, none)
	for _, text := range []string{"one", "two\nlines", "two\nlines", "\u4f60 \"x\""} {
		require.NoError(t, saveHistory(path, text))
	}
	st, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("\"torn")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	got, err := loadHistory(path)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "two\nlines", "\u4f60 \"x\""}, got)
}

func TestHistoryReadsOnlyTheEndOfALongFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.jsonl")
	line := "\"" + strings.Repeat("x", 5000)
	var b strings.Builder
	for i := range 500 {
		b.WriteString(line + string(rune('a'+i%26)) + "\"\n")
	}
	require.NoError(t, os.WriteFile(path, []byte(b.String()+"\"last\"\n"), 0o600))
	got, err := loadHistory(path)
	require.NoError(t, err)
	require.Equal(t, "last", got[len(got)-1])
	require.Less(t, len(got), 250)
	require.Len(t, got[0], 5001, "the line that the reading began in is left out")
}
