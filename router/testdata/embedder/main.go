// Command embedder imports the router and does not switch on what answers calls
// from inside bash.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

func main() {
	reg := registry.New()
	if err := reg.Register(files.Tools(nil)...); err != nil {
		panic(err)
	}
	r, err := router.New(reg, nil)
	if err != nil {
		panic(err)
	}
	defer r.Close()
	fmt.Print("main reached as ", os.Args[0], "\n", r.Run(context.Background(), os.Args[1], nil).Output)
}
