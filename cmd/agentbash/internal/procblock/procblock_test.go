package procblock

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asHider makes the test binary a program that hides its secrets, says so, and
// waits to be looked at.
const asHider = "PROCBLOCK_TEST_AS_HIDER"

func TestMain(m *testing.M) {
	if os.Getenv(asHider) == "" {
		os.Exit(m.Run())
	}
	args := strings.Join(os.Args, " ") // a copy
	err := Hide(func(name, _ string) bool { return name == "MY_TOKEN" }, "an-argument", "a-text", "x")
	os.Stdout.WriteString(strings.Join([]string{args, os.Getenv("MY_TOKEN"), os.Getenv("OTHER")}, " ") + "\n")
	if err != nil {
		os.Stdout.WriteString(err.Error())
	}
	io.Copy(io.Discard, os.Stdin)
}

func TestOthersDoNotSeeWhatIsHidden(t *testing.T) {
	cmd := exec.Command(os.Args[0], "--key", "an-argument", "--key=an-argument", "more x")
	cmd.Env = append(os.Environ(), asHider+"=1", "MY_TOKEN=tok=en", "OTHER=before a-text after", "LAST=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		require.NoError(t, cmd.Wait())
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "--key an-argument --key=an-argument more x tok=en before a-text after", "the program itself still knows them")

	read := func(name string) []string {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), name))
		require.NoError(t, err)
		return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	}
	require.Equal(t, []string{"--key", "***********", "--key=***********", "more x"}, read("cmdline")[1:])
	environ := read("environ")
	require.Subset(t, environ, []string{"MY_TOKEN=******", "OTHER=before ****** after", "LAST=1"})
	require.True(t, slices.Contains(environ, asHider+"=1"), "the rest stays")
}
