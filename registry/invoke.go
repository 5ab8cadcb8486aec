package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// Invoke runs the tool and never panics: a tool that does becomes a failed
// result. A returned Output is written to call.Stdout as it is, a message to
// call.Stderr as "name: message" and a newline. The result's ExitStatus is 0
// exactly when Success; an error's own ExitStatus() is kept, and a cancelled
// context is 130, a passed deadline 124.
func (t *Tool) Invoke(ctx context.Context, call *Call) (res ToolResult) {
	c := *call
	c.Tool = t
	if c.Stdout == nil {
		c.Stdout = io.Discard
	}
	if c.Stderr == nil {
		c.Stderr = io.Discard
	}
	res, err := t.run(ctx, &c)
	if err != nil {
		res = ToolResult{Error: err.Error(), ExitStatus: ExitStatus(err), Output: res.Output}
	}
	if res.Output != "" {
		if _, err := io.WriteString(c.Stdout, res.Output); err != nil && res.Success {
			res = ToolResult{Error: err.Error(), ExitStatus: 1}
		}
	}
	return t.reportFailure(&c, res)
}

// reportFailure makes status and success agree and reports the failure.
func (t *Tool) reportFailure(c *Call, res ToolResult) ToolResult {
	if res.Success = res.Success && res.ExitStatus == 0; res.Success {
		return res
	}
	if res.ExitStatus == 0 {
		res.ExitStatus = 1
	}
	if res.Error != "" {
		if !strings.HasPrefix(res.Error, t.Name+":") {
			res.Error = t.Name + ": " + res.Error
		}
		if !res.Told {
			fmt.Fprintln(c.Stderr, res.Error)
		}
	}
	return res
}

// run is the one place that recovers: a tool must not take the host down.
func (t *Tool) run(ctx context.Context, c *Call) (res ToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			res = ToolResult{ExitStatus: 1, Metadata: map[string]any{"stack": string(debug.Stack())}}
			err = fmt.Errorf("the tool crashed: %v: nothing more was done; try other arguments, or report this", p)
		}
	}()
	if err := c.ReadPending(ctx); err != nil {
		return res, err
	}
	return t.Run(ctx, c)
}

// ExitStatus is the exit status that stands for an error: its own if it has a
// method ExitStatus() int, 124 for a passed deadline, 130 for a cancelled
// context, else 1; 0 for nil.
func ExitStatus(err error) int {
	var own interface{ ExitStatus() int }
	switch {
	case err == nil:
		return 0
	case errors.As(err, &own):
		return own.ExitStatus()
	case errors.Is(err, context.DeadlineExceeded):
		return 124
	case errors.Is(err, context.Canceled):
		return 130
	}
	return 1
}

// CallOption changes the call that Execute is about to make.
type CallOption func(*Call)

// InDir has relative paths start from an absolute directory.
func InDir(dir string) CallOption { return func(c *Call) { c.Dir = dir } }

// Execute finds a tool by name, loading its group if needed, and runs it on
// kwargs that [Tool.Bind] found right: a usage error is a result with exit status
// 2, and nothing ran. Relative paths start from the program's own directory, if
// no option says otherwise. Output is what the tool wrote to stdout, Error what it
// wrote to stderr if it failed. It is for embedders that have no command line.
func (r *ToolRegistry) Execute(ctx context.Context, name string, kwargs Kwargs, opts ...CallOption) ToolResult {
	t, err := r.Resolve(ctx, name)
	if err != nil {
		return ToolResult{Error: err.Error(), ExitStatus: ExitStatus(err)}
	}
	var out, notes bytes.Buffer
	call := &Call{Stdout: &out, Stderr: &notes}
	for _, set := range opts {
		set(call)
	}
	if call.Dir == "" {
		call.Dir, err = os.Getwd()
	}
	if err == nil {
		call.Kwargs, err = t.Bind(kwargs, call.Stdin != nil)
	}
	if err != nil {
		return ToolResult{Error: err.Error(), ExitStatus: ExitStatus(err)}
	}
	res := t.Invoke(ctx, call)
	res.Output = out.String()
	if s := strings.TrimSpace(notes.String()); !res.Success && s != "" {
		res.Error = s
	}
	return res
}

// Command runs a tool from the words after its name, as a terminal does:
// words are parsed, -h and --help are answered on call.Stdout, usage errors go to
// call.Stderr and run nothing. The call's Kwargs are set from the words.
func (t *Tool) Command(ctx context.Context, words []string, call *Call) ToolResult {
	parsed, err := t.Parse(words, call.Stdin != nil)
	if err != nil {
		fmt.Fprintln(call.Stderr, err)
		return ToolResult{Error: err.Error(), ExitStatus: ExitStatus(err)}
	}
	return t.RunParsed(ctx, parsed, call)
}

// RunParsed runs a call whose words Parse has read, or prints the help that they
// ask for. The call's Kwargs are set, and its Order, if it has none.
func (t *Tool) RunParsed(ctx context.Context, parsed Parsed, call *Call) ToolResult {
	if parsed.Help != NoHelp {
		text := t.Help(parsed.Help == VerboseHelp)
		if parsed.Help == SchemaHelp {
			var b bytes.Buffer
			json.Indent(&b, t.Params.Schema(), "", "  ") // it is JSON
			text = b.String() + "\n"
		}
		if _, err := io.WriteString(call.Stdout, text); err != nil {
			return t.reportFailure(call, ToolResult{Error: err.Error(), ExitStatus: 1})
		}
		return ToolResult{Success: true}
	}
	c := *call
	c.Kwargs, c.Order = parsed.Kwargs, cmp.Or(c.Order, parsed.Order)
	return t.Invoke(ctx, &c)
}
