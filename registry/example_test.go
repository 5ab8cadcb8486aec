package registry_test

import (
	"context"
	"fmt"
	"os"

	"github.com/agentbash/agentbash/registry"
)

// A tool is a schema and a function of kwargs; its words are parsed by the one grammar.
func Example() {
	greet := &registry.Tool{
		Name:    "greet",
		Summary: "Greet somebody",
		Params: registry.NewParams(
			registry.Param{Name: "name", Type: registry.String, Required: true},
			registry.Param{Name: "times", Type: registry.Integer, Default: 1},
		),
		Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
			for range c.Int("times") {
				fmt.Fprintf(c.Stdout, "hello %s\n", c.String("name"))
			}
			return registry.Success(""), nil
		},
	}
	parsed, err := greet.Parse([]string{"Ada", "--times=2"}, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	greet.Invoke(context.Background(), &registry.Call{Kwargs: parsed.Kwargs, Dir: "/", Stdout: os.Stdout})
	_, err = greet.Parse([]string{"--tims", "2"}, false)
	fmt.Println(err)
	// Output:
	// hello Ada
	// hello Ada
	// greet: unknown parameter --tims; did you mean --times? (its parameters: name, times)
	// greet: missing --name: write --name TEXT
	// see: greet --help
}

// Execute takes kwargs from Go code, or from a model's JSON, and checks them as a
// command line is checked.
func ExampleToolRegistry_Execute() {
	r := registry.New()
	if err := r.Register(&registry.Tool{
		Name: "double", Summary: "Double a number", Kind: registry.ReadOnly,
		Params: registry.NewParams(registry.Param{Name: "number", Type: registry.Integer, Required: true, Aliases: []string{"n"}}),
		Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
			return registry.Success(fmt.Sprint(2 * c.Int("number"))), nil
		},
	}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(r.Execute(context.Background(), "double", registry.Kwargs{"n": 21.0}).Output)
	fmt.Println(r.Execute(context.Background(), "double", registry.Kwargs{"numbr": 1.5}).Error)
	// Output:
	// 42
	// double: unknown parameter --numbr; did you mean --number? (its parameters: number)
	// double: missing --number: write --number N
	// see: double --help
}
