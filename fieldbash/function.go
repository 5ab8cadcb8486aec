package fieldbash

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// defaultTimeout bounds a function for which the configuration names no limit.
const defaultTimeout = 120 * time.Second

// functionGroup makes the tools of one group of definitions; definitions that
// cannot be used are left out, each with its reason.
func (f *Fields) functionGroup(name string, defs []Function) (*group, []error) {
	g := &group{name: name, summary: "functions"}
	var errs []error
	seen := map[string]string{}
	for _, def := range defs {
		if err := def.check(); err != nil {
			errs = append(errs, err)
			continue
		}
		safe := safeName(def.Name)
		if first, dup := seen[safe]; dup {
			errs = append(errs, fmt.Errorf("%s: field:%s:%s is already %s: it is left out; rename one of them", def.Name, name, safe, first))
			continue
		}
		seen[safe] = def.Name
		if safe != def.Name {
			errs = append(errs, fmt.Errorf("%s: the name is not fit for a command: it is field:%s:%s", def.Name, name, safe))
		}
		t := f.functionTool(name, safe, def)
		if unknown := def.Roles.applyTo(t); unknown != nil {
			errs = append(errs, fmt.Errorf(`%s: "roles" names %s, which it has no parameter of`, def.Name, strings.Join(unknown, ", ")))
		}
		g.tools = append(g.tools, t)
	}
	return g, errs
}

// functionTool makes the command for one definition.
func (f *Fields) functionTool(group, safe string, def Function) *registry.Tool {
	detail := cleanText(def.Description, maxDetail)
	summary := cmp.Or(summaryOf(detail), summaryOf(def.Name), safe)
	var t *registry.Tool
	if later := def.later; later != nil {
		t = f.makeTool(group, registry.FieldPrefix+group+":"+safe, summary, detail, registry.LaterSchema(later), later)
	} else {
		schema := def.Parameters
		if schema != nil && !json.Valid(schema) {
			schema = nil
		}
		t = f.newTool(group, safe, summary, detail, schema)
	}
	limit := secondsDuration(def.Timeout)
	if limit == 0 {
		limit = defaultTimeout
	}
	t.Kind = registry.Execute
	run := f.runExec
	if def.HTTP != nil {
		t.Kind = registry.Network
		run = f.runHTTP
	}
	dir := ""
	if def.Exec != nil {
		dir = def.Exec.Cwd
	}
	read := usesIn(f.inDir(dir))
	t.Uses = func(kwargs registry.Kwargs, uses []registry.Use, _ bool) ([]registry.Use, bool) {
		own, known := f.functionUses(&def, kwargs)
		return read(kwargs, append(own, uses...), known)
	}
	secrets := def.secrets()
	if secrets != nil {
		t.Hide = func(text string) string { return hideSecrets(text, secrets) }
	}
	t.Run = func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
		limited, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
		defer cancel()
		out := &lineWriter{w: call.Stdout}
		c := *call
		c.Stdout, c.Stderr = out, notes{call.Stderr, secrets}
		err := run(limited, &def, &c)
		if ended := out.end(err == nil && call.Format != "raw"); err == nil {
			err = ended
		}
		if err == nil {
			return registry.ToolResult{Success: true}, nil
		}
		return registry.ToolResult{}, hideError(explainEnd(limited, limit, err), secrets)
	}
	return t
}

// statusError is a failure of a function with its exit status: 1 failed,
// 3 not reached, 4 not authorized, 124 timed out, 130 interrupted.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string   { return e.text }
func (e *statusError) ExitStatus() int { return e.status }

func exitError(status int, format string, args ...any) error {
	return &statusError{status, fmt.Sprintf(format, args...)}
}

var errLimit = fmt.Errorf("time limit")

// explainEnd names the time limit or the interruption that an error is due to.
func explainEnd(ctx context.Context, limit time.Duration, err error) error {
	switch context.Cause(ctx) {
	case nil:
		return err
	case errLimit:
		return exitError(124, `timed out after %v: raise "timeout" (seconds) of this function if it is only slow`, limit)
	case context.DeadlineExceeded:
		return exitError(124, "timed out")
	}
	return exitError(130, "interrupted")
}

// lineWriter passes on whole lines of what a function writes, so that those of calls
// that run at once stay apart, and can end the last one. What holds a NUL byte is no
// text, and has no lines.
type lineWriter struct {
	w    io.Writer
	held []byte // of a line that has no end yet
	part bool   // the line began in what was passed on
	data bool
}

// maxHeld bounds what is held of a line: more is not written whole by a pipe either
// (PIPE_BUF of pipe(7)).
const maxHeld = 4096

func (w *lineWriter) Write(b []byte) (int, error) {
	w.held = append(w.held, b...)
	w.data = w.data || bytes.IndexByte(b, 0) >= 0
	n := bytes.LastIndexByte(w.held, '\n') + 1
	if w.data || len(w.held)-n > maxHeld {
		n = len(w.held)
	}
	if n == 0 {
		return len(b), nil
	}
	w.part = w.held[n-1] != '\n'
	if _, err := w.w.Write(w.held[:n]); err != nil {
		return 0, err
	}
	w.held = w.held[:copy(w.held, w.held[n:])]
	return len(b), nil
}

// end writes what is held, and with line the end of its line.
func (w *lineWriter) end(line bool) error {
	if line && !w.data && (w.part || len(w.held) > 0) {
		w.held = append(w.held, '\n')
	}
	if len(w.held) == 0 {
		return nil
	}
	_, err := w.w.Write(w.held)
	return err
}
