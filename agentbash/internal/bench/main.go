package main

import (
	"context"
	"fmt"
	"os"

	"github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/registry"
)

func main() {
	if os.Args[1] == "gen" {
		os.MkdirAll(os.Args[2], 0o755)
		fmt.Println(bigFile(os.Args[2]+"/big.log", 1<<30))
		fmt.Println(smallFiles(os.Args[2]+"/tree", 200000))
		return
	}
	for _, t := range agentbash.Tools(nil) {
		if t.Name == os.Args[1] {
			p, err := t.Parse(os.Args[2:], false)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
			dir, _ := os.Getwd()
			os.Exit(t.Invoke(context.Background(), &registry.Call{Kwargs: p.Kwargs, Dir: dir, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}).ExitStatus)
		}
	}
}
