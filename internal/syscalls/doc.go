// Package syscalls is what Linux and macOS do by different calls of the kernel, and what
// must do where a kernel lacks a call.
//
// The build tag portable builds it for Linux with what stands in for Linux's own calls, so
// that this half, which macOS runs on, is tested on Linux, too. What is left for macOS
// alone are calls and numbers that only it has.
//
// It promises no security: what it does on a system without a sandbox is not confined.
package syscalls
