//go:build !portable

package sandbox

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// BenchmarkOpen makes a sandbox and closes it.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		s, err := Open(Spec{Write: []string{b.TempDir()}}, Read)
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
}

// BenchmarkStart starts a program and waits for its end.
func BenchmarkStart(b *testing.B) {
	s, err := Open(Spec{}, Read)
	require.NoError(b, err)
	defer s.Close()
	for b.Loop() {
		p, err := s.Start(exec.Command("/bin/true"))
		require.NoError(b, err)
		p.Wait()
		unix.Close(p.PidFD)
	}
}

// BenchmarkProfile changes the profile.
func BenchmarkProfile(b *testing.B) {
	s, err := Open(Spec{Write: []string{b.TempDir()}}, Read)
	require.NoError(b, err)
	defer s.Close()
	for n := 0; b.Loop(); n++ {
		require.NoError(b, s.SetProfile(Profile(n%2)))
	}
}
