package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecretsAreAskedAbout: to read what is on the list is asked about in every
// mode but full, however the command is put.
func TestSecretsAreAskedAbout(t *testing.T) {
	w := &World{Dir: "/ws", Home: "/home/u", Roots: []string{"/ws"}, Holds: Holds{Read: true}, Secrets: []string{"/home/u/.ssh", "/home/u/.netrc"}}
	for _, row := range []struct {
		command string
		want    Answer
	}{
		{"cat ~/.ssh/id_rsa", Ask}, {"cat /home/u/.ssh/*", Ask}, {"head -1 ../home/u/.netrc", Ask}, {"cat ~/.ss*/id", Ask},
		{"bash -c 'cat ~/.ssh/id_rsa'", Ask}, {"cd ~/.ssh && cat id_rsa", Ask}, {"cat < ~/.netrc", Ask}, {"grep -r x ~/.ssh", Ask},
		{"grep -r x ~", Allow}, // without them
		{"cat f", Allow}, {"ls ~", Allow}, {"grep -r x .", Allow}, {"cat ~/notes", Allow}, {"cat ~/.sshrc", Allow}, {"cat ~/.netrcs", Allow},
	} {
		v := judgeLine(row.command, w)
		for _, mode := range []Mode{AskMode, AutoMode} {
			require.Equal(t, row.want, Decide(mode, nil, &v, w).Answer, "%s: %s", mode, row.command)
		}
		inPlan := Decide(PlanMode, nil, &v, w)
		require.Equal(t, row.want == Allow, inPlan.Answer == Allow, row.command)
		require.NotEqual(t, Ask, inPlan.Answer, "no yes could let plan read it: %s", row.command)
		require.Equal(t, Allow, Decide(FullMode, nil, &v, w).Answer, row.command)
	}
}
