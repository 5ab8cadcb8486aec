package agentbash

import (
	"context"
	"errors"
	"os"

	"github.com/agentbash/agentbash/registry"
)

type change struct{}

func (change) cancel() {}

func (f *files) checkpoint(call *registry.Call, op, path string, old, content []byte, mode os.FileMode) (change, error) {
	return change{}, nil
}

func (f *files) undoTool() *registry.Tool {
	return &registry.Tool{
		Name: "undo", Summary: "take back the last write or edit", Kind: registry.Write, Category: category, Tags: []string{"file", "restore", "revert"},
		Params:   registry.NewParams(registry.Param{Name: "file_path", Type: registry.String, Aliases: []string{"path"}, Description: "The file; without it, the last one that was changed."}),
		Examples: []string{"undo", "undo main.go"},
		Run: func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
			return done(errors.New("no checkpoints are kept"))
		},
	}
}
