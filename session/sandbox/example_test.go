package sandbox_test

import (
	"fmt"
	"os/exec"

	"github.com/agentbash/agentbash/session/sandbox"
)

func Example() {
	box, err := sandbox.Open(sandbox.Spec{Secret: []string{"/etc/shadow"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer box.Close()
	words := append(box.Argv, "sh", "-c", "echo one >/tmp/agentbash-example || echo it stays inside")
	out, _ := exec.Command(words[0], words[1:]...).Output()
	fmt.Print(string(out))
	// Output: it stays inside
}
