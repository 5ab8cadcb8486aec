// Command agentbash is an agent with a single tool, bash, whose command
// strings reach a real bash, file tools and any MCP server or function.
package main

import (
	"context"
	"os"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/procblock"
	_ "github.com/agentbash/agentbash/router/incall" // started as agent:NAME, this program calls its host from inside bash
)

func main() {
	var args []string
	for _, arg := range os.Args[1:] {
		args = append(args, strings.Clone(arg)) // keys are overwritten where they stood
	}
	out := &output{file: os.Stdout}
	status := runProgram(context.Background(), &app{
		args: args, in: os.Stdin, out: out, err: os.Stderr,
		environ: os.Environ(), lookup: os.LookupEnv, hide: procblock.Hide,
	})
	os.Exit(out.exitStatus(status, os.Stderr))
}
