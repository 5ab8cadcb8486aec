package agentbash_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// greet is a tool of the embedder's own. It says what it does, so it runs where
// only reading is allowed.
var greet = &registry.Tool{
	Name: "greet", Summary: "Greet somebody", Kind: registry.ReadOnly,
	Params: registry.NewParams(registry.Param{Name: "name", Type: registry.String, Required: true}),
	Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		return registry.Success("hello " + c.String("name") + "\n"), nil
	},
}

// A program with a model loop of its own: a tool of its own, an MCP server, and
// the mode in which nothing is changed unasked. Who can be asked is an Approver.
func Example() {
	server := weatherServer()
	defer server.Close()
	dir, err := os.MkdirTemp("", "work-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	rules, err := policy.ParseRules("here", []byte(`["allow field:weather:*"]`), false)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := agentbash.New(&agentbash.Options{
		Dir: dir, Mode: policy.AskMode, Tools: []*registry.Tool{greet},
		Fields: fieldbash.Config{MCPServers: map[string]fieldbash.Server{"weather": {URL: server.URL}}},
		Guard:  guard.Options{Rules: []*policy.Rules{rules}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	// The loop: what the model sends is run, what it sees is the output. The one
	// tool that it is told of is b.Definition().
	for _, command := range []string{"greet Ada | tr a-z A-Z", "field:weather:now --city Oslo | cut -c 1-8", "echo x > file; cat ~/.ssh/id_rsa"} {
		res := b.Run(context.Background(), command, nil)
		fmt.Printf("%d %.40q\n", res.ExitCode, res.Output)
	}
	// Output:
	// 0 "HELLO ADA\n"
	// 0 "Oslo: 20\n"
	// 126 "[stderr]\ndenied: in mode ask this must b"
}

// weatherServer is an MCP server over HTTP.
func weatherServer() *httptest.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "weather", Version: "1"}, nil)
	type place struct {
		City string `json:"city"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "now", Description: "The temperature of a city"}, func(_ context.Context, _ *sdk.CallToolRequest, p place) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: p.City + ": 20 degrees\n"}}}, nil, nil
	})
	return httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
}
