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
	"github.com/agentbash/agentbash/registry"
)

// Command is a slash command.
type Command struct {
	Name string // without its slash
	Args string // for the help: "[NAME]"; "" takes none
	Help string // a line

	// Run does it, with what stands after the name, and returns what to show. It
	// is called between turns, or see AtOnce and DuringTurn; ctx ends at Esc.
	Run func(ctx context.Context, args string) (string, error)

	AtOnce bool // it leaves the turn alone, and does not wait for its end

	// Change does it in the place of Run, where the conversation becomes another.
	Change func(ctx context.Context, args string) (Change, error)

	Complete func() []string // what may stand after the name; nil: nothing is known
	Tell     bool            // the model is told with the next prompt what it showed
}

// ErrQuit, from a command, ends the session.
var ErrQuit = errors.New("quit")

// builtinCommands are the commands of the package; those of Options come after them.
func (s *chatUI) builtinCommands() []Command {
	list := []Command{
		{Name: "help", AtOnce: true, Help: "lists the commands and the keys", Run: s.help},
		{Name: "output", AtOnce: true, Args: "[N]", Help: "shows the last output whole, or the Nth from the last (Ctrl-O: the last)", Run: s.output},
		{Name: "undo", Args: "[FILE]", Help: "takes back the last write or edit, with --turn all that the last turn changed", Run: s.undo},
		{Name: "mode", AtOnce: true, Args: "[MODE]", Help: "shows or changes how much runs without a question: plan, ask, auto, full", Run: s.switchMode, Complete: modeNames},
	}
	if s.in.edit != nil {
		list = append(list,
			Command{Name: "editor", Help: "edits the next text in $VISUAL or $EDITOR", Run: s.openEditor},
			Command{Name: "vim", AtOnce: true, Help: "has the keys of vim edit the text, or the usual ones again", Run: s.toggleVim},
			Command{Name: "theme", AtOnce: true, Args: "[NAME]", Help: "shows or changes the colours: " + strings.Join(themeNames(), ", "), Run: s.switchTheme, Complete: themeNames})
	}
	if s.Conversation != nil {
		list = append(list,
			Command{Name: "copy", AtOnce: true, Help: "puts the last answer into the clipboard", Run: s.copyAnswer},
			Command{Name: "cost", AtOnce: true, Help: "shows the tokens of the last turn and of the session, and their price if it is known", Run: s.costs},
			Command{Name: "clear", Help: "forgets the conversation; the shell stays as it is", Run: s.clear},
			Command{Name: "compact", Help: "shortens the conversation to a summary of it", Run: s.compact})
	}
	return append(list, Command{Name: "quit", Help: "ends the session, as Ctrl-D does", Run: func(context.Context, string) (string, error) { return "", ErrQuit }})
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
// what it has to say to the model, if anything, and typed what the person knows of that.
func (s *chatUI) runSlash(ctx context.Context, text string) (prompt, typed string, ok bool, err error) {
	name, args, isSlash := cutSlash(text)
	if !isSlash || !s.in.terminal {
		return "", "", false, nil
	}
	word := "/" + name
	for _, c := range s.commands() {
		if c.Name == name {
			return "", "", true, s.runCommand(ctx, c, args)
		}
	}
	if s.Conversation == nil || strings.ContainsAny(name, "/\n") || fileExists(word) {
		return "", "", false, nil // a path
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
			if typed = prompt; c.skill != nil {
				typed = text
			}
			return prompt, typed, true, nil
		}
	}
	if near := registry.Closest(word, s.commandNames(), 1); len(near) > 0 {
		s.screen.note(fmt.Sprintf("there is no command %s: did you mean %s? /help lists them all", word, near[0]))
	} else {
		s.screen.note(fmt.Sprintf("there is no command %s: %s", word, strings.Join(s.commandNames(), " ")))
	}
	return "", "", true, nil
}

// cutSlash is a slash command's name and what stands after it; ok is false for another text.
func cutSlash(text string) (name, args string, ok bool) {
	word, args, _ := strings.Cut(text, " ")
	name, ok = strings.CutPrefix(word, "/")
	return name, strings.TrimSpace(args), ok
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

type duringTurn struct{}

// DuringTurn reports whether a command runs while the shell may be busy.
func DuringTurn(ctx context.Context) bool { return ctx.Value(duringTurn{}) != nil }

// runAtOnce runs a slash command that need not wait for the end of the turn.
func (s *chatUI) runAtOnce(text string) bool {
	name, args, isSlash := cutSlash(text)
	all := s.commands()
	i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name && c.AtOnce })
	if !isSlash || i < 0 || !s.turning {
		return false
	}
	s.local.Go(func() {
		answer, err := all[i].Run(context.WithValue(context.Background(), duringTurn{}, true), args)
		if err != nil {
			answer = "agentbash: " + err.Error()
		}
		s.screen.rows([]string{"> " + safeLine(text)}, ownPrompt)
		s.screen.showAnswer(answer)
	})
	return true
}

func (s *chatUI) runCommand(ctx context.Context, c Command, args string) (err error) {
	var text string
	var change Change
	s.runInterruptible(ctx, c.Name, func(ctx context.Context) {
		if c.Change != nil {
			change, err = c.Change(ctx, args)
			return
		}
		text, err = c.Run(ctx, args)
	})
	text += s.takeChange(change)
	switch {
	case errors.Is(err, ErrQuit):
		return err
	case errors.As(err, new(asked)):
		if err := s.editExternally(ctx); err != nil {
			s.screen.note(err.Error())
		}
	case errors.Is(err, ErrNoAnswer) || errors.Is(err, context.Canceled): // they left it
	case err != nil:
		s.screen.note(err.Error())
	case text != "":
		s.screen.showAnswer(text)
		if c.Tell && args != "" {
			s.aside = append(s.aside, "/"+c.Name+" "+args+"\n"+text)
		}
	}
	return nil
}

// undo is /undo, which the model is told of: it may have the file in mind as it was.
func (s *chatUI) undo(ctx context.Context, args string) (string, error) {
	command := "undo " + args
	if args != "" && !strings.HasPrefix(args, "-") {
		command = "undo -- " + quote.Word(args)
	}
	out, _ := s.Runner.Run(ctx, command, chat.DefaultTimeout)
	s.aside = append(s.aside, "$ "+strings.TrimSpace("undo "+args)+"\n"+out)
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
		{"Shift-Tab", "goes to the next mode, also while the model works"},
		{"@", "finds a file by parts of its name, and puts it in: Tab or the arrows choose"},
		{"Tab", "completes commands, files (@path) and tools"},
		{"Up, Ctrl-R", "the history, and a search through it"},
		{"Ctrl-X Ctrl-E", "edits the text in $VISUAL or $EDITOR; so does Ctrl-G"},
		{"Ctrl-O", "shows the last output whole"},
		{"Ctrl-V", "attaches the picture in the clipboard, as a pasted path and @shot.png do"},
		{"Ctrl-_", "takes back what was done to the text"},
		{"Ctrl-Z", "suspends, until fg"},
		{"Esc, Ctrl-C", "stops what runs; what is typed meanwhile is next"},
		{"Esc Esc", "at the prompt: /rewind"},
	}
}
