package term

import (
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/safetext"
)

// liveWriter shows what a command writes as it comes. Both its streams may
// write to it at once.
type liveWriter struct {
	screen *screen

	mu    sync.Mutex
	clean safetext.Stream
	wrote bool
}

// Write takes a piece of the output; it never fails, so that a command is not
// stopped by what happens to a screen.
func (w *liveWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.show(w.clean.Clean(string(p)))
	return len(p), nil
}

func (w *liveWriter) show(text string) {
	w.wrote = w.wrote || text != ""
	w.screen.mu.Lock()
	defer w.screen.mu.Unlock()
	w.screen.writeSafe(text)
}

// end shows what a model sees beside the streams: the exit code, a time limit,
// or that there was no output.
func (w *liveWriter) end(output string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.show(w.clean.Rest())
	if !w.wrote {
		w.screen.showTyped(output)
		return
	}
	lines := strings.Split(strings.TrimRight(cleanText(output), "\n"), "\n")
	from := len(lines)
	for from > 0 && strings.HasPrefix(lines[from-1], "[") && strings.HasSuffix(lines[from-1], "]") && lines[from-1] != "[stderr]" {
		from--
	}
	w.screen.mu.Lock()
	defer w.screen.mu.Unlock()
	w.screen.endLine()
	for _, line := range lines[from:] {
		if strings.HasPrefix(line, "[exit code: ") || strings.HasPrefix(line, "[timed out") || strings.HasPrefix(line, "[interrupted") {
			w.screen.line(w.screen.look.paint(line, dim))
		}
	}
}
