package agentbash

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agentbash/agentbash/registry"
)

func grepTool() *registry.Tool {
	return &registry.Tool{
		Name: "grep", Summary: "search files for lines that match a regular expression", Kind: registry.ReadOnly, Category: category,
		Tags: []string{"search", "find", "text", "regexp", "rg"},
		Params: registry.NewParams(
			registry.Param{Name: "pattern", Type: registry.String, Required: true, Description: "The regular expression (RE2 syntax)."},
			registry.Param{Name: "path", Type: registry.String, Default: ".", Description: "The file or directory to search."},
			registry.Param{Name: "ignore_case", Type: registry.Boolean, Default: false, Short: "i", Description: "Let letters match without case."},
		),
		Examples: []string{"grep 'func main' --glob '*.go'"},
		Run: func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
			pattern := call.String("pattern")
			if call.Bool("ignore_case") {
				pattern = "(?i)" + pattern
			}
			re, err := regexp.Compile(pattern)
			if err != nil {
				return done(registry.Usagef("%v", err))
			}
			hits := 0
			root := call.Path(call.String("path"))
			err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				if p != root && strings.HasPrefix(d.Name(), ".") {
					if d.IsDir() {
						return filepath.SkipDir
					}
					return nil
				}
				if !d.Type().IsRegular() {
					return nil
				}
				data, err := os.ReadFile(p)
				if err != nil || isBinary(data) {
					return err
				}
				for i, line := range bytes.Split(bytes.TrimSuffix(data, newline), newline) {
					if re.Match(line) {
						hits++
						fmt.Fprintf(call.Stdout, "%s:%d:%s\n", call.Rel(p), i+1, line)
					}
				}
				return nil
			})
			if err == nil && hits == 0 {
				return registry.ToolResult{ExitStatus: 1}, nil
			}
			return done(err)
		},
	}
}
