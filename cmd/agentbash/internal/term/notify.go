package term

import (
	"io"
	"strings"
)

// When the person is told that a turn has ended or a question waits.
const (
	notifyAlways = "always"
	notifyNever  = "never"
)

// setTitle names the terminal's window (xterm's OSC 2); what it was called comes back
// at the end, where terminals keep it (CSI 22 t).
func (s *screen) setTitle(state, name string) {
	s.control("\x1b]2;" + safeLine(strings.TrimSpace(state+" agentbash "+name)) + "\x1b\\")
}

func (s *screen) pushTitle() { s.control("\x1b[22;2t") }
func (s *screen) popTitle()  { s.control("\x1b[23;2t") }

// notify rings, and has terminals that can show a message (OSC 9).
func (s *screen) notify(text string) { s.control("\x07\x1b]9;" + safeLine(text) + "\x1b\\") }

// control writes a sequence that leaves the cursor where it is.
func (s *screen) control(sequence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.canLive {
		io.WriteString(s.err, sequence)
	}
}

// notify tells the person who looks at something else. Where the terminal does not say
// who has the focus, it is taken to have it.
func (s *chatUI) notify(text string) {
	if s.Notify == notifyAlways || s.Notify != notifyNever && s.unfocused {
		s.screen.notify(text)
	}
}
