//go:build linux

package session_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/agentbash/agentbash/session"
)

func Example() {
	s, err := session.New(&session.Options{
		Dir:   "/",
		Unset: []string{"OPENAI_API_KEY"},
		Init:  "greet() { echo \"hello $1\"; }",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	ctx := context.Background()
	for _, command := range []string{
		"cd /usr; name=world",
		"greet $name; pwd; (exit 3)",
		"echo $?; exit 4",
		"greet again; echo $name; pwd",
	} {
		r, err := s.Run(ctx, command, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s%d restarted=%v\n", r.Stdout, r.ExitCode, r.Restarted)
	}
	// Output:
	// 0 restarted=false
	// hello world
	// /usr
	// 3 restarted=false
	// 3
	// 4 restarted=false
	// hello again
	// world
	// /usr
	// 0 restarted=true
}

// A command that runs into its time limit is stopped with everything it
// started; the session goes on.
func ExampleSession_Run() {
	s, err := session.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	r, err := s.Run(context.Background(), "sleep 1000; echo end", &session.RunOptions{
		Timeout: 100 * time.Millisecond,
		Stdout:  os.Stdout,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.TimedOut, r.ExitCode)
	// Output: true 124
}
