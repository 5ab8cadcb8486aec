// Package incall is the bash side of a call: the program that runs when a
// command in the session's bash is an agent or field command.
//
// It lives in the host's own executable, which the session's PATH links to
// under the commands' names. Importing the package is all it takes: when a
// process has been started by such a name, and only then, its init sends the
// argv, the directory and the descriptors 0, 1 and 2 to the host over a Unix
// socket, waits, and ends the process with the exit status that comes back.
//
// That is done in init, before main, because a call must not cost what the
// whole program costs to initialise. Go initialises packages in the order of
// their import paths as soon as their imports are ready (The Go Programming
// Language Specification, "Package initialization"), and this package imports
// nothing but syscall, so it comes before almost all others. For the same
// reason it uses neither os nor fmt nor net.
package incall

import "syscall"

// The environment of a session's shell names the socket and the directory of
// the links.
const (
	SocketVar = "AGENTBASH_SOCKET"
	LinksVar  = "AGENTBASH_LINKS"
)

// Any is the link that takes the command's name as its first argument.
const Any = "agent:call"

// Exit statuses of the client itself.
const (
	lostHost = 3 // transport
)

// The request is a length (4 bytes, big endian), then the directory and the
// words, each ended by a NUL; the descriptors come with its first byte. The
// reply is Reply and the exit status.
const (
	Reply      = 'R'
	MaxRequest = 16 << 20 // bytes
)

func init() {
	socket, ok := syscall.Getenv(SocketVar)
	if !ok {
		return
	}
	links, _ := syscall.Getenv(LinksVar)
	words := commandLine()
	if len(words) == 0 || len(words[0]) == 0 {
		return
	}
	name := words[0]
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			name = name[i+1:]
			break
		}
	}
	var st syscall.Stat_t
	if syscall.Lstat(links+"/"+name, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFLNK {
		return
	}
	if words[0] = name; name == Any {
		words = words[1:]
	}
	exit(call(socket, words))
}

// commandLine is the process's argv (os.Args belongs to a package that is not
// initialised yet).
func commandLine() (words []string) {
	fd, err := syscall.Open("/proc/self/cmdline", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	buf := make([]byte, 0, 4096)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, make([]byte, len(buf))...)[:len(buf)]
		}
		n, err := syscall.Read(fd, buf[len(buf):cap(buf)])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			break
		}
		buf = buf[:len(buf)+n]
	}
	syscall.Close(fd)
	start := 0
	for i, c := range buf {
		if c == 0 {
			words = append(words, string(buf[start:i]))
			start = i + 1
		}
	}
	return words
}

// call sends the request and waits for the exit status.
func call(socket string, words []string) int {
	if len(words) == 0 {
		complain("agentbash: no command was named")
		return 2
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err == nil {
		err = retry(func() error { return syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket}) })
	}
	if err != nil {
		complain(words[0] + ": no agentbash serves this shell any more (" + err.Error() + "): start agentbash again and repeat the command there")
		return lostHost
	}
	if err := send(fd, request(words)); err != nil {
		complain(words[0] + ": the call could not be sent to agentbash (" + err.Error() + ")")
		return lostHost
	}
	var reply [2]byte
	got := 0
	for got < len(reply) {
		n, err := syscall.Read(fd, reply[got:])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			break
		}
		got += n
	}
	if got < len(reply) || reply[0] != Reply {
		complain(words[0] + ": agentbash ended during the call, which may or may not have been done: check before you repeat it")
		return lostHost
	}
	return int(reply[1])
}

func request(words []string) []byte {
	dir := make([]byte, 4097)
	n, err := syscall.Getcwd(dir)
	if err != nil || n < 1 {
		n, dir[0] = 1, 0
	}
	msg := append(make([]byte, 4, 256), dir[:n]...) // Getcwd ends it with a NUL
	for _, w := range words {
		msg = append(append(msg, w...), 0)
	}
	size := len(msg) - 4
	msg[0], msg[1], msg[2], msg[3] = byte(size>>24), byte(size>>16), byte(size>>8), byte(size)
	return msg
}

// send writes the message; the descriptors go with its first byte.
func send(fd int, msg []byte) error {
	var fds []int
	for i := range 3 {
		fds = append(fds, open(i))
	}
	n, err := syscall.SendmsgN(fd, msg[:1], syscall.UnixRights(fds...), nil, 0)
	if err != nil {
		return err
	}
	for msg = msg[n:]; len(msg) > 0; msg = msg[n:] {
		n, err = syscall.Write(fd, msg)
		if err == syscall.EINTR {
			n = 0
		} else if err != nil {
			return err
		}
	}
	return nil
}

// open returns descriptor i, or /dev/null in the place of a closed one.
func open(i int) int {
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

func retry(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}

func complain(message string) { syscall.Write(2, []byte(message+"\n")) }

func exit(status int) { syscall.Exit(status) }
