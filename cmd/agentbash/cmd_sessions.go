package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/spf13/pflag"
)

// sessionFlags are those of agentbash sessions.
type sessionFlags struct {
	*pflag.FlagSet
	all, json, markdown, script *bool
	output, format              *string
}

// runSessions is agentbash sessions.
func runSessions(_ context.Context, a *app, words []string) int {
	defer showSafely(&a.out)()
	f := sessionFlags{FlagSet: newFlags("sessions")}
	f.all, f.json = f.Bool("all", false, ""), f.Bool("json", false, "")
	f.markdown, f.script = f.Bool("markdown", false, ""), f.Bool("bash", false, "")
	f.output, f.format = f.StringP("output", "o", "", ""), f.String("format", "", "")
	if err := f.Parse(words); err != nil {
		return a.usageError("sessions", err)
	}
	st, err := a.transcriptStore()
	if err != nil {
		return a.reportError(err)
	}
	args := f.Args()
	if len(args) == 0 {
		args = []string{"list"}
	}
	switch verb, rest := args[0], args[1:]; {
	case verb == "list" && len(rest) == 0:
		return a.listSessions(st, *f.all, *f.json)
	case verb == "list":
		return a.usageError("sessions", errors.New("list takes no ID: sessions show ID shows one"))
	case verb != "show" && verb != "delete" && verb != "export":
		return a.usageError("sessions", fmt.Errorf("%q: it is list, show, delete or export", verb))
	case len(rest) == 0:
		return a.usageError("sessions", fmt.Errorf("%s takes the ID of a session: sessions list shows them", verb))
	case verb == "delete":
		return a.deleteSessions(st, rest)
	case len(rest) > 1:
		return a.usageError("sessions", fmt.Errorf("%s takes one ID", verb))
	default:
		return a.exportSession(st, rest[0], verb == "show", f)
	}
}

// sessionLine is a session in sessions list --json.
type sessionLine struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Dir      string    `json:"dir"`
	Modified time.Time `json:"modified"`
	Size     int64     `json:"size"`
	Path     string    `json:"path"`
}

func (a *app) listSessions(st *transcript.Store, all, asJSON bool) int {
	dir := ""
	if !all {
		var err error
		if dir, err = workDir(""); err != nil {
			return a.reportError(err)
		}
	}
	entries, err := st.List(dir)
	if err != nil {
		return a.reportError(err)
	}
	out := []sessionLine{}
	for _, e := range entries {
		head, err := transcript.Head(e.Path)
		if err != nil {
			fmt.Fprintf(a.err, "agentbash: %v\n", err)
			continue
		}
		out = append(out, sessionLine{e.ID, head.Title, head.Dir, e.Modified.UTC(), e.Size, e.Path})
	}
	if asJSON {
		writeLine(a.out, out)
		return exitOK
	}
	for _, l := range out {
		fmt.Fprintf(a.out, "%s  %s  %s", l.ID, l.Modified.Local().Format("2006-01-02 15:04"), oneLineOf(l.Title, 80))
		if all {
			fmt.Fprintf(a.out, "  (%s)", l.Dir)
		}
		fmt.Fprintln(a.out)
	}
	if len(out) == 0 && !all {
		fmt.Fprintln(a.err, "agentbash: no sessions in this directory yet: sessions list --all shows those of others")
	}
	return exitOK
}

// oneLineOf makes a title safe to print.
func oneLineOf(s string, n int) string {
	line := []rune(strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(safetext.Clean(s)))
	if len(line) <= n {
		return string(line)
	}
	return string(line[:n]) + "..."
}

func (a *app) deleteSessions(st *transcript.Store, ids []string) int {
	status := exitOK
	for _, id := range ids {
		e, err := st.Delete(id)
		if err != nil {
			status = a.reportError(err)
			continue
		}
		fmt.Fprintf(a.out, "deleted %s\n", e.ID)
	}
	return status
}

// exportSession writes one session to stdout or to a file; show is markdown.
func (a *app) exportSession(st *transcript.Store, id string, show bool, f sessionFlags) int {
	chosen := []string{}
	for name, on := range map[string]bool{*f.format: *f.format != "", "json": *f.json, "markdown": *f.markdown, "bash": *f.script} {
		if on {
			chosen = append(chosen, name)
		}
	}
	form := strings.Join(append(chosen, "markdown")[:max(1, len(chosen))], " and ")
	switch write := sessionForm(form); {
	case len(chosen) > 1:
		return a.usageError("sessions", fmt.Errorf("%s are several forms: give one", form))
	case write == nil:
		return a.usageError("sessions", fmt.Errorf("--format %q: it is markdown, json, bash or atif", form))
	case show && (form == "bash" || form == "atif"):
		return a.usageError("sessions", fmt.Errorf("--%s is a form of export: sessions export ID --format %s", form, form))
	}
	_, records, err := st.Read(id)
	if err != nil {
		return a.reportError(err)
	}
	if *f.output == "" || *f.output == "-" {
		err = sessionForm(form)(a.out, records)
	} else {
		err = exportFile(*f.output, form, records)
	}
	if err != nil {
		return a.reportError(err)
	}
	return exitOK
}

// sessionForm writes a session in a form, or that of a file with an ending; nil: there is none.
func sessionForm(form string) func(io.Writer, []transcript.Record) error {
	return map[string]func(io.Writer, []transcript.Record) error{
		"md": transcript.WriteMarkdown, "markdown": transcript.WriteMarkdown, "json": transcript.WriteJSON,
		"sh": transcript.WriteScript, "bash": transcript.WriteScript, "atif": transcript.WriteATIF}[form]
}

// exportFile writes a session to a file that is not there yet.
func exportFile(path, form string, records []transcript.Record) error {
	mode := os.FileMode(0o600)
	if form == "sh" || form == "bash" {
		mode = 0o700
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fmt.Errorf("%w: name a file that is not there yet", err)
	}
	return errors.Join(sessionForm(form)(f, records), f.Close())
}
