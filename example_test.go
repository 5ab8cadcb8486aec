package agentbash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// Another agent embeds the whole: the agent commands, a tool of its own, a
// function definition and a hook, all of them in one command string.
func Example() {
	if err := embed(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// HELLO ADA
	// 	{"city":"Oslo"}
	// [stderr]
	// greet: refused by hook no strangers: who is Mallory?
	// [exit code: 126]
}

func embed() error {
	reg := registry.New()
	if err := reg.Register(files.Tools(nil)...); err != nil { // read, write, edit, grep, glob, undo
		return err
	}
	if err := reg.Register(&registry.Tool{
		Name: "greet", Summary: "greet somebody", Kind: registry.ReadOnly,
		Params: registry.NewParams(registry.Param{Name: "name", Type: registry.String, Required: true}),
		Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
			return registry.Success("hello " + c.String("name") + "\n"), nil
		},
	}); err != nil {
		return err
	}

	var cfg fieldbash.Config
	definition := `{"functions": {"weather": [{"type": "function", "exec": {"argv": ["cat"]},
		"function": {"name": "now", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]}}`
	if err := json.Unmarshal([]byte(definition), &cfg); err != nil {
		return err
	}
	fields, err := fieldbash.New(cfg, nil)
	if err != nil {
		return err
	}
	defer fields.Close()
	if err := fields.Register(reg); err != nil {
		return err
	}

	r, err := router.New(reg, &router.Options{Hooks: []router.Hook{{
		Name: "no strangers", Match: []string{"greet"},
		Before: func(_ context.Context, call *router.HookCall) error {
			if call.Input["name"] == "Mallory" {
				return errors.New("who is Mallory?")
			}
			return nil
		},
		After: func(_ context.Context, _ *router.HookCall, out *router.HookOutput) error {
			out.Stdout = strings.ToUpper(out.Stdout)
			return nil
		},
	}}})
	if err != nil {
		return err
	}
	defer r.Close()
	res := r.Run(context.Background(), `greet Ada; field:weather:now --city Oslo | sed 's/^/\t/'; greet Mallory`, nil)
	fmt.Println(res.Output)
	return nil
}
