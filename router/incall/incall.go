// Package incall is the bash side of a call: the program that runs when a
// command in the session's bash is an agent or field command.
//
// It lives in the host's own executable, which the session's PATH links to
// under the commands' names where the host cannot write a smaller program (see
// the package router). A program switches it on with one line in its package
// main:
//
//	import _ "github.com/agentbash/agentbash/router/incall"
//
// When the process has been started by such a name, and only then, the init of
// this package sends the argv, the directory and the descriptors 0, 1 and 2 to
// the host over a Unix socket, waits, and ends the process with the exit status
// that comes back: main is not reached.
//
// That is done in init, before main, because a call must not cost what the
// whole program costs to initialise. Go initialises packages in the order of
// their import paths as soon as their imports are ready (The Go Programming
// Language Specification, "Package initialization"), and this package imports
// nothing but syscall, so it comes before almost all others. For the same
// reason it uses neither os nor fmt nor net.
package incall

import (
	"syscall"

	"github.com/agentbash/agentbash/router/internal/protocol"
)

// Exit statuses of the client itself.
const (
	usage     = 2
	transport = 3
)

func init() {
	protocol.Client = true
	socket, _ := syscall.Getenv(protocol.SocketVar)
	links, _ := syscall.Getenv(protocol.LinksVar)
	words := commandLine()
	if len(words) == 0 {
		return
	}
	name := words[0]
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			name = name[i+1:]
			break
		}
	}
	if !isCall(name, links) {
		return
	}
	if words[0] = name; name == protocol.Any {
		words = words[1:]
	}
	syscall.Exit(sendCall(socket, words))
}

// isCall reports whether the program was started as a command of an agent: by
// a name that no other program has, also when the environment was cleared
// (nothing worse could happen than that the whole program starts instead), or
// by one that this host has linked.
func isCall(name, links string) bool {
	if len(name) >= 6 && (name[:6] == "agent:" || name[:6] == "field:") {
		return true
	}
	var st syscall.Stat_t
	return name != "" && links != "" && syscall.Lstat(links+"/"+name, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFLNK
}

// sendCall sends the request and waits for the exit status.
func sendCall(socket string, words []string) int {
	if len(words) == 0 {
		printError(protocol.NoName)
		return usage
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = retryInterrupted(func() error { return syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket}) })
	}
	switch {
	case err == syscall.EACCES || err == syscall.EPERM:
		printError(words[0] + ": " + protocol.Others)
		return transport
	case err != nil || socket == "":
		printError(words[0] + ": " + protocol.NoHost)
		return transport
	}
	var reply [2]byte
	if sendMessage(fd, encodeRequest(words)) != nil || !receiveFull(fd, reply[:]) || reply[0] != protocol.Reply {
		printError(words[0] + ": " + protocol.Lost)
		return transport
	}
	return int(reply[1])
}

// receiveFull fills the buffer; it reports false when the host is gone.
func receiveFull(fd int, buf []byte) bool {
	for len(buf) > 0 {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			return false
		}
		buf = buf[n:]
	}
	return true
}

func encodeRequest(words []string) []byte {
	dir, _ := syscall.Getwd()
	msg := append(append(make([]byte, 4, 256), dir...), 0)
	for _, w := range words {
		msg = append(append(msg, w...), 0)
	}
	size := len(msg) - 4
	msg[0], msg[1], msg[2], msg[3] = byte(size>>24), byte(size>>16), byte(size>>8), byte(size)
	return msg
}

// sendMessage writes the message; the descriptors go with its first byte.
func sendMessage(fd int, msg []byte) error {
	var fds []int
	for i := range 3 {
		fds = append(fds, openDescriptor(i))
	}
	oob := syscall.UnixRights(fds...)
	for len(msg) > 0 {
		n, err := syscall.SendmsgN(fd, msg, oob, nil, 0) // Go ignores SIGPIPE here
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		msg, oob = msg[n:], nil
	}
	return nil
}

// openDescriptor returns descriptor i, or /dev/null in the place of a closed one.
func openDescriptor(i int) int {
	var st syscall.Stat_t
	if syscall.Fstat(i, &st) == nil {
		return i
	}
	fd, err := syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return i
	}
	return fd
}

func retryInterrupted(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}

func printError(message string) { syscall.Write(2, []byte(message+"\n")) }
