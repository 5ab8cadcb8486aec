package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/protected"
)

// TestWhatIsProtectedIsAskedAbout goes through the whole table: a command that
// writes one of its files is asked about in mode auto, wherever the file lies.
func TestWhatIsProtectedIsAskedAbout(t *testing.T) {
	w := &World{Dir: "/home/u/ws", Home: "/home/u", Roots: []string{"/home/u/ws"}, Scratch: []string{"/tmp"}}
	paths := protected.Startup("/home/u")
	for _, dir := range []string{"/home/u/ws", "/home/u/ws/deep/er", "/tmp/x"} {
		paths = append(paths, protected.InTree(dir)...)
		paths = append(paths, protected.InGitDir(dir+"/.git")...)
	}
	paths = append(paths, protected.SystemSecrets()...)
	for _, path := range append(paths, "/home/u/bin/ls", "/etc/cron.d/x", "/home/u/ws/.git/modules/a/config", "/home/u/ws/.husky/_/h") {
		for _, command := range []string{"echo x >" + path, "cp f " + path, "rm -f " + path} {
			v := judgeLine(command, w)
			require.NotEqual(t, NoDanger, v.Danger, command)
			require.NotEqual(t, Allow, Decide(AutoMode, nil, &v, w).Answer, command)
		}
	}
	for _, path := range []string{"f", ".github/CODEOWNERS", ".gitignore", ".env", ".git/index.lock", "bin/x", "/tmp/y"} {
		v := judgeLine("echo x >"+path, w)
		require.Equal(t, Allow, Decide(AutoMode, nil, &v, w).Answer, path)
	}
}
