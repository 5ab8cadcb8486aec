package term

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/chat"
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
			if strings.HasPrefix(line, s.Mode()+":") {
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
	if err := s.SetMode(ctx, name); err != nil {
		return "", err
	}
	return "mode " + name + " from here on", nil
}

// resumeSession is /resume.
func (s *chatUI) resumeSession(ctx context.Context, id string) (string, error) {
	if s.Resume == nil {
		return "", errors.New("sessions are not recorded here, so none can go on")
	}
	c, about, err := s.Resume(ctx, id)
	if c != nil {
		c.OnEvent(s.showEvent)
		s.Conversation, s.aside = c, nil
		if s.Mode != nil {
			s.prompted, s.told = s.Mode(), s.Mode()
		}
		s.screen.mu.Lock()
		s.screen.usage, s.screen.total = chat.Usage{}, chat.Usage{}
		s.screen.mu.Unlock()
	}
	return about, err
}
