package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/agentbash/agentbash/session/sandbox"
)

func Example() {
	box, err := sandbox.Open(sandbox.Spec{Secret: []string{"/etc/shadow"}}, sandbox.Read)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer box.Close()
	cmd := exec.Command("sh", "-c", "echo one >/opt/agentbash-example || echo it stays inside")
	cmd.Stdout = os.Stdout
	p, err := box.Start(cmd)
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Wait()
	// Output: it stays inside
}
