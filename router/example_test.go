package router_test

import (
	"context"
	"fmt"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// A tool, a registry and a router: the tool is a command, alone and in bash.
func Example() {
	reg := registry.New()
	if err := reg.Register(&registry.Tool{
		Name: "greet", Summary: "Greet somebody",
		Params: registry.NewParams(registry.Param{Name: "name", Type: registry.String, Required: true}),
		Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
			return registry.Success("hello " + c.String("name") + "\n"), nil
		},
	}); err != nil {
		fmt.Println(err)
	}
	r, err := router.New(reg, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for _, command := range []string{"greet Ada", "for n in Ada Alan; do greet $n; done | tr a-z A-Z", "greet --nam Ada"} {
		fmt.Println(r.Run(context.Background(), command, nil).Output)
	}
	// Output:
	// hello Ada
	//
	// HELLO ADA
	// HELLO ALAN
	//
	// [stderr]
	// greet: unknown parameter --nam; did you mean --name? (its parameters: name)
	// greet: missing --name: write --name TEXT
	// see: greet --help
	// [exit code: 2]
}

// Plan says where a command would go, and runs nothing.
func ExampleRouter_Plan() {
	reg := registry.New()
	tool := &registry.Tool{Name: "glob", Summary: "List files", Params: registry.NewParams(registry.Param{Name: "pattern", Type: registry.String, Required: true, Pattern: true}),
		Run: func(context.Context, *registry.Call) (registry.ToolResult, error) { return registry.Success(""), nil }}
	if err := reg.Register(tool); err != nil {
		fmt.Println(err)
	}
	r, err := router.New(reg, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for _, command := range []string{"glob **/*.go", "git status", "wc -l $(glob '**/*.go')"} {
		p := r.Plan(command)
		fmt.Println(p.Layer, p.Name, p.Kwargs["pattern"], p.Script, p.Calls)
	}
	// Output:
	// agent glob **/*.go  []
	// native git <nil> git status []
	// native wc <nil> wc -l $(agent:glob '**/*.go') [{agent glob 8}]
}
