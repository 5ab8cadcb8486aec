package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOldChangesAndTheirContentsAreDropped(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "state"))
	s.MaxChanges = 10
	for i := range 200 {
		content := fmt.Appendf(nil, "content %d", i)
		id, err := s.Add(Change{Op: "edit", Path: "/f", Before: VersionOf(content, 0o644), After: VersionOf([]byte("x"), 0o644)}, content, nil)
		require.NoError(t, err)
		require.Equal(t, i+1, id)
	}
	list, err := s.List()
	require.NoError(t, err)
	require.Less(t, len(list), 80)
	require.Equal(t, 200, list[len(list)-1].ID)
	for _, c := range list {
		b, err := s.Content(c.Before)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("content %d", c.ID-1), string(b))
	}
	objects := 0
	require.NoError(t, filepath.WalkDir(filepath.Join(s.dir, "objects"), func(_ string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			objects++
		}
		return err
	}))
	require.Equal(t, len(list), objects)
}

func TestTheSizeOfContentsIsBounded(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "state"))
	s.MaxBytes = 10_000
	for i := range 130 {
		content := make([]byte, 1000)
		content[0] = byte(i)
		_, err := s.Add(Change{Path: "/f", Before: VersionOf(content, 0)}, content, nil)
		require.NoError(t, err)
	}
	list, err := s.List()
	require.NoError(t, err)
	require.Less(t, len(list), 80)
	require.GreaterOrEqual(t, len(list), 10)
}

func TestADamagedLogAndContentAreSeen(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "state"))
	v := VersionOf([]byte("a"), 0)
	_, err := s.Add(Change{Path: "/f", Before: v}, []byte("a"), nil)
	require.NoError(t, err)
	f, err := os.OpenFile(s.log(), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"id":7,"path":"/cut o` + "\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	id, err := s.Add(Change{Path: "/g"}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, 2, id)
	require.NoError(t, os.WriteFile(s.object(v.Hash), []byte("b"), 0o600))
	_, err = s.Content(v)
	require.ErrorContains(t, err, "damaged")
	require.NoError(t, os.Remove(s.object(v.Hash)))
	_, err = s.Content(v)
	require.ErrorContains(t, err, "no longer kept")
}

func TestVoidChangesAreNotListed(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "state"))
	for range 3 {
		_, err := s.Add(Change{Path: "/f"}, nil, nil)
		require.NoError(t, err)
	}
	require.NoError(t, s.Void(2))
	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, 2)
	id, err := s.Add(Change{Path: "/f"}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, 4, id)
}
