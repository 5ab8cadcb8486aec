// Command agentbash is an agent with a single tool, bash, whose command
// strings reach a real bash, file tools and any MCP server or function.
package main

import (
	"context"
	"os"

	_ "github.com/agentbash/agentbash/router/incall" // started as agent:NAME, this program calls its host from inside bash
)

func main() {
	os.Exit(runProgram(context.Background(), &app{
		args: os.Args[1:], in: os.Stdin, out: os.Stdout, err: os.Stderr,
		environ: os.Environ(), lookup: os.LookupEnv,
	}))
}
