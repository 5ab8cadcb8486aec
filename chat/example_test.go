package chat_test

import (
	"context"
	"fmt"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// A scripted model stands for a server; another one needs a BaseURL, an APIKey
// and a Model of its own.
func Example() {
	server, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{
		{Text: "Let me see.", ToolCalls: []modelserver.ToolCall{{Command: "echo $((6 * 7))"}}},
		{Text: "It is 42."},
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	reg := registry.New()
	r, err := router.New(reg, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()

	conversation := chat.New(&chat.Options{
		Model: "scripted-1", BaseURL: server.BaseURL, MaxTurns: 10,
		Runner: &chat.RouterRunner{Router: r}, Description: router.Definition(reg).Description,
		Events: func(e chat.Event) {
			switch e := e.(type) {
			case chat.ToolCall:
				fmt.Println("$", e.Command)
			case chat.ToolResult:
				fmt.Print(e.Output)
			}
		},
	})
	answer, err := conversation.Turn(context.Background(), "What is six times seven?")
	fmt.Println(answer, err)
	// Output:
	// $ echo $((6 * 7))
	// 42
	// It is 42. <nil>
}
