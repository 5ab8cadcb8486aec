// Package stub makes a program of about a thousand bytes that does what the
// package incall does: it passes argv, directory and descriptors 0, 1 and 2 to
// a host over its Unix socket and exits with the status that comes back.
//
// A Go program of any size needs two to five times as long as /bin/true only to
// start; one call in a loop over a thousand files would be felt. So where it
// can, the host writes this program next to its socket, whose path is built
// into it, and links the commands' names to it. The program is the machine code
// of one assembly function that touches nothing but its stack and the block of
// constants behind the ELF header; see client_linux_amd64.s. On systems that
// have none, and where files in the directory cannot be executed, calls are
// made by incall.
package stub
