//go:build !portable

package sandbox

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/tempdir"
)

// request is one thing that a host wants of init, and answer what it gets.
type request struct {
	Do      string // "profile", "protect", "idle", "start", "terminal" or "end"
	Writes  bool
	Path    string
	Argv    []string
	Env     []string
	Dir     string
	Files   int // descriptors that come along: 0, 1, 2, and where the exit status goes
	Profile Profile
	Apart   bool // in a mount namespace of its own, whose profile stays

	Terminal      bool // stdin is the controlling one
	Columns, Rows int  // of a terminal
}

type answer struct {
	Err     string
	Busy    bool
	Temp    string
	Missing []string
}

// encode and decode are for what host, init and launchers tell each other. Paths and
// arguments are bytes, which JSON would change.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(text []byte, v any) error { return gob.NewDecoder(bytes.NewReader(text)).Decode(v) }

// memoryFile is a value in a file that has no name.
func memoryFile(v any) (*os.File, error) {
	text, err := encode(v)
	if err != nil {
		return nil, err
	}
	fd, err := tempdir.Nameless("agentbash-sandbox")
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "order")
	if _, err := f.Write(text); err != nil {
		f.Close()
		return nil, fmt.Errorf("write the order: %w", err)
	}
	return f, nil
}

// receiveMessage reads one message of a socket with its descriptors.
func receiveMessage(fd int) (text []byte, fds []int, err error) {
	text, rights := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(8*4))
	for {
		n, rn, _, _, err := unix.Recvmsg(fd, text, rights, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return nil, nil, err
		}
		if rn > 0 {
			messages, err := unix.ParseSocketControlMessage(rights[:rn])
			if err != nil || len(messages) != 1 {
				return nil, nil, fmt.Errorf("control message: %w", err)
			}
			if fds, err = unix.ParseUnixRights(&messages[0]); err != nil {
				return nil, nil, fmt.Errorf("control message: %w", err)
			}
		}
		return text[:n], fds, nil
	}
}
