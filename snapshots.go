package agentbash

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/internal/snapshot"
)

// SnapshotOptions bound the snapshots of a workspace; 0 is a default.
type SnapshotOptions struct {
	Off      bool          // none are taken
	MaxFiles int           // in a workspace of more none are taken; 0: 100,000
	MaxBytes int64         // nor in one of more bytes; 0: 2 GiB
	MaxAge   time.Duration // older ones are dropped; 0: seven days
}

// openSnapshots opens what keeps the workspace.
func openSnapshots(o *Options) *snapshot.Store {
	if own := rand.Text(); !o.ToolsOnly {
		given := o.Session
		o.Session = func() string {
			if given == nil {
				return own
			}
			return cmp.Or(given(), own)
		}
	}
	home := o.Workspace.Home
	if home == "" {
		home, _ = os.UserHomeDir() // none is none that is too much
	}
	slow := func(note string) {
		if o.Warn != nil {
			o.Warn(errors.New(note))
		}
	}
	return snapshot.Open(confinement.Repository(o.Dir), filepath.Join(o.StateDir, "snapshots"), &snapshot.Options{
		Session: o.Session, Home: home, Environ: o.Confinement.Environ, Slow: slow,
		MaxFiles: o.Snapshots.MaxFiles, MaxBytes: o.Snapshots.MaxBytes, MaxAge: o.Snapshots.MaxAge,
	})
}

// takeSnapshot keeps the workspace as a turn finds it. Why it is not to be kept is told by
// undo --turn; that the state directory fails is told here, once.
func (b *Bash) takeSnapshot(ctx context.Context, warn func(error)) {
	if _, err := b.snapshots.Take(ctx); err != nil && ctx.Err() == nil && warn != nil && !b.warned.Swap(true) {
		warn(fmt.Errorf("undo --turn cannot take back what is changed here: %w", err))
	}
}
