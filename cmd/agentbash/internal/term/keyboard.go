package term

import (
	"errors"
	"io"
	"sync"

	"golang.org/x/sys/unix"
	xterm "golang.org/x/term"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// escapeWait is how long the rest of a key's sequence may take, in milliseconds.
const escapeWait = 50

// pasteWait is how long the rest of a paste may take, in milliseconds.
const pasteWait = 3000

// terminal is the one that a person types on.
type terminal struct {
	fd  int
	out io.Writer // gets what has pastes bracketed and the focus told; nil: they are not

	mu     sync.Mutex
	cooked *xterm.State // nil: it is as it was
}

// raw makes the terminal pass every key on at once. What is written is still
// processed, so that a newline starts a line whoever writes it.
func (t *terminal) raw() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cooked != nil {
		return nil
	}
	cooked, err := xterm.MakeRaw(t.fd)
	if err != nil {
		return err
	}
	t.cooked = cooked
	if t.out != nil {
		io.WriteString(t.out, "\x1b[?2004h\x1b[?1004h") // bracketed paste, and who has the focus (xterm)
	}
	attr, err := unix.IoctlGetTermios(t.fd, syscalls.GetTermios)
	if err != nil {
		return err
	}
	attr.Oflag |= unix.OPOST | unix.ONLCR
	return unix.IoctlSetTermios(t.fd, syscalls.SetTermios, attr)
}

// restore puts the terminal back. It may be called at any time, by anybody.
func (t *terminal) restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cooked != nil {
		if t.out != nil {
			io.WriteString(t.out, "\x1b[?1004l\x1b[?2004l")
		}
		xterm.Restore(t.fd, t.cooked)
		t.cooked = nil
	}
}

// size is the terminal's, asked for anew since it changes, or a common one
// where it does not know (0 by 0 on a serial line).
func (t *terminal) size() (width, height int) {
	width, height, err := xterm.GetSize(t.fd)
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// keyboard reads keys from a terminal, in a goroutine that can be paused, so
// that an editor or the shell we came from gets what is typed.
type keyboard struct {
	*source
	decoder *decoder

	keys   chan key   // unbuffered: what is not taken is kept
	ended  chan error // gets why there are no more keys
	unsent []key      // read, and not taken before a pause

	stop, joined chan struct{} // of the goroutine, nil while it is paused
}

func newKeyboard(fd int, bound Keys) (*keyboard, error) {
	src, err := newSource(fd)
	if err != nil {
		return nil, err
	}
	k := &keyboard{source: src, keys: make(chan key), ended: make(chan error, 1)}
	k.decoder = newDecoder(src, bound)
	k.decoder.more = func() bool { return k.waitReady(escapeWait) }
	k.decoder.late = func() bool { return k.waitReady(pasteWait) }
	return k, nil
}

// start goes on reading.
func (k *keyboard) start() {
	if k.stop != nil {
		return
	}
	k.stop, k.joined = make(chan struct{}), make(chan struct{})
	go k.serve(k.stop, k.joined)
}

// pause stops reading; it returns when nothing reads any more.
func (k *keyboard) pause() {
	if k.stop == nil {
		return
	}
	close(k.stop)
	k.takeBack()
	<-k.joined
	k.rearmCancel()
	k.stop = nil
}

// close pauses for ever.
func (k *keyboard) close() {
	k.pause()
	k.source.close()
}

func (k *keyboard) serve(stop, joined chan struct{}) {
	defer close(joined)
	for {
		for len(k.unsent) > 0 {
			select {
			case k.keys <- k.unsent[0]:
				k.unsent = k.unsent[1:]
			case <-stop:
				return
			}
		}
		next, err := k.decoder.next()
		switch {
		case errors.Is(err, errPaused):
			return
		case err != nil:
			k.ended <- err
			return
		}
		k.unsent = append(k.unsent, next)
	}
}
