package files

import (
	"context"
	"errors"

	"github.com/agentbash/agentbash/registry"
)

// Options configures Tools; nil means the defaults.
type Options struct {
	// StateDir is where what was overwritten is kept for undo; it is made with
	// mode 0700 when it is first needed. "" keeps nothing.
	StateDir string

	// Guard makes write refuse to overwrite a file that none of these tools
	// read or wrote before, unless it is forced. It is for sessions; a single
	// command in a terminal has read nothing.
	Guard bool

	// Access is asked by every run for what it may touch; nil, and a nil answer,
	// restrict nothing. registry.Allow adds to it. It is called concurrently.
	Access func(context.Context) *Access
}

// Tools returns read, write, edit, grep, glob and undo, ready to be registered.
// They share what they know of files that were read, and may be called from
// several goroutines at once.
func Tools(opts *Options) []*registry.Tool {
	f := &files{known: map[string]record{}, busy: map[string]*turn{}}
	if opts != nil {
		f.opts = *opts
	}
	return []*registry.Tool{f.readTool(), f.writeTool(), f.editTool(), f.grepTool(), globTool(), f.undoTool()}
}

// Category is what the tools are listed under.
const Category = "files"

const category = Category

// done makes a tool's result of what a run came to: a usage error and a
// cancelled context pass, anything else is the tool's own failure.
func done(err error) (registry.ToolResult, error) {
	var usage *registry.UsageError
	switch {
	case err == nil:
		return registry.ToolResult{Success: true}, nil
	case errors.As(err, &usage), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return registry.ToolResult{}, err
	}
	res := registry.Failure("%v", err)
	res.ExitStatus = registry.ExitStatus(err)
	return res, nil
}

// The path parameter that read, write and edit share.
func filePath(description string) registry.Param {
	return registry.Param{
		Name: "file_path", Type: registry.String, Required: true, Description: description,
		Aliases: []string{"path", "filePath", "file", "filename"},
	}
}
