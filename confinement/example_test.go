package confinement_test

import (
	"context"
	"fmt"
	"os"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// The file tools, the judge and the shell are held to one workspace, in a mode in
// which nothing may be changed.
func Example() {
	dir, err := os.MkdirTemp("", "work-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	workspace := confinement.FindWorkspace(dir, nil)
	held := confinement.New(workspace, &confinement.Options{Mode: policy.PlanMode})
	defer held.Close()
	reg := registry.New()
	if err := reg.Register(files.Tools(&files.Options{Access: held.Access})...); err != nil {
		fmt.Println(err)
		return
	}
	r, err := router.New(reg, &router.Options{
		Dir: dir, Confiner: held, Guard: guard.New(&guard.Options{Mode: policy.PlanMode, World: workspace.World()}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for _, command := range []string{"echo hello | tr a-z A-Z", "write --file_path x --content y", "cat ~/.ssh/id_rsa"} {
		res := r.Run(context.Background(), command, nil)
		fmt.Printf("%d %q\n", res.ExitCode, res.Stdout)
	}
	// Output:
	// 0 "HELLO\n"
	// 126 ""
	// 126 ""
}
