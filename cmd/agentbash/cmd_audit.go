package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/audit"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/safetext"
)

// runAudit is agentbash audit.
func runAudit(_ context.Context, a *app, words []string) int {
	f := newFlags("audit")
	asJSON, session := f.Bool("json", false, ""), f.String("session", "", "")
	last, contains := f.IntP("last", "n", 20, ""), f.String("contains", "", "")
	err := f.Parse(words)
	what := f.Arg(0)
	switch {
	case err != nil:
	case f.NArg() > 1 || what != "" && what != "show" && what != "verify":
		err = fmt.Errorf("%q is not understood: show or verify", strings.Join(f.Args(), " "))
	case what == "verify" && (f.Changed("session") || f.Changed("last")):
		err = errors.New("--session and --last are for show: the chain is verified as a whole")
	case what != "verify" && f.Changed("contains"):
		err = errors.New("--contains is for verify")
	case *last < 0:
		err = errors.New("--last: give a number of commands, or 0 for all")
	}
	if err != nil {
		return a.usageError("audit", err)
	}
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return a.reportError(err)
	}
	if what == "verify" {
		return a.auditVerify(auditDir(dirs), *contains, *asJSON)
	}
	return a.auditShow(auditDir(dirs), *session, *last, *asJSON)
}

func (a *app) auditVerify(dir, contains string, asJSON bool) int {
	rep, err := audit.Verify(dir, contains)
	if err != nil {
		return a.reportError(err)
	}
	status := exitOK
	if !rep.OK {
		status = exitFailed
	}
	if asJSON {
		writeLine(a.out, rep)
		return status
	}
	if !rep.OK {
		fmt.Fprintf(a.out, "broken: %v\n%d records before it are in order\n", rep.Broken, rep.Records)
		return status
	}
	fmt.Fprintf(a.out, "%d records in %s are in order\n", rep.Records, dir)
	if rep.Records > 0 {
		fmt.Fprintf(a.out, "last hash: %s (note it elsewhere: verify --contains HASH then shows whether the log was made anew)\n", rep.Last)
	}
	for _, note := range []struct {
		n    int64
		text string
	}{{rep.Lost, "commands have no record: there was no room for it"}, {rep.Torn, "lines torn by a crash"}, {rep.Back, "times the clock went back"}, {int64(len(rep.Open)), "commands without an outcome: they run still, or were cut off with their program"}} {
		if note.n > 0 {
			fmt.Fprintf(a.out, "%d %s\n", note.n, note.text)
		}
	}
	return status
}

// auditShow prints the last commands, each with its outcome, or their records.
func (a *app) auditShow(dir, session string, last int, asJSON bool) int {
	var kept []*shown
	open := map[int64]*shown{}
	err := audit.Records(dir, func(r *audit.Record, line []byte) error {
		if session != "" && !strings.HasPrefix(r.Session, session) {
			return nil
		}
		if r.Type == audit.TypeOutcome {
			if s := open[r.Of]; s != nil {
				s.outcome, s.lines = r, append(s.lines, string(line))
				delete(open, r.Of)
			}
			return nil
		}
		s := &shown{Record: r, lines: []string{string(line)}}
		if kept = append(kept, s); last > 0 && len(kept) > last {
			delete(open, kept[0].Seq)
			kept = kept[1:]
		}
		open[r.Seq] = s
		return nil
	})
	if err != nil {
		return a.reportError(err)
	}
	for _, s := range kept {
		if asJSON {
			io.WriteString(a.out, strings.Join(s.lines, "\n")+"\n")
		} else {
			io.WriteString(a.out, s.text())
		}
	}
	return exitOK
}

// shown is one command of the log.
type shown struct {
	*audit.Record
	outcome *audit.Record // nil: none
	lines   []string      // as they stand in the log
}

// text is a command for a person, on one line and more for why it was denied.
func (s *shown) text() string {
	if s.Type != audit.TypeIntent {
		what := s.Type
		if s.Lost > 0 {
			what += fmt.Sprintf(": %d commands without a record", s.Lost)
		}
		return fmt.Sprintf("%6d %s  (%s)\n", s.Seq, s.Time[:19], what)
	}
	how := "no outcome"
	switch {
	case s.Decision != "allow":
		how = "denied: " + s.Decision
	case s.outcome != nil && s.outcome.Canceled:
		how = "interrupted"
	case s.outcome != nil:
		how = fmt.Sprintf("exit %d, %d ms", *s.outcome.ExitCode, s.outcome.DurationMS)
	}
	command := strings.NewReplacer("\n", "\n         ", "\t", " ").Replace(safetext.Visible(s.Command))
	if s.Target != "" {
		command = "on " + safetext.Visible(s.Target) + ": " + command
	}
	if s.Host != "" {
		command += " connects to " + safetext.Visible(s.Host)
	}
	text := fmt.Sprintf("%6d %s  %-6s  %s  [%s]\n", s.Seq, strings.Replace(s.Time[:min(19, len(s.Time))], "T", " ", 1), s.Who, command, how)
	if s.Decision != "allow" {
		for _, why := range s.Reasons {
			text += "         " + safetext.Visible(why) + "\n"
		}
	}
	return text
}
