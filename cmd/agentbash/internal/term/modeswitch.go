package term

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

func modeNames() []string { return []string{"plan", "ask", "auto", "full"} }

// switchMode is /mode.
func (s *chatUI) switchMode(ctx context.Context, name string) (string, error) {
	const what = `plan: only what reads
ask:  what reads; the rest is asked about
auto: what reads or writes the project; the rest is asked about
full: everything but what is forbidden`
	switch {
	case s.Mode == nil && name == "":
		return "", errors.New("there are no modes here: whatever is sent runs")
	case name == "":
		var b strings.Builder
		for line := range strings.Lines(what + "\n") {
			mark := "  "
			if strings.HasPrefix(line, s.currentMode()+":") {
				mark = "* "
			}
			b.WriteString(mark + line)
		}
		return b.String(), nil
	case !slices.Contains(modeNames(), name):
		return "", fmt.Errorf("%q is no mode: it is plan, ask, auto or full", name)
	case s.SetMode == nil:
		return "", fmt.Errorf("the mode cannot be changed here: leave with /quit, then agentbash --mode %s", name)
	}
	if s.turning {
		s.setModeSoon(name)
	} else if err := s.SetMode(ctx, name); err != nil {
		return "", err
	}
	return "mode " + name + " from here on", nil
}

// cycleMode is Shift-Tab: the modes in turn, without full unless the session began in it.
func (s *chatUI) cycleMode() {
	if s.Mode == nil || s.SetMode == nil {
		return
	}
	order := []string{"ask", "auto", "plan"}
	if s.began == "full" {
		order = append(order, "full")
	}
	s.setModeSoon(order[(slices.Index(order, s.currentMode())+1)%len(order)])
}

// setModeSoon changes the mode without a wait: what is asked next follows it, and the
// shell when its command has ended.
func (s *chatUI) setModeSoon(name string) {
	s.wanted.Store(&name)
	s.switching.Go(func() {
		if err := s.SetMode(context.Background(), name); err != nil {
			s.screen.note(err.Error())
		}
		s.wanted.CompareAndSwap(&name, nil)
	})
}

// currentMode is the mode, or what it will be in a moment.
func (s *chatUI) currentMode() string {
	if w := s.wanted.Load(); w != nil {
		return *w
	}
	return s.Mode()
}
