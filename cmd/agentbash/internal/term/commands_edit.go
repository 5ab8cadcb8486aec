package term

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
)

// openEditor is /editor.
func (s *chatUI) openEditor(context.Context, string) (string, error) {
	return "", asked(keyEditor)
}

// toggleVim is /vim.
func (s *chatUI) toggleVim(context.Context, string) (string, error) {
	v := &s.in.edit.vim
	if *v = (vim{on: !v.on}); v.on {
		return `the keys are vim's; "vim": true in your configuration keeps it`, nil
	}
	return "the keys are the usual ones", nil
}

// switchTheme is /theme.
func (s *chatUI) switchTheme(_ context.Context, name string) (string, error) {
	if err := CheckTheme(name); err != nil || name == "" {
		return strings.Join(themeNames(), "\n"), err
	}
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	s.screen.look = newPalette(s.screen.look.attributes, s.screen.look.colours, name)
	if s.screen.words != nil {
		s.screen.words.l.palette = s.screen.look
	}
	s.in.edit.paint.look = s.screen.look
	return `the theme is ` + name + `; "theme": "` + name + `" in your configuration keeps it`, nil
}

// copyAnswer is /copy: the terminal puts it into the clipboard (OSC 52), also that of
// another machine.
func (s *chatUI) copyAnswer(context.Context, string) (string, error) {
	s.screen.mu.Lock()
	text := strings.TrimSpace(s.screen.answer.String())
	s.screen.mu.Unlock()
	switch {
	case text == "":
		return "", errors.New("there is no answer yet")
	case !s.screen.canLive:
		return "", errors.New("this terminal is not known to have a clipboard: /export writes the session to a file")
	}
	s.screen.control("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x1b\\")
	return CountNoun(1+strings.Count(text, "\n"), "line") + " sent to the terminal's clipboard (OSC 52)", nil
}
