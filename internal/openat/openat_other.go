//go:build !linux

package openat

import "golang.org/x/sys/unix"

// SearchOnly is the flag of a directory that names are looked up in, and no more.
const SearchOnly = unix.O_RDONLY

const noSymlinks, noMagicLinks = 0, 0

func openat2(int, string, int, uint64) (int, error) { return -1, unix.ENOSYS }
