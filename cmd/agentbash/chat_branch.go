package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/internal/snapshot"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
)

// resumeSession is /resume: another session goes on, in the same shell. The one that ran
// stays what it was if that fails.
func (t *chatCommands) resumeSession(ctx context.Context, id string) (term.Change, error) {
	st, err := t.a.transcriptStore()
	if err == nil && id == "" {
		id, err = t.chooseSession(ctx, st)
	}
	if err != nil {
		return term.Change{}, err
	}
	if e, err := st.Find(id); err == nil && e.ID == t.transcript.id() {
		return term.Change{}, errors.New("that is this session: /sessions lists the others")
	}
	if t.fork {
		if id, err = st.Fork(id, moduleVersion()); err != nil {
			return term.Change{}, err
		}
	}
	change, err := t.openSession(st, id, "")
	if err == nil {
		t.fork = false
		change.About += t.enterDirectory(ctx, change.Records)
	}
	return change, err
}

// chooseSession has the person choose one of this project's sessions.
func (t *chatCommands) chooseSession(ctx context.Context, st *transcript.Store) (string, error) {
	entries, err := st.List(t.b.projectDir())
	if err != nil {
		return "", err
	}
	var items []term.Item
	for _, e := range entries {
		if e.ID == t.transcript.id() {
			continue
		}
		head, err := transcript.Head(e.Path)
		if err != nil {
			continue // a file that was broken must not hide the others
		}
		items = append(items, term.Item{Key: e.ID, Text: oneLineOf(head.Title, 200), About: fmt.Sprintf("%s %12s", e.ID, formatAge(time.Since(e.Modified)))})
	}
	if len(items) == 0 {
		return "", errors.New("there is no other session of this project: /resume ID takes one of another, agentbash sessions list --all shows them")
	}
	reply, err := t.b.asker.Ask(ctx, &term.Question{Title: "Which session goes on?", Items: items})
	return reply.Key, err
}

// openSession makes the session with an ID the one that goes on. told is what the model is told
// of that; "" is that the shell is a new one.
func (t *chatCommands) openSession(st *transcript.Store, id, told string) (term.Change, error) {
	old := t.transcript.writer
	if e, err := st.Find(id); err == nil && old != nil && e.ID == old.ID { // its lock is ours
		if err := old.Close(); err != nil {
			return term.Change{}, err
		}
		old = nil
	}
	s, records, unread, err := st.Open(id, moduleVersion())
	if err != nil {
		return term.Change{}, err
	}
	t.transcript.goOnWith(s)
	model := t.conv.Model()
	opts := *t.opts
	opts.System = t.a.systemText(t.b)
	opts.SetModel(model)
	opts.Journal, opts.History, opts.Resumed = t.b.telemetry.Journal(t.transcript, model.Name), records, told
	t.conv = chat.New(&opts)
	if old != nil {
		err = old.Close()
	}
	change := term.Change{Conversation: t.conv, Records: records, About: fmt.Sprintf("session %s goes on\n", s.ID)}
	if unread > 0 {
		change.About += fmt.Sprintf("%d lines of the session could not be read and are left out\n", unread)
	}
	return change, err
}

// enterDirectory goes where a session that goes on has been, and says so.
func (t *chatCommands) enterDirectory(ctx context.Context, records []transcript.Record) string {
	var at chatFlags
	(&chatTranscript{records: records}).chooseDir(&at)
	if at.dir == "" || at.dir == t.b.Router().Dir() {
		return ""
	}
	res := t.b.Router().Run(ctx, "cd -- "+quote.Word(at.dir), &router.RunOptions{})
	if res.ExitCode != 0 {
		return "its directory could not be entered: " + strings.TrimSpace(res.Output) + "\n"
	}
	return "the shell is in " + at.dir + "\n"
}

// recorded is the store, and an error where this session has nothing in it.
func (t *chatCommands) recorded() (*transcript.Store, error) {
	switch {
	case t.c.noSession:
		return nil, errors.New("nothing is recorded with --no-session: start without it")
	case t.transcript.id() == "":
		return nil, errors.New("nothing was said yet")
	}
	return t.a.transcriptStore()
}

// renameSession is /rename.
func (t *chatCommands) renameSession(_ context.Context, title string) (string, error) {
	st, err := t.recorded()
	if err != nil {
		return "", err
	}
	if title == "" {
		return "", errors.New("/rename TITLE: which title?")
	}
	_, err = st.Rename(t.transcript.id(), title)
	return "the session is called " + oneLineOf(title, 200), err
}

// forkSession is /fork.
func (t *chatCommands) forkSession(context.Context, string) (term.Change, error) {
	st, err := t.recorded()
	if err != nil {
		return term.Change{}, err
	}
	old := t.transcript.id()
	id, err := st.Fork(old, moduleVersion())
	if err != nil {
		return term.Change{}, err
	}
	change, err := t.openSession(st, id, "the user goes on in a copy of this session, in the same shell")
	change.Records, change.About = nil, fmt.Sprintf("session %s goes on from here; %s stays as it is\n", id, old)
	return change, err
}

// rewind is /rewind: the conversation, the files or both become what they were before a prompt.
func (t *chatCommands) rewind(ctx context.Context, _ string) (term.Change, error) {
	st, err := t.recorded()
	if err != nil {
		return term.Change{}, err
	}
	points, err := st.Points(t.transcript.id())
	if err != nil {
		return term.Change{}, err
	}
	if len(points) == 0 {
		return term.Change{}, errors.New("there is no prompt to go back to")
	}
	var items []term.Item
	for i, p := range slices.Backward(points) {
		items = append(items, term.Item{Key: strconv.Itoa(i), Text: oneLineOf(p.Text, 200), About: fmt.Sprintf("%12s", formatAge(time.Since(p.Time)))})
	}
	reply, err := t.b.asker.Ask(ctx, &term.Question{Title: "Back to before which prompt?", Items: items})
	if err != nil {
		return term.Change{}, err
	}
	n, err := strconv.Atoi(reply.Key)
	if err != nil {
		return term.Change{}, err
	}
	point := points[n]
	turn, files, err := t.changedSince(ctx, point.Time)
	if err != nil {
		return term.Change{}, err
	}
	return t.goBack(ctx, st, point, turn, files)
}

// goBack asks what goes back to before a prompt, and does it. files is what undo would do with the
// files since turn.
func (t *chatCommands) goBack(ctx context.Context, st *transcript.Store, point transcript.Point, turn int, files string) (term.Change, error) {
	q := &term.Question{Title: "What goes back?", Text: files, Choices: []term.Choice{{Key: "c", Label: "the conversation"}}}
	if turn > 0 {
		q.Choices = append([]term.Choice{{Key: "b", Label: "both"}}, append(q.Choices, term.Choice{Key: "f", Label: "the files"})...)
	}
	reply, err := t.b.asker.Ask(ctx, q)
	if err != nil {
		return term.Change{}, err
	}
	told, done := "files are as they are, also those that were changed after this point", ""
	if reply.Key != "c" {
		if done, err = t.undoTurns(ctx, turn, false); err != nil {
			return term.Change{}, err
		}
		told = "the files that were changed after this point are taken back too:\n" + done
	}
	if reply.Key == "f" {
		return term.Change{About: done, Aside: fmt.Sprintf("$ undo --turn=%d # files as they were before my prompt %q\n%s", turn, oneLineOf(point.Text, 100), done)}, nil
	}
	if err := t.transcript.writer.Append(transcript.Record{Type: transcript.TypeRewind, To: point.To}); err != nil {
		return term.Change{}, err
	}
	change, err := t.openSession(st, t.transcript.id(), "the user took the conversation back to here, and what came after it is gone; the shell is the same, and "+told)
	change.About, change.Draft, change.Records = done+"the conversation is back before that prompt, which can be edited and sent again\n", point.Text, nil
	return change, err
}

// changedSince is the first turn since a time that changed files, and what taking it back would do;
// 0: nothing can be taken back, and why.
func (t *chatCommands) changedSince(ctx context.Context, since time.Time) (turn int, what string, err error) {
	list, err := t.snapshots().List()
	if err != nil {
		return 0, "", err
	}
	for _, e := range list {
		if e.Turn == 0 || e.Time.Before(since) {
			continue
		}
		what, err := t.undoTurns(ctx, e.Turn, true)
		if err != nil {
			return 0, err.Error(), nil
		}
		return e.Turn, what, nil
	}
	return 0, "no file was changed in this session since that can be taken back", nil
}

// snapshots are those of the session.
func (t *chatCommands) snapshots() *snapshot.Store {
	o := &snapshot.Options{Session: t.transcript.id, Environ: t.a.environ}
	if t.transcript.id() == "" { // there is no model, or nothing is recorded
		o.Session = nil
	}
	return snapshot.Open(t.root, filepath.Join(t.b.cfg.Dirs.State, "snapshots"), o)
}

// undoTurns takes the files back to before a turn, or says what that would do.
func (t *chatCommands) undoTurns(ctx context.Context, turn int, dry bool) (string, error) {
	command := fmt.Sprintf("undo --turn=%d", turn)
	if dry {
		command += " --dry_run"
	}
	res := t.b.Router().Run(guard.Said(ctx), command, nil)
	if res.ExitCode != 0 {
		return "", errors.New(strings.TrimSpace(res.Stderr))
	}
	return res.Stdout + res.Stderr, nil
}

// showDiff is /diff.
func (t *chatCommands) showDiff(ctx context.Context, args string) (string, error) {
	if args == "turn" {
		return t.showTurnDiff(ctx)
	}
	paths := ":/"
	if args != "" {
		paths = quote.Word(args)
	}
	if _, status := t.runner.Run(ctx, "git rev-parse --is-inside-work-tree", chat.DefaultTimeout); status != 0 {
		out, err := t.showTurnDiff(ctx)
		return "this is no git repository, so this is what the last turn changed:\n" + out, err
	}
	// Files that git does not know are shown as made; a repository without a commit as made as a whole.
	out, _ := t.runner.Run(ctx, `git --no-pager diff --no-color "$(git rev-parse -q --verify HEAD || git hash-object -t tree /dev/null)" -- `+paths+`
git ls-files -z --others --exclude-standard -- `+paths+` | head -z -n 100 | xargs -0 -r -n 1 git --no-pager diff --no-color --no-index -- /dev/null; true`, chat.DefaultTimeout)
	if strings.TrimSpace(out) == "(no output)" {
		return "nothing has changed since the last commit; /diff turn shows what the last turn changed", nil
	}
	return out, nil
}

// showTurnDiff is what was changed since the last turn that changed files began.
func (t *chatCommands) showTurnDiff(ctx context.Context) (string, error) {
	e, out, err := t.snapshots().Diff(ctx)
	if err != nil {
		return "", err
	}
	if out == "" {
		return fmt.Sprintf("nothing differs from what it was before turn %d", e.Turn), nil
	}
	return out, nil
}
