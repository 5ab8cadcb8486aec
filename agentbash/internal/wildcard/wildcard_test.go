package wildcard

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// bashMatches asks bash whether a name matches a pattern without slashes.
func bashMatches(t *testing.T, pattern, name string) bool {
	cmd := exec.Command("bash", "-c", `[[ $1 == $2 ]]`, "bash", name, pattern)
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 1, exit.ExitCode())
	}
	return err == nil
}

func TestNamesAsInBash(t *testing.T) {
	names := []string{"a", "ab", "abc", "b", "a.go", "é", "日本.txt", "a]b", "[a]", "a-b", "A1", "*", "a b", `a\b`, "{a", "a,b", "+", " ", "€"}
	for _, pattern := range []string{"*", "?", "??", "a*", "*b", "a*c", "*.go", "[ab]", "[!a]", "[^a]*", "[a-c]*", "[]a]*", "[!]a]*", "a[]]b", "[[]a]",
		"[[:alpha:]]", "[[:upper:][:digit:]]*", `\*`, `a\\b`, "a[-x]b", "[a", "a[", "{a", "é", "?.txt", "??.txt", "*a*b*", "a[!-]b", "[a-]*", `[\]]`, "*[[:digit:]]", "[[:punct:]]", "[[:graph:]]",
		"[[:space:]]", "[[:alnum:]]", "[[:nope:]a]", "*?", "*??", "[^[:alpha:]]*", "[a-", "[b-a]", "[z-a]", `a\\`, "[[:alpha:", "[+--]"} {
		p := Compile(pattern)
		for _, n := range names {
			require.Equal(t, bashMatches(t, pattern, n), p.Match(n), "%q against %q", pattern, n)
		}
	}
}
