package mcp

//lint:file-ignore SA1019 roots and log messages are deprecated from MCP 2026-07-28 on, and what today's servers speak

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkClient makes the SDK's side of one connection.
func (c *Client) sdkClient(k *conn) *sdk.Client {
	caps := &sdk.ClientCapabilities{}
	caps.AddExtension(extTasks, nil)
	if len(c.opts.Roots) > 0 {
		caps.RootsV2 = &sdk.RootCapabilities{}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "agentbash", Version: c.opts.Version}, &sdk.ClientOptions{
		Capabilities:                caps,
		ElicitationHandler:          c.answerElicitation,
		CreateMessageHandler:        c.samplingHandler(),
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { c.noteChanged() },
		ResourceUpdatedHandler:      c.noteUpdated,
		ProgressNotificationHandler: k.showProgress,
		LoggingMessageHandler: func(_ context.Context, req *sdk.LoggingMessageRequest) {
			k.showLog(string(req.Params.Level), req.Params.Data)
		},
	})
	client.AddRoots(c.roots()...)
	addTasks(client)
	return client
}
