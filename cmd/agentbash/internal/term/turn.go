package term

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/agentbash/agentbash/chat"
)

// sendPrompt sends a prompt, after what the person ran. typed is what the person knows of it: what
// others wrote, such as a skill or the output of a command, names no files.
func (s *chatUI) sendPrompt(ctx context.Context, prompt, typed string) (err error) {
	named := s.namedFiles(typed)
	images, texts := s.takeAttached(typed)
	prompt, typed = texts.Replace(prompt), texts.Replace(typed)
	if len(s.aside) > 0 {
		prompt = "I ran in your shell:\n" + strings.Join(s.aside, "\n") + "\n\n" + prompt
		s.aside = nil
	}
	if s.ModeText != nil && s.Mode() != s.told {
		s.told = s.Mode()
		prompt = "<system_hint type=\"mode_changed\">the user changed the mode. " + s.ModeText() + "</system_hint>\n\n" + prompt
	}
	s.screen.begin()
	s.screen.setTitle("*", filepath.Base(s.dir()))
	s.turning = true
	if typed == prompt && len(named) == 0 {
		typed = ""
	}
	var answer string
	s.runInterruptible(ctx, "working", func(ctx context.Context) {
		answer, err = s.Conversation.Send(ctx, chat.Prompt{Text: prompt + s.readFiles(ctx, named), Typed: typed, Images: images})
	})
	s.turning = false
	s.screen.end()
	if len(s.in.queue) == 0 {
		s.notify("agentbash is done in " + filepath.Base(s.dir()))
	}
	if err != nil || strings.TrimSpace(answer) == "" {
		return err
	}
	if next := s.approvePlan(ctx); next != "" {
		s.screen.showAnswer(s.prompt() + next)
		return s.sendPrompt(ctx, next, next)
	}
	return nil
}

// showEvent shows an event. A summary may have lost what the model was told of the mode.
func (s *chatUI) showEvent(e chat.Event) {
	if _, ok := e.(chat.Compacted); ok {
		s.told = s.prompted
	}
	s.screen.showEvent(e)
	switch e.(type) {
	case chat.Usage, chat.Compacted:
		s.noteContext()
	}
}

// noteContext keeps how full the model's window is, for who may use the conversation:
// between turns, and in its events.
func (s *chatUI) noteContext() {
	if s.Conversation == nil {
		return
	}
	used, window := s.Conversation.Context()
	s.screen.mu.Lock()
	s.screen.used, s.screen.window = used, window
	s.screen.mu.Unlock()
}

// takeAttached takes the pictures that a prompt has chips of, and the texts that chips
// stand for, and shows the chips of pictures that it names.
func (s *chatUI) takeAttached(prompt string) (images []chat.Image, texts *strings.Replacer) {
	taken, left := s.attached.take(prompt)
	s.attached = left
	var pairs []string
	for _, at := range taken {
		if at.text != "" {
			pairs = append(pairs, at.chip, at.text)
			s.attached = append(s.attached, at) // the history brings the chip back
		} else {
			images = append(images, at.image)
		}
	}
	texts = strings.NewReplacer(pairs...)
	named, err := chat.NamedImages(prompt, s.dir())
	if err != nil || !s.in.terminal {
		return images, texts // what is wrong with them comes back from the turn
	}
	var chips []string
	for _, img := range named {
		chips = append(chips, "  "+imageLabel(img))
	}
	s.screen.rows(chips, dim)
	return images, texts
}
