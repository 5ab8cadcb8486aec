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
