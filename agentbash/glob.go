package agentbash

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"github.com/bmatcuk/doublestar/v4"
)

func globTool() *registry.Tool {
	return &registry.Tool{
		Name: "glob", Summary: "list the files whose paths match a pattern", Kind: registry.ReadOnly, Category: category,
		Tags: []string{"file", "find", "search", "list", "ls"},
		Params: registry.NewParams(
			registry.Param{Name: "pattern", Type: registry.String, Required: true, Description: "The pattern: * ? [a-z] [!a] {a,b}, and ** for any number of directories."},
			registry.Param{Name: "path", Type: registry.String, Default: ".", Description: "The directory the pattern starts from."},
		),
		Examples: []string{"glob '**/*.go'", "glob '*.md' docs"},
		Run: func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
			root := call.Path(call.String("path"))
			err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
				if err != nil || p == root {
					return err
				}
				if strings.HasPrefix(d.Name(), ".") {
					if d.IsDir() {
						return filepath.SkipDir
					}
					return nil
				}
				rel, _ := filepath.Rel(root, p)
				if ok, err := doublestar.Match(call.String("pattern"), rel); err != nil {
					return err
				} else if ok && !d.IsDir() {
					fmt.Fprintln(call.Stdout, call.Rel(p))
				}
				return nil
			})
			return done(err)
		},
	}
}
