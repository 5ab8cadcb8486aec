package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/internal/secrettext"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// chatCommands is a chat that runs, as its slash commands see it.
type chatCommands struct {
	*openedChat
	opts      *chat.Options // nil: the person is in the model's place
	conv      *chat.Conversation
	fork      bool        // the session that is chosen first goes on in a copy
	runner    chat.Runner // of what the person wants
	root      string      // of the workspace
	connected bool        // a model was chosen: the chat begins anew
	effort    string      // of each model, as /effort said; "": as it is configured
}

// slashCommands are the slash commands that show what only the program knows.
func (t *chatCommands) slashCommands() []term.Command {
	list := []term.Command{
		{Name: "tools", Args: "[WORDS]", Help: "lists the agent commands and servers, or those that match", Run: t.b.slashTools},
		{Name: "jobs", AtOnce: true, Args: "[ID | kill ID]", Help: "lists the background shells and other agents, shows the end of what one wrote or did, or ends it", Run: t.b.slashJobs},
		{Name: "on", Args: "[TARGET | local]", Help: "shows where commands run, or has them run there: a name of \"targets\", ssh:HOST, docker:NAME", Run: t.b.slashOn, Complete: t.b.targets.Names, Tell: true},
		{Name: "diff", Args: "[FILE | turn]", Help: "shows what has changed since the last commit, or in the last turn", Run: t.showDiff},
		{Name: "config", Help: "shows what is in force, and where it is said", Run: t.b.slashConfig},
		{Name: "permissions", Args: "[add RULE | remove N]", Help: "lists the rules and where they come from, adds one or takes one away", Run: t.b.slashPermissions},
	}
	list = append(list, t.b.fieldCommands()...)
	if t.conv == nil {
		return append(list, term.Command{Name: "connect", Help: "asks for a provider and a model, tries them, and goes on with them", Run: t.connect})
	}
	return append(list,
		term.Command{Name: "model", Args: "[NAME]", Help: "shows which models there are, or has another one go on", Run: t.switchModel, Complete: t.modelNames},
		term.Command{Name: "effort", Args: "[LEVEL]", Help: "shows or sets how much the model thinks before it answers", Run: t.setEffort, Complete: chat.Efforts},
		term.Command{Name: "sessions", Args: "[ID]", Help: "lists the sessions of this project, to search and to go on with", Change: t.resumeSession},
		term.Command{Name: "resume", Args: "[ID]", Help: "has another session go on here: that with the ID, or one from a list", Change: t.resumeSession},
		term.Command{Name: "fork", Help: "goes on in a copy of this session", Change: t.forkSession},
		term.Command{Name: "rewind", Help: "takes the conversation, the files or both back to before a prompt (Esc Esc)", Change: t.rewind},
		term.Command{Name: "rename", Args: "TITLE", Help: "gives the session a title", Run: t.renameSession},
		term.Command{Name: "export", Args: "[md|json|sh] [FILE]", Help: "writes the session to a file: to read, as data, or as a script that runs its commands again",
			Run: t.exportSession, Complete: func() []string { return []string{"md", "json", "sh"} }})
}

// slashJobs is /jobs.
func (b *configuredBash) slashJobs(ctx context.Context, words string) (string, error) {
	shells := b.Shells()
	var here router.Result
	if strings.TrimSpace(words) == "" && !term.DuringTurn(ctx) { // then the shell is busy
		here = b.Router().Run(guard.Said(ctx), "jobs -l", nil) // and a target says which shells it has
	}
	word, id, _ := strings.Cut(strings.TrimSpace(words), " ")
	id = strings.TrimSpace(id)
	switch {
	case word == "kill" && strings.HasPrefix(id, "a"):
		return b.Agents().Stop(id)
	case b.on != nil && word == "kill" && id != "":
		return b.Router().Run(guard.Said(ctx), "bash_kill "+quote.Word(id), nil).Output, nil
	case strings.HasPrefix(word, "a"):
		return b.Agents().Show(word)
	case b.on != nil && word != "" && word != "kill":
		return b.Router().Run(guard.Said(ctx), "bash_output "+quote.Word(word), nil).Output, nil
	case word == "kill" && id != "":
		return shells.End(id)
	case word == "kill":
		return "", errors.New("/jobs kill: which one? /jobs kill ID, and /jobs lists them")
	case word != "":
		return shells.Show(word)
	}
	var list strings.Builder
	for _, j := range b.jobs() {
		list.WriteString(j.Line() + "\n")
	}
	for _, line := range b.Agents().Lines() {
		list.WriteString(line + "\n")
	}
	if list.Len() > 0 {
		list.WriteString("\n/jobs ID shows one, /jobs kill ID ends it\n")
	}
	if here.Stdout != "" {
		list.WriteString("\nin the shell itself:\n" + here.Stdout)
	}
	return cmp.Or(list.String(), "nothing runs in the background"), nil
}

// switchModel is /model.
func (t *chatCommands) switchModel(ctx context.Context, name string) (string, error) {
	now := t.conv.Model()
	if name == "" {
		var b strings.Builder
		for _, m := range t.modelNames() {
			mark := "  "
			if m == now.Name {
				mark = "* "
			}
			b.WriteString(mark + m + "\n")
		}
		fmt.Fprintf(&b, "\n%s at %s answers. Another: /model NAME at the same server, /model PROVIDER or PROVIDER:NAME at another.\n", now.Name, secrettext.Shown(now.BaseURL))
		return b.String(), nil
	}
	next, err := t.a.findModel(ctx, t.b, now, name)
	if err != nil {
		return "", err
	}
	next.Effort = cmp.Or(t.effort, next.Effort)
	if err := t.conv.SetModel(next); err != nil {
		return "", err
	}
	next = t.conv.Model()
	t.b.agents.setModel(next)
	return fmt.Sprintf("%s at %s answers from here on%s", next.Name, secrettext.Shown(next.BaseURL), t.rememberModel(now, next)), nil
}

// setEffort is /effort.
func (t *chatCommands) setEffort(_ context.Context, effort string) (string, error) {
	now := cmp.Or(t.conv.Model().Effort, "the server's own")
	if effort = strings.TrimSpace(effort); effort == "" {
		return fmt.Sprintf("effort: %s. /effort %s; which of them a model knows is its server's to say\n", now, strings.Join(chat.Efforts(), ", ")), nil
	}
	if err := checkEffort(effort); err != nil {
		return "", err
	}
	t.conv.SetEffort(effort)
	t.effort = effort
	t.b.agents.setModel(t.conv.Model())
	return "effort: " + effort + ", from the next request on", nil
}

// checkEffort wants a level that there is.
func checkEffort(effort string) error {
	if effort != "" && !slices.Contains(chat.Efforts(), effort) {
		return fmt.Errorf("effort %q: it is %s", effort, strings.Join(chat.Efforts(), ", "))
	}
	return nil
}

// modelNames are those that can be named: the present one, the configured ones, and
// the providers that have a key or need none.
func (t *chatCommands) modelNames() []string {
	names := []string{t.conv.Model().Name, t.b.cfg.Model}
	for name := range t.b.cfg.Models {
		names = append(names, name)
	}
	for _, p := range config.Providers() {
		if t.a.providerKey(p) != "" {
			names = append(names, p.Name)
			if p.Model != "" {
				names = append(names, p.Name+":"+p.Model)
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
}

// setMode is /mode.
func (b *configuredBash) setMode(ctx context.Context, mode string) error {
	if err := checkMode(mode); err != nil {
		return err
	}
	missing, err := b.SetMode(ctx, policy.Mode(mode))
	for _, m := range missing {
		b.asker.Tell("agentbash: " + m)
	}
	return err
}

// formatAge is an age in words.
func formatAge(d time.Duration) string {
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / u.size); n > 1 {
			return fmt.Sprintf("%d %ss ago", n, u.name)
		} else if n == 1 {
			return "1 " + u.name + " ago"
		}
	}
	return "just now"
}

// exportSession is /export.
func (t *chatCommands) exportSession(_ context.Context, args string) (string, error) {
	st, err := t.recorded()
	if err != nil {
		return "", err
	}
	form, named, err := exportForm(args)
	if err != nil {
		return "", err
	}
	base := filepath.Join(t.b.projectDir(), "agentbash-"+t.transcript.id())
	file := cmp.Or(named, base+"."+form)
	if !filepath.IsAbs(file) {
		file = filepath.Join(t.b.projectDir(), file)
	}
	_, records, err := st.Read(t.transcript.id())
	if err != nil {
		return "", err
	}
	err = exportFile(file, form, records)
	for n := 2; named == "" && errors.Is(err, os.ErrExist); n++ {
		file = fmt.Sprintf("%s-%d.%s", base, n, form)
		err = exportFile(file, form, records)
	}
	return "written: " + file, err
}

// exportForm reads [md|json|sh] [FILE]; a file's ending says the form too.
func exportForm(args string) (form, file string, err error) {
	first, rest, _ := strings.Cut(args, " ")
	if sessionForm(first) != nil {
		return first, strings.TrimSpace(rest), nil
	}
	if form = strings.TrimPrefix(filepath.Ext(args), "."); args == "" || sessionForm(form) != nil {
		return cmp.Or(form, "md"), args, nil
	}
	return "", "", fmt.Errorf("%q: /export md, json or sh, and a file if you like", args)
}
