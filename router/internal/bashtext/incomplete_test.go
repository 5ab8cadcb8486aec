package bashtext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIncomplete(t *testing.T) {
	for text, want := range map[string]bool{
		"ls": false, "echo 'a": true, "echo 'a'": false, "for i in 1 2; do": true, "for i in 1; do echo; done": false,
		"cat <<EOF\na": true, "cat <<EOF\na\nEOF": false, `echo a \`: true, `echo a \\`: false, "echo )": false, "echo $(": true, "a |": true, "a &&": true, "": false,
	} {
		require.Equal(t, want, Incomplete(text), "%q", text)
	}
}
