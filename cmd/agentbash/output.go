package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// output is the program's stdout. It remembers that something could not be written:
// whatever a command makes of that, the program has then failed. It is safe for
// concurrent use.
type output struct {
	file *os.File

	mu  sync.Mutex
	err error // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// Fd is the descriptor, by which a terminal is known.
func (o *output) Fd() uintptr { return o.file.Fd() }

// exitStatus is the program's, and says why it is not the command's.
func (o *output) exitStatus(status int, notes io.Writer) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		return status
	}
	fmt.Fprintf(notes, "agentbash: not all of the output could be written: %v: make room, or send it elsewhere\n", o.err)
	return max(status, exitFailed)
}

// isTerminal reports whether a writer is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}
