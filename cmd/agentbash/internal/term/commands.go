package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/quote"
)

// Command is a slash command.
type Command struct {
	Name string // without its slash
	Args string // for the help: "[NAME]"; "" takes none
	Help string // a line

	// Run does it, with what stands after the name, and returns what to show. It
	// is called between turns; ctx ends at Esc.
	Run func(ctx context.Context, args string) (string, error)

	Complete func() []string // what may stand after the name; nil: nothing is known
}

// errQuit ends the session.
var errQuit = errors.New("quit")

// builtinCommands are the commands of the package; those of Options come after them.
func (s *chatUI) builtinCommands() []Command {
	list := []Command{
		{Name: "help", Help: "lists the commands and the keys", Run: s.help},
		{Name: "output", Args: "[N]", Help: "shows the last output whole, or the Nth from the last (Ctrl-O: the last)", Run: s.output},
		{Name: "diff", Help: "shows what has changed since the last commit", Run: s.shellCommand("git --no-pager diff --no-color HEAD")},
		{Name: "undo", Args: "[FILE]", Help: "takes back the last write or edit, with --turn all that the last turn changed", Run: s.undo},
		{Name: "field", Args: "[SERVER]", Help: "lists the servers, or the tools of one", Run: s.field},
		{Name: "mode", Args: "[MODE]", Help: "shows or changes how much runs without a question: plan, ask, auto, full", Run: s.switchMode, Complete: modeNames},
	}
	if s.Conversation != nil {
		list = append(list,
			Command{Name: "cost", Help: "shows the tokens of the last turn and of the session, and their price if it is known", Run: s.costs},
			Command{Name: "clear", Help: "forgets the conversation; the shell stays as it is", Run: s.clear},
			Command{Name: "compact", Help: "shortens the conversation to a summary of it", Run: s.compact},
			Command{Name: "resume", Args: "[ID]", Help: "has another session go on here: that with the ID, or the one before", Run: s.resumeSession})
	}
	return append(list, Command{Name: "quit", Help: "ends the session, as Ctrl-D does", Run: func(context.Context, string) (string, error) { return "", errQuit }})
}

func (s *chatUI) commands() []Command { return append(s.builtinCommands(), s.Commands...) }

// commandNames are all that can be typed, with their slash.
func (s *chatUI) commandNames() (names []string) {
	for _, c := range s.commands() {
		names = append(names, "/"+c.Name)
	}
	if s.Conversation != nil {
		for _, c := range s.ownCommands() {
			names = append(names, "/"+c.name)
		}
	}
	return names
}

// runSlash takes a text that may be a slash command. ok: it was one, and prompt is
// what it has to say to the model, if anything.
func (s *chatUI) runSlash(ctx context.Context, text string) (prompt string, ok bool, err error) {
	word, args, _ := strings.Cut(text, " ")
	name, isSlash := strings.CutPrefix(word, "/")
	if !isSlash || !s.in.terminal {
		return "", false, nil
	}
	args = strings.TrimSpace(args)
	for _, c := range s.commands() {
		if c.Name == name {
			return "", true, s.runCommand(ctx, c, args)
		}
	}
	if s.Conversation == nil || strings.ContainsAny(name, "/\n") || fileExists(word) {
		return "", false, nil // a path
	}
	for _, c := range s.ownCommands() {
		if c.name == name {
			ok, err := s.confirmUse(c)
			if err == nil && ok {
				prompt, err = c.prompt(args)
			}
			if err != nil {
				s.screen.note(err.Error())
			}
			return prompt, true, nil
		}
	}
	s.screen.note(fmt.Sprintf("there is no command %s: %s", word, strings.Join(s.commandNames(), " ")))
	return "", true, nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *chatUI) runCommand(ctx context.Context, c Command, args string) (err error) {
	var text string
	s.runInterruptible(ctx, c.Name, func(ctx context.Context) { text, err = c.Run(ctx, args) })
	switch {
	case errors.Is(err, errQuit):
		return err
	case err != nil:
		s.screen.note(err.Error())
	case text != "":
		s.screen.showAnswer(text)
	}
	return nil
}

// shellCommand is a command of the agent's shell.
func (s *chatUI) shellCommand(command string) func(context.Context, string) (string, error) {
	return func(ctx context.Context, args string) (string, error) {
		if args != "" {
			command := command + " -- " + quote.Word(args)
			out, _ := s.Runner.Run(ctx, command, chat.DefaultTimeout)
			return out, nil
		}
		out, _ := s.Runner.Run(ctx, command, chat.DefaultTimeout)
		return out, nil
	}
}

// undo is /undo, which the model is told of: it may have the file in mind as it was.
func (s *chatUI) undo(ctx context.Context, args string) (string, error) {
	command := "undo " + args
	if args != "" && !strings.HasPrefix(args, "-") {
		command = "undo -- " + quote.Word(args)
	}
	out, err := s.shellCommand(command)(ctx, "")
	s.aside = append(s.aside, "$ "+strings.TrimSpace("undo "+args)+"\n"+out)
	return out, err
}

func (s *chatUI) field(ctx context.Context, args string) (string, error) {
	command := "field:"
	if args != "" {
		command = quote.Word("field:"+strings.TrimPrefix(args, "field:")) + " -h"
	}
	out, _ := s.Runner.Run(ctx, command, chat.DefaultTimeout)
	return out, nil
}

func (s *chatUI) output(_ context.Context, args string) (string, error) {
	n := 1
	if args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil {
			return "", fmt.Errorf("%q is not a number: /output 2 shows the last but one", args)
		}
	}
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	return "", s.screen.showWhole(n)
}

func (s *chatUI) costs(context.Context, string) (string, error) { return s.screen.costs(), nil }

func (s *chatUI) clear(context.Context, string) (string, error) {
	s.aside, s.told = nil, s.prompted
	if err := s.Conversation.Clear(); err != nil {
		return "", err
	}
	return "the conversation is forgotten; the shell stays as it is", nil
}

func (s *chatUI) compact(ctx context.Context, _ string) (string, error) {
	return "", s.Conversation.Compact(ctx)
}

func (s *chatUI) help(context.Context, string) (string, error) {
	rows := [][2]string{}
	for _, c := range s.commands() {
		rows = append(rows, [2]string{strings.TrimSpace("/" + c.Name + " " + c.Args), c.Help})
	}
	if s.Conversation != nil {
		for _, c := range s.ownCommands() {
			rows = append(rows, [2]string{"/" + c.name, c.about()})
		}
		rows = append(rows, [2]string{"!COMMAND", "runs a command in the agent's shell; the model sees it with the next prompt"})
	}
	slices.SortStableFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	if s.in.edit != nil {
		rows = append(rows, keyHelp()...)
	}
	l := layouter{width: s.screen.width}
	for _, r := range rows {
		l.literal(fmt.Sprintf("  %-16s ", safeLine(r[0])), 0)
		l.indent = strings.Repeat(" ", min(19, s.screen.width()/3))
		l.text(safeLine(r[1]), 0)
		l.newline()
	}
	return l.take(), nil
}

func keyHelp() [][2]string {
	return [][2]string{
		{"Alt-Enter", "a new line; so does Enter after \\"},
		{"Tab", "completes commands, files (@path) and tools"},
		{"Up, Ctrl-R", "the history, and a search through it"},
		{"Ctrl-X Ctrl-E", "edits the text in $VISUAL or $EDITOR; so does Ctrl-G"},
		{"Ctrl-O", "shows the last output whole"},
		{"Ctrl-V", "attaches the picture in the clipboard, as a pasted path and @shot.png do"},
		{"Ctrl-Z", "suspends, until fg"},
		{"Esc, Ctrl-C", "stops what runs; what is typed meanwhile is next"},
	}
}
