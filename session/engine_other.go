//go:build !linux

package session

import (
	"context"
	"errors"
	"runtime"
)

// engine cannot be had here yet: it stands on /proc, pidfd and memfd.
type engine struct{}

func newEngine(config) (*engine, error) {
	return nil, errors.New("session: not available on " + runtime.GOOS + ": it needs Linux (/proc, pidfd, memfd)")
}

func (*engine) Run(context.Context, string, RunOptions) (Result, error) { return Result{}, ErrClosed }
func (*engine) Restart(context.Context, RestartOptions) error           { return ErrClosed }
func (*engine) State() []byte                                           { return nil }
func (*engine) Dir() string                                             { return "" }
func (*engine) SetStatus(int)                                           {}
func (*engine) Pid() int                                                { return 0 }
func (*engine) Close() error                                            { return nil }
