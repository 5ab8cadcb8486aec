package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// guardScript reads "add PID" and "del PID" lines; at end-of-file, which the
// kernel brings about however our program ends, it ends the process groups
// that were added and not deleted. It is a constant: nothing is interpolated.
const guardScript = `trap '' HUP INT TERM QUIT
groups=
while read -r op pid; do
	case $op in
	add) groups="$groups $pid" ;;
	del)
		rest=
		for g in $groups; do [ "$g" = "$pid" ] || rest="$rest $g"; done
		groups=$rest ;;
	esac
done
[ -n "$groups" ] || exit 0
for g in $groups; do kill -s TERM -- "-$g" 2>/dev/null; done
sleep 1
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
`

// Guard ends servers whose host was killed before it could end them: one small
// process for all of them, in a session of its own, at the other end of a pipe
// that only we hold open. The zero value is ready; the process is started with
// the first server. It is safe for concurrent use, and a nil *Guard guards nothing.
type Guard struct {
	mu   sync.Mutex
	life *os.File
	cmd  *exec.Cmd
}

// Add puts a process group under guard.
func (g *Guard) Add(pid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.life == nil {
		g.start()
	}
	g.say("add", pid)
}

// Remove says that the process group has ended.
func (g *Guard) Remove(pid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.say("del", pid)
}

// start leaves life nil when there is no /bin/sh; servers then depend on the
// end-of-file on their stdin alone.
func (g *Guard) start() {
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	cmd := &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", guardScript},
		Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/", Stdin: r,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	err = cmd.Start()
	r.Close()
	if err != nil {
		w.Close()
		return
	}
	g.life, g.cmd = w, cmd
}

func (g *Guard) say(op string, pid int) {
	if g.life != nil {
		fmt.Fprintf(g.life, "%s %d\n", op, pid) // a guard that is gone cannot be told
	}
}

// Close ends the guard's process, and with it whatever was not removed before.
func (g *Guard) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.life == nil {
		return nil
	}
	g.life.Close()
	g.life = nil
	return g.cmd.Wait()
}
