package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// A client calls a tool of a server that is reached over HTTP.
func Example() {
	type greeting struct {
		Name string `json:"name"`
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "greeter", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "greet"}, func(_ context.Context, _ *sdk.CallToolRequest, in greeting) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Hello, " + in.Name}}}, nil, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	defer web.Close()

	client := mcp.NewClient(mcp.Spec{URL: web.URL}, nil)
	defer client.Close()
	result, err := client.Call(context.Background(), mcp.Call{Tool: "greet", Arguments: json.RawMessage(`{"name": "Ada"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Content[0].Text)
	// Output: Hello, Ada
}
