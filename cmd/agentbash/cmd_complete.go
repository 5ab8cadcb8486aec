package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// completeWait is how long somebody who presses Tab waits for a server.
const completeWait = 2 * time.Second

// runComplete is agentbash complete-field LINE: how a command line goes on, as far as it is
// typed, a word a line. It is for the scripts of agentbash completion, and not in the help.
func runComplete(ctx context.Context, a *app, words []string) int {
	line := strings.Join(words, " ")
	at := strings.Index(line, " "+registry.FieldPrefix)
	if at < 0 {
		return exitOK
	}
	typed := strings.Fields(line[at:])
	if strings.HasSuffix(line, " ") {
		typed = append(typed, "")
	}
	a.err = io.Discard // nothing but candidates belongs on the terminal
	b, err := a.openBash(bashOptions{guard: typedBy(a.mode)})
	if err != nil {
		return exitFailed
	}
	defer b.Close()
	ctx, cancel := context.WithTimeout(ctx, completeWait)
	defer cancel()
	for _, word := range b.Fields().Complete(ctx, typed) {
		fmt.Fprintln(a.out, word)
	}
	return exitOK
}
