package files

import (
	"context"
	"errors"
	"slices"

	"github.com/agentbash/agentbash/internal/snapshot"
	"github.com/agentbash/agentbash/registry"
)

// Options configures Tools; nil means the defaults.
type Options struct {
	// StateDir is where what was overwritten is kept for undo; it is made with
	// mode 0700 when it is first needed. "" keeps nothing.
	StateDir string

	// Workspace is where the changes are that undo --list shows, an absolute path; "" is the
	// current directory.
	Workspace string

	// Snapshots are what undo --turn goes back to; nil: it cannot.
	Snapshots *snapshot.Store

	// RequireRead makes write refuse to overwrite a file that none of these tools
	// read or wrote before, unless it is forced. It is for sessions; a single
	// command in a terminal has read nothing.
	RequireRead bool

	// Access is asked by every run for what it may touch; nil, and a nil answer,
	// restrict nothing. registry.Allow adds to it. It is called concurrently.
	Access func(context.Context) *Access

	// Settings are the words for what a person may change.
	Settings registry.Settings
}

// Tools returns read, write, edit, apply_patch, grep, glob and undo, ready to be registered.
// They share what they know of files that were read, and may be called from
// several goroutines at once.
//
// A result that succeeded has a Display and this Metadata (a path is absolute;
// "stdin" where that was read; sizes are of the whole file):
//
//	read   path, first_line, lines (printed), total_lines (if known), truncated
//	       (something of the file was not printed), sha256 (of files up to 1 MiB); of
//	       several files: files (as they were named)
//	write  path, lines, bytes, sha256, created, dry_run
//	edit   path, lines, bytes, sha256, replacements, dry_run
//	apply_patch  files (paths that changed), replacements, dry_run
//	grep   path (as typed, where there are several), matches (lines, or files for another output_mode), files,
//	       searched (files), printed, truncated
//	glob   path, matches, printed, truncated
//	undo   path, change (its number), removed, dry_run; of several files: files
//	       instead of path and removed; with --turn: turn, files, dry_run; with
//	       --list: changes or turns
//
// grep has both also where nothing matched.
func Tools(opts *Options) []*registry.Tool {
	f := &files{states: map[string]fileState{}, locks: map[string]*fileLock{}}
	if opts != nil {
		f.opts = *opts
	}
	tools := []*registry.Tool{f.readTool(), f.writeTool(), f.editTool(), f.patchTool(), f.grepTool(), globTool(), f.undoTool()}
	for _, t := range tools {
		run := t.Run
		t.Run = func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
			return run(context.WithValue(ctx, changesNothing{}, call.Bool("dry_run")), call)
		}
	}
	return tools
}

// changesNothing is the key of whether a run changes nothing, which every mode allows.
type changesNothing struct{}

// Category is what the tools are listed under.
const Category = "files"

// finishRun makes a tool's result of what a run came to: a usage error and a
// cancelled context pass, anything else is the tool's own failure.
func finishRun(err error) (registry.ToolResult, error) {
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

// summary is what a run that succeeded says beside its output: a line for a
// person, and the metadata that Tools documents.
type summary struct {
	display  string
	metadata map[string]any
}

// doneWith is done, with a summary of what was done.
func doneWith(about summary, err error) (registry.ToolResult, error) {
	res, err := finishRun(err)
	if res.Success {
		res.Display, res.Metadata = about.display, about.metadata
	}
	return res, err
}

// contentFacts is the metadata of a file and its whole content.
func contentFacts(path string, content []byte, hash string) map[string]any {
	return map[string]any{"path": path, "lines": countLines(content), "bytes": len(content), "sha256": hash}
}

// The path parameter that read, write and edit share.
func filePath(role registry.Role, description string) registry.Param {
	return registry.Param{
		Name: "file_path", Type: registry.String, Required: true, Role: role, Description: description,
		Aliases: []string{"path", "filePath", "file", "filename"},
	}
}

// notStdin leaves out of a call's uses what stands for stdin and other descriptors.
func notStdin(_ registry.Kwargs, uses []registry.Use, known bool) ([]registry.Use, bool) {
	return slices.DeleteFunc(uses, func(u registry.Use) bool {
		_, own := registry.DescriptorOf(u.Value)
		return own || u.Value == "-"
	}), known
}

// addShownUses adds to the uses of a call that changes files that it shows, in a
// diff, what they held. With dry_run it does no more than that.
func addShownUses(k registry.Kwargs, uses []registry.Use, known bool) ([]registry.Use, bool) {
	shows := map[registry.Role]registry.Role{registry.WritesFile: registry.ReadsFile, registry.WritesTree: registry.ReadsTree}
	var reads []registry.Use
	for _, u := range uses {
		reads = append(reads, registry.Use{Role: shows[u.Role], Value: u.Value})
	}
	if k["dry_run"] == true {
		return reads, known
	}
	return append(reads, uses...), known
}
