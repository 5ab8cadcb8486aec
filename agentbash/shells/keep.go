package shells

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// startKept starts a shell that the end of the program leaves alone: a pipe to the program would
// break then, so that it writes to the log itself.
func (j *job) startKept(ctx context.Context, cmd *exec.Cmd, start func(context.Context, *exec.Cmd) (int, func() syscall.WaitStatus, error)) error {
	cmd.Stdout, cmd.Stderr = j.log.file, j.log.file
	pid, wait, err := start(ctx, cmd)
	if err != nil {
		return fmt.Errorf("start bash: %w", err)
	}
	j.pid, j.status = pid, Running
	ended := make(chan struct{})
	go j.followLog(ended)
	go j.wait(func() syscall.WaitStatus {
		defer close(ended)
		return wait()
	})
	return nil
}

// logGap is how often the log of a kept shell is looked at.
const logGap = 50 * time.Millisecond

// followLog notes how long the log is that a kept shell writes to.
func (j *job) followLog(ended <-chan struct{}) {
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
}
