// Command worker runs tasks of agentbash for Temporal. The server is that of TEMPORAL_ADDRESS
// (localhost:7233), the task queue agentbash, or the first word.
package main

import (
	"log"
	"os"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	agentbash "github.com/agentbash/agentbash/contrib/temporal"
)

func main() {
	queue := "agentbash"
	if len(os.Args) > 1 {
		queue = os.Args[1]
	}
	c, err := client.Dial(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS")})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	w := worker.New(c, queue, worker.Options{MaxConcurrentActivityExecutionSize: 8})
	w.RegisterWorkflow(agentbash.Batch)
	w.RegisterActivity(&agentbash.Activities{})
	if err := w.Run(worker.InterruptCh()); err != nil {
		log.Fatal(err)
	}
}
