package term

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agentbash/agentbash/agentbash/todo"
)

// Status is where the person is: what the status line shows.
type Status struct {
	Mode, Model  string
	Dir, Branch  string
	Used, Window int // tokens of the conversation, and of the model's window; 0: not known
	Cost         float64
	Background   int // shells
	Queued       int // prompts
	Done, Steps  int // of the list of steps
	Vim          string
}

// text is the program's own status line. home is what ~ stands for.
func (s *Status) text(home string) string {
	dir := ShortPath(s.Dir, home)
	if s.Branch != "" {
		dir += " (" + s.Branch + ")"
	}
	parts := []string{s.Mode}
	add := func(when bool, format string, values ...any) {
		if when {
			parts = append(parts, fmt.Sprintf(format, values...))
		}
	}
	add(s.Vim != "", "%s", s.Vim)
	add(s.Model != "", "%s", s.Model)
	add(s.Window > 0, "%d%% context left", max(0, 100-100*s.Used/max(s.Window, 1)))
	add(s.Cost > 0, "$%.2f", s.Cost)
	add(s.Steps > 0, "%d/%d steps", s.Done, s.Steps)
	add(s.Background > 0, "%s", CountNoun(s.Background, "background shell"))
	add(s.Queued > 0, "%d queued", s.Queued)
	add(dir != "", "%s", dir)
	return safeLine(strings.Join(parts, " \u00b7 "))
}

// ShortPath is a path with ~ for the home directory.
func ShortPath(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home); ok && len(home) > 1 && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

// statusTime is the least time between two runs of the person's own command.
const statusTime = 300 * time.Millisecond

// statusRowsMost bounds what such a command shows.
const statusRowsMost = 3

// statusLine is what stands below the prompt. It belongs to the screen's lock.
type statusLine struct {
	now     Status
	shown   []string
	said    []string  // by the person's own command
	asked   Status    // what it was asked about
	askedAt time.Time // the last time; zero: never
	running bool
}

// refreshStatus looks where the person is.
func (s *chatUI) refreshStatus(ctx context.Context) {
	if s.Mode == nil || !s.screen.canLive {
		return
	}
	st := Status{Mode: s.currentMode(), Model: s.Info.Model, Dir: s.dir(), Queued: len(s.in.queue), Vim: s.in.edit.vim.state()}
	if s.Branch != nil {
		st.Branch = s.Branch()
	}
	if s.Background != nil {
		st.Background = s.Background()
	}
	if s.Todo != nil {
		items := s.Todo()
		if st.Done, st.Steps = todo.Progress(items), len(items); st.Done == st.Steps {
			st.Done, st.Steps = 0, 0
		}
	}
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	l := &s.screen.status
	st.Used, st.Window, st.Cost = s.screen.used, s.screen.window, s.screen.total.Cost
	if l.now = st; s.StatusLine == nil {
		l.shown = []string{st.text(s.Home)}
		return
	}
	l.shown = l.said
	switch wait := statusTime - time.Since(l.askedAt); {
	case l.running || l.asked == st && !l.askedAt.IsZero():
		return
	case wait > 0:
		time.AfterFunc(wait, s.in.pokeRepaint)
		return
	}
	l.running, l.asked, l.askedAt = true, st, time.Now()
	go s.askStatusCommand(ctx, st)
}

// askStatusCommand has the person's own command make the status line.
func (s *chatUI) askStatusCommand(ctx context.Context, st Status) {
	text, err := s.StatusLine(ctx, st)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if err != nil {
		lines = []string{"statusLine: " + err.Error()}
	}
	for i := range lines {
		lines[i] = safeLine(lines[i])
	}
	s.screen.mu.Lock()
	l := &s.screen.status
	l.running, l.said = false, lines[:min(len(lines), statusRowsMost)]
	l.shown = l.said
	s.screen.mu.Unlock()
	s.in.pokeRepaint()
}

// statusRows are the rows below the prompt, for who holds the screen's lock.
func (s *screen) statusRows(width, height int) (rows []string) {
	if height < 6 {
		return nil
	}
	for _, line := range s.status.shown {
		if line == "" {
			continue
		}
		line = "  " + clipColumns(line, width-2)
		if rest, own := strings.CutPrefix(line, "  "+s.status.now.Mode+" "); own {
			rows = append(rows, s.look.paint("  "+s.status.now.Mode, modeStyle(s.status.now.Mode))+s.look.paint(" "+rest, dim))
			continue
		}
		rows = append(rows, s.look.paint(line, dim))
	}
	return rows
}

func modeStyle(mode string) style {
	return map[string]style{"plan": cyan, "auto": green, "full": red}[mode] | bold
}

// footer is what stands below the prompt: what may be chosen, or where one is.
func (s *chatUI) footer(width, height int) []string {
	if rows := s.in.edit.menuRows(s.screen.look, width); len(rows) > 0 {
		return rows
	}
	if s.StatusLine != nil || s.screen.status.now.Vim != s.in.edit.vim.state() {
		s.refreshStatus(context.Background())
	}
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	return s.screen.statusRows(width, height)
}
