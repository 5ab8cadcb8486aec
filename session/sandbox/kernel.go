package sandbox

import "errors"

// ErrUnsupported is wrapped by Open's error where there are neither namespaces nor Landlock.
var ErrUnsupported = errors.New("the kernel cannot confine a program")

// Support is what this kernel offers to this user.
type Support struct {
	Landlock int    // version of the interface; 0: none
	Why      string // there is no Landlock
	Filter   bool   // seccomp filters
}
