package chat

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/agentbash/agentbash/router"
)

// RouterRunner is a [Runner] that gives the commands to a router: the model sees
// a result's Output. It is used from one goroutine.
type RouterRunner struct {
	Router *router.Router // required

	// Turns is told when a turn begins: the router's guard, whose budget for a
	// turn starts then. It may be nil.
	Turns TurnBeginner

	denied error
}

// Run runs one command string.
func (r *RouterRunner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	res := r.Router.Run(ctx, command, &router.RunOptions{Timeout: timeout})
	r.denied = res.Denied
	return res.Output, res.ExitCode
}

// Refusal is why the last command was not run; nil: it was.
func (r *RouterRunner) Refusal() error { return r.denied }

// BeginTurn tells Turns.
func (r *RouterRunner) BeginTurn() {
	if r.Turns != nil {
		r.Turns.BeginTurn()
	}
}

// Dir is the shell's directory.
func (r *RouterRunner) Dir() string { return r.Router.Dir() }

// SpillTo makes an Options.Spill that keeps each text in a file of its own in
// dir, which is made with mode 0700 when it is first needed.
func SpillTo(dir string) func(string) (string, error) {
	return func(text string) (string, error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		f, err := os.CreateTemp(dir, "context-*.txt")
		if err != nil {
			return "", err
		}
		_, err = io.WriteString(f, text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return f.Name(), err
	}
}
