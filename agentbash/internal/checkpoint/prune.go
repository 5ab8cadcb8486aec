package checkpoint

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/timeline"
)

// pruneChanges drops the oldest changes beyond the limits, and the contents that
// nothing refers to. The lock is held.
func (s *Store) pruneChanges(list []Change) error {
	maxChanges, maxBytes := cmp.Or(s.MaxChanges, 2000), cmp.Or(s.MaxBytes, 1<<30)
	from, size := len(list), int64(0)
	needed, files := map[string]bool{}, map[string]bool{}
	for from > 0 && len(list)-from < maxChanges && (size <= maxBytes || len(needed) <= 1) {
		c := &list[from-1]
		for _, v := range []*Version{c.Before, c.After} {
			if v != nil && !c.Appended && (v == c.Before || !files[c.Path]) && !needed[v.Hash] { // what a file was after others it was before the next
				size += v.Size
				needed[v.Hash] = true
			}
		}
		files[c.Path] = true
		from--
	}
	if from > 0 {
		if err := atomicfile.Write(s.log(), timeline.Encode(list[from:])); err != nil {
			return err
		}
	}
	return s.sweepContents(needed)
}

// sweepContents removes the contents that are not needed.
func (s *Store) sweepContents(needed map[string]bool) error {
	root := filepath.Join(s.dir, "objects")
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !needed[strings.ReplaceAll(strings.TrimPrefix(p, root), "/", "")] {
			return os.Remove(p)
		}
		return nil
	})
}
