package agentbash

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/session"
)

// background has the background shells take over what goes on after its time limit.
type background struct{ *shells.Shells }

// Adopt implements router.Background.
func (b background) Adopt(command, dir string, started time.Time, written io.Reader, goesOn *session.Running) (int, error) {
	id, err := b.Shells.Adopt(shells.Adoption{Command: command, Dir: dir, Started: started, PID: goesOn.Pid, Since: goesOn.Since,
		Written: written, Output: []*os.File{goesOn.Stdout, goesOn.Stderr}, Wait: goesOn.Wait})
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(id)
	if err != nil {
		return 0, fmt.Errorf("background shell %s: %w", id, err)
	}
	return number, nil
}
