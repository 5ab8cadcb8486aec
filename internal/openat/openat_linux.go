package openat

import "golang.org/x/sys/unix"

// SearchOnly is the flag of a directory that names are looked up in, and no more.
const SearchOnly = unix.O_PATH

const (
	noSymlinks   = unix.RESOLVE_NO_SYMLINKS
	noMagicLinks = unix.RESOLVE_NO_MAGICLINKS
)

func openat2(at int, path string, flags int, resolve uint64) (int, error) {
	return unix.Openat2(at, path, &unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: resolve})
}
