package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// A lateSet drains the pipes that background processes still hold after their
// command has returned, so that they never block or die of a broken pipe, and
// keeps what they write in a file for each command.
type lateSet struct {
	dir    *stateDir
	n      int // of the last file
	mu     sync.Mutex
	open   map[*os.File]struct{}
	drains sync.WaitGroup
}

// adoptPipes takes the read ends of one command's pipes over and returns the path of
// the file that takes their bytes.
func (l *lateSet) adoptPipes(fds []int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	sink := &lateFile{path: l.createFile()}
	for _, fd := range fds {
		f := os.NewFile(uintptr(fd), "output of background jobs") // not blocking: the runtime polls it
		l.open[f] = struct{}{}
		sink.users++
		l.drains.Add(1)
		go l.drainPipe(f, sink)
	}
	return sink.path
}

// createFile makes an empty file; os.DevNull when that fails.
func (l *lateSet) createFile() string {
	dir, err := l.dir.path()
	if err != nil {
		return os.DevNull
	}
	for {
		l.n++
		path := filepath.Join(dir, fmt.Sprintf("background-%d-%d.log", os.Getpid(), l.n))
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if os.IsExist(err) { // another session has the same directory
			continue
		}
		if err != nil {
			return os.DevNull
		}
		f.Close()
		return path
	}
}

func (l *lateSet) drainPipe(f *os.File, sink *lateFile) {
	defer l.drains.Done()
	buf := make([]byte, 8<<10)
	for {
		n, err := f.Read(buf)
		sink.write(buf[:n])
		if err != nil {
			break
		}
	}
	l.mu.Lock()
	delete(l.open, f)
	l.mu.Unlock()
	f.Close()
	sink.leave()
}

// close ends every drainer.
func (l *lateSet) close() {
	l.mu.Lock()
	for f := range l.open {
		f.Close()
	}
	l.mu.Unlock()
	l.drains.Wait()
}

// A lateFile takes the late output of one command, opened when there is some.
type lateFile struct {
	path string

	mu    sync.Mutex
	users int
	f     io.WriteCloser
	total int64
}

func (s *lateFile) write(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(p) == 0 || s.total >= LateLimit {
		return
	}
	if s.f == nil {
		f, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			s.total = LateLimit // it was removed: nobody wants it
			return
		}
		s.f = f
	}
	s.f.Write(p[:min(int64(len(p)), LateLimit-s.total)])
	if s.total += int64(len(p)); s.total >= LateLimit {
		fmt.Fprintf(s.f, "\n[later output dropped after %d bytes]\n", int64(LateLimit))
	}
}

// leave closes the file after its last user.
func (s *lateFile) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 && s.f != nil {
		s.f.Close()
	}
}
