package shells

import (
	"syscall"
	"time"
)

// logGap is how often the log of a kept shell is looked at.
const logGap = 50 * time.Millisecond

// followLog notes how long the log is that a kept shell writes to: a pipe to the program would
// break when that ends. wait is to be used in place of the one given.
func (j *job) followLog(wait func() syscall.WaitStatus) func() syscall.WaitStatus {
	ended := make(chan struct{})
	go func() {
		defer close(j.drained)
		defer j.log.close()
		look := time.NewTicker(logGap)
		defer look.Stop()
		for over := false; !over; {
			select {
			case <-look.C:
			case <-ended:
				over = true
			}
			j.log.measure()
		}
	}()
	return func() syscall.WaitStatus {
		defer close(ended)
		return wait()
	}
}
