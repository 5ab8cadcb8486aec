//go:build !linux || portable

package session

import (
	"os"
	"path/filepath"
)

// abortSignal is SIGINFO of macOS, which does nothing to who has no trap on it, and SIGIO of Linux.
// There are no real-time signals.
const abortSignal = 29

// limitLine is empty: only the environment marks processes.
func (m processMark) limitLine() string { return "" }

func (m processMark) setLimit(int) {}

// cwdOf is the directory that the shell says it is in, $PWD: nobody else is asked.
func cwdOf(_ int, said string, _ []byte) (name []byte, deleted bool) {
	if !filepath.IsAbs(said) {
		return nil, false
	}
	st, err := os.Stat(said)
	return []byte(said), err != nil || !st.IsDir()
}
