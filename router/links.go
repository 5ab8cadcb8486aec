package router

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/syscalls"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/internal/protocol"
	"github.com/agentbash/agentbash/router/internal/stub"
	"golang.org/x/sys/unix"
)

// links is a directory at the end of the session's PATH in which every command
// has its name: links to one program that calls the host.
type links struct {
	dir    string
	client bool // there is a program behind the links

	later sync.Once
	first []*registry.Tool // those that were there at the start, linked by all
	known func() []string  // names of tools of groups that are not loaded

	mu     sync.Mutex
	made   map[string]bool
	timer  *time.Timer // of soon
	closed bool
}

// manyTools is from how many on links are made later: a file system takes its time for hundreds.
const manyTools = 64

// open makes the directory and the program: with small, and where it can be
// executed, the program of the package stub, else a link to this executable, if
// its package incall does the same.
func (l *links) open(dir, socket string, small bool) error {
	l.dir, l.made = dir, map[string]bool{protocol.Any: true}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("router: directory for calls: %w", err)
	}
	path := filepath.Join(dir, protocol.Any)
	if program := stub.Program(socket); small && program != nil && !syscalls.NoExec(dir) {
		if err := os.WriteFile(path, program, 0o700); err != nil {
			return fmt.Errorf("router: program for calls: %w", err)
		}
		l.client = true
		return nil
	}
	if !protocol.Client {
		l.closed = true // a link would start this program's own main
		return nil
	}
	l.client = true
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, path)
	}
	if err != nil {
		return fmt.Errorf("router: link for calls: %w", err)
	}
	return nil
}

// addNames makes tools runnable by name; read, write and grep, which are Unix's own, with the prefix alone.
func (l *links) addNames(tools ...*registry.Tool) {
	if len(tools) < manyTools {
		l.makeLinks(tools)
		return
	}
	l.first = tools
}

// soonDelay leaves the start of a program to what somebody waits for.
const soonDelay = 100 * time.Millisecond

// makeLater makes the links that were put off in the background, a little later.
func (l *links) makeLater() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil && !l.closed {
		l.timer = time.AfterFunc(soonDelay, l.makePending)
	}
}

// makePending makes the links that were put off; the first call does, the others wait.
func (l *links) makePending() {
	l.later.Do(func() {
		l.makeLinks(l.first)
		if !l.client {
			return
		}
		for _, name := range l.known() {
			l.makeLink(name) // what could not be linked is found by command_not_found_handle
		}
	})
}

func (l *links) makeLinks(tools []*registry.Tool) {
	for _, t := range tools {
		l.makeLink(prefixedName(t.Name))
		if !slices.Contains(unixNames, t.Name) {
			l.makeLink(t.Name)
		}
	}
}

// maxWords bounds how many links one text can ask for.
const maxWords = 256

// addWords makes runnable what has the form of an agent or field command
// anywhere in a text, so that xargs and find can run a field command whose
// group is not loaded yet. An unknown one has its error from the host. It
// returns when the links that were put off are there, too.
func (l *links) addWords(text string) error {
	l.makePending()
	for n := 0; n < maxWords; n++ {
		i := nextPrefixed(text)
		if i < 0 {
			return nil
		}
		text = text[i:]
		end := len(agentPrefix) // as long as registry.FieldPrefix
		for end < len(text) && nameBytes[text[end]] {
			end++
		}
		if err := l.makeLink(text[:end]); err != nil {
			return err
		}
		text = text[end:]
	}
	return nil
}

// nextPrefixed is where the next "agent:" or "field:" stands in a text, or -1.
func nextPrefixed(text string) int {
	a, f := strings.Index(text, agentPrefix), strings.Index(text, registry.FieldPrefix)
	if a < 0 || f >= 0 && f < a {
		return f
	}
	return a
}

func (l *links) makeLink(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made[name] || l.closed || strings.ContainsAny(name, "/\x00") || len(name) > unix.NAME_MAX {
		return nil
	}
	path := filepath.Join(l.dir, name)
	err := unix.Linkat(unix.AT_FDCWD, filepath.Join(l.dir, protocol.Any), unix.AT_FDCWD, path, 0) // some file systems take ten times as long for a symbolic one
	if err != nil && !errors.Is(err, os.ErrExist) {
		err = os.Symlink(protocol.Any, path)
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("router: link %s: %w", name, err)
	}
	l.made[name] = true
	return nil
}

// close makes later additions do nothing: the directory is going.
func (l *links) close() {
	l.mu.Lock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.later.Do(func() {}) // waits
}
