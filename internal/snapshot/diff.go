package snapshot

import (
	"context"
	"errors"
	"fmt"
)

// Diff returns the snapshot of the session's last turn that changed files, and what
// changed since, as git shows it.
func (s *Store) Diff(ctx context.Context) (from Entry, diff string, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return from, "", err
	}
	defer unlock()
	all, err := s.read()
	if err != nil {
		return from, "", err
	}
	for _, e := range s.ofSession(all) {
		if e.Turn > 0 {
			from = e
		}
	}
	switch {
	case from.Turn == 0:
		return from, "", errors.New("no turn of this session changed a file")
	case from.Skipped != "":
		return from, "", fmt.Errorf("no snapshot was taken before turn %d: %s", from.Turn, from.Skipped)
	}
	now := s.next(all)
	if err := s.capture(ctx, &now); err != nil {
		return from, "", err
	}
	out, err := s.git(ctx, nil, "diff", "--no-color", "--no-ext-diff", from.Tree, now.Tree)
	return from, string(out), err
}
