package term

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/chat"
)

// BenchmarkKey is the time until a key is drawn, at the prompt and while a turn runs,
// after 10,000 lines of transcript and with as long a history.
func BenchmarkKey(b *testing.B) {
	setUp := func(b *testing.B) *chatUI {
		s := &chatUI{screen: benchScreen(b)}
		s.Mode, s.Info.Model, s.Home = func() string { return "ask" }, "m", "/root"
		s.screen.canLive = true
		s.in = &input{terminal: true, tty: &terminal{}, out: s.screen.err, edit: &editor{whole: func(string) bool { return true }}, repaint: make(chan struct{}, 1)}
		s.in.edit.paint = painter{out: s.screen.err, size: s.screen.size, footer: s.footer, look: s.screen.look}
		for i := range 10_000 {
			s.in.edit.text.history = append(s.in.edit.text.history, fmt.Sprintf("prompt %d", i))
		}
		for i := range 1000 {
			s.screen.showEvent(chat.ToolCall{ID: fmt.Sprint(i), Command: "seq 10"})
			s.screen.showEvent(chat.ToolResult{ID: fmt.Sprint(i), Output: strings.Repeat("a line of the output\n", 10)})
		}
		s.refreshStatus(b.Context())
		return s
	}
	b.Run("prompt", func(b *testing.B) {
		s := setUp(b)
		e := s.in.edit
		if err := e.begin("> "); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, _, err := e.press(key{text: "x"}); err != nil {
				b.Fatal(err)
			}
			if len(e.text.text) > 500 {
				e.text.start()
			}
		}
	})
	b.Run("turn", func(b *testing.B) {
		s := setUp(b)
		s.screen.startLive("working")
		for b.Loop() {
			s.in.typeAhead(key{text: "x"})
			s.screen.typing(s.in.edit.text.text, nil)
			if len(s.in.edit.text.text) > 500 {
				s.in.edit.text.start()
			}
		}
	})
}
