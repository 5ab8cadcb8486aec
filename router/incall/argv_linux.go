package incall

import "syscall"

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
