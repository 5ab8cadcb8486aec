package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/batch"
)

// jsonLog makes each line that is written to it a JSON object.
type jsonLog struct {
	mu   sync.Mutex
	log  *slog.Logger
	line []byte // that is not whole yet
}

func newJSONLog(w io.Writer, c *batchFlags) *jsonLog {
	l := slog.New(slog.NewJSONHandler(w, nil))
	for name, value := range map[string]string{"task": c.taskID, "run_key": c.runKey} {
		if value != "" {
			l = l.With(name, value)
		}
	}
	return &jsonLog{log: l}
}

// Write takes any part of the text.
func (l *jsonLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, p...)
	for {
		line, rest, whole := bytes.Cut(l.line, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		text, warns := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("agentbash: ")), []byte("warning: "))
		if warns {
			l.log.Warn(string(text))
		} else {
			l.log.Info(string(text))
		}
		l.line = rest
	}
}

// end tells how the run ended.
func (l *jsonLog) end(status int) {
	l.Write([]byte("\n")[:min(len(l.line), 1)])
	level := slog.LevelInfo
	if status != exitOK {
		level = slog.LevelError
	}
	l.log.Log(context.Background(), level, "the run ended", "exit_status", status, "state", batch.State(status))
}
