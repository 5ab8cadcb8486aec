// Package panicgroup runs goroutines whose panics do not end the program: they are
// raised again where the goroutines are waited for, so that whoever recovers
// from a tool's panic recovers from those of its goroutines too.
package panicgroup

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Group is the goroutines that are waited for together. The zero value has none.
type Group struct {
	wg    sync.WaitGroup
	mu    sync.Mutex
	value any // of the first panic
}

// Go runs f in a goroutine. After a panic in it, failed is called, if it is not
// nil, to stop what the others wait for.
func (c *Group) Go(f, failed func()) {
	c.wg.Go(func() {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			c.mu.Lock()
			if c.value == nil {
				c.value = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			c.mu.Unlock()
			if failed != nil {
				failed()
			}
		}()
		f()
	})
}

// Wait waits for all goroutines and panics if one of them did.
func (c *Group) Wait() {
	c.wg.Wait()
	if c.value != nil {
		panic(c.value)
	}
}
