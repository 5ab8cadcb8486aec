package shells

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
)

// giveState has a shell read Options.State before its command, as its BASH_ENV: so lines keep their
// numbers, and aliases are known to the first. What was BASH_ENV before is read after it, and stays that.
func (s *Shells) giveState(ctx context.Context, j *job, cmd *exec.Cmd) error {
	if s.opts.State == nil {
		return nil
	}
	text := bytes.Clone(s.opts.State(ctx))
	if len(text) == 0 {
		return nil
	}
	last := `\unset -v BASH_ENV`
	for _, e := range cmd.Env {
		if file, ok := strings.CutPrefix(e, "BASH_ENV="); ok {
			last = `\export BASH_ENV=` + quote.Word(file) + `; [[ -r $BASH_ENV ]] && \. "$BASH_ENV"`
		}
	}
	path := j.statePath()
	if err := os.WriteFile(path, append(append(text, last...), '\n'), 0o600); err != nil {
		return fmt.Errorf("file for the state of a background shell: %w", err)
	}
	cmd.Env = append(cmd.Env, "BASH_ENV="+path)
	return nil
}

// statePath is where the state is that a shell reads at its start.
func (j *job) statePath() string { return strings.TrimSuffix(j.log.path, ".log") + ".state" }
