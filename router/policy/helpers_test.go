package policy

import (
	"context"
	"os"
	"sync"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// judgeLine judges a text in which the router knows of no call.
func judgeLine(line string, w *World) Verdict {
	return Judge(router.PlanNative(line), w)
}

// testTool is a tool of a kind that does nothing.
func testTool(name string, kind registry.Kind, params ...registry.Param) *registry.Tool {
	return &registry.Tool{Name: name, Summary: "Test " + name, Kind: kind, Params: registry.NewParams(params...),
		Run: func(context.Context, *registry.Call) (registry.ToolResult, error) { return registry.Success(""), nil }}
}

// testRouter has the tools that the tables here are about.
var testRouter = sync.OnceValue(func() *router.Router {
	text := func(name string, required bool, role registry.Role, aliases ...string) registry.Param {
		return registry.Param{Name: name, Type: registry.String, Required: required, Positional: true, Role: role, Aliases: aliases}
	}
	flag := func(name string) registry.Param { return registry.Param{Name: name, Type: registry.Boolean} }
	reg := registry.New()
	err := reg.Register(
		testTool("read", registry.ReadOnly, text("file_path", true, registry.ReadsFile, "path", "filePath"), registry.Param{Name: "limit", Type: registry.Integer}, flag("show_line_numbers")),
		testTool("grep", registry.ReadOnly, text("pattern", true, ""), registry.Param{Name: "path", Type: registry.String, Positional: true, Default: ".", Role: registry.ReadsTree}, flag("ignore_case")),
		testTool("write", registry.Write, text("file_path", true, registry.WritesFile, "path", "filePath"), registry.Param{Name: "content", Type: registry.String, Required: true, Stdin: true}, flag("force")),
		testTool("edit", registry.Write, text("file_path", true, registry.WritesFile, "path", "filePath"), text("old_string", false, ""), text("new_string", false, ""), flag("replace_all")),
		testTool("note", registry.Write, registry.Param{Name: "text", Type: registry.String, Positional: true, Role: registry.KeepsState}),
		testTool("recall", registry.ReadOnly, text("query", false, ""), text("category", false, "")),
		testTool("web_fetch", registry.Network, text("url", true, registry.Contacts)),
		testTool("bash_kill", registry.ReadOnly, text("bash_id", true, "")),
		testTool("bash_start", registry.Execute, text("command", true, registry.RunsText)),
		testTool("task", registry.Execute, text("prompt", true, "")),
		testTool("field:db:query", registry.ReadOnly, text("sql", true, "")),
		testTool("field:db:drop", registry.Write, text("name", true, "")),
	)
	if err == nil {
		err = reg.RegisterGroup(registry.Group{Name: "gh", Load: func(context.Context) ([]*registry.Tool, error) { return nil, nil }})
	}
	if err != nil {
		panic(err)
	}
	r, err := router.New(reg, &router.Options{Dir: "/", StateDir: os.TempDir(), NoCalls: true})
	if err != nil {
		panic(err)
	}
	return r
})
