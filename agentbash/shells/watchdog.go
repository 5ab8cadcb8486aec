package shells

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
)

// A watchdog is a small bash that reads a pipe whose other end only this program
// holds. It is told which sessions there are; when the program ends without a
// word, however it does, it kills them, their descendants, and whatever bears
// a mark that begins with ours.
type watchdog struct {
	mu    sync.Mutex
	life  *os.File
	alive *atomic.Bool
	ended chan struct{}
	pids  map[int]bool // sessions, for the next watchdog if this one is killed
}

const watchScript = `trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM
mark=$1 quiet=0
declare -A leads=()
while read -r sign pid; do
  case $sign in
  +) leads[$pid]=1 ;;
  -) unset "leads[$pid]" ;;
  done) exit ;;
  esac
done
for ((round = 0; round < 50 && quiet < 3; round++)); do
  declare -A hit=() above=()
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    [[ $pid != $$ ]] && read -r line <"$dir/stat" || continue
    set -- ${line##*) }
    [[ $1 == Z ]] && continue
    above[$pid]=$2
    [[ ${leads[$4]} ]] && hit[$pid]=1 && continue
    vars=() # or it keeps those of the process before, where this one's cannot be read
    mapfile -d '' -t vars <"$dir/environ"
    for v in "${vars[@]}"; do [[ $v == "$mark"* ]] && hit[$pid]=1; done
  done
  for ((more = 1; more; )); do
    more=0
    for pid in "${!above[@]}"; do
      [[ ! ${hit[$pid]} && ${hit[${above[$pid]}]} ]] && hit[$pid]=1 more=1
    done
  done
  if ((${#hit[@]})); then kill -9 "${!hit[@]}"; quiet=0; else ((quiet++)); fi
  sleep 0.1
done 2>/dev/null`

// start starts it unless it is there.
func (w *watchdog) start(mark string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.alive != nil && w.alive.Load() {
		return nil
	}
	w.release()
	r, life, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("pipe for the watchdog: %w", err)
	}
	c := exec.Command("bash", "--noprofile", "--norc", "-c", watchScript, "agentbash-watchdog", mark)
	c.Args[0] = "agentbash-watchdog"
	c.Stdin, c.Dir = r, "/"
	c.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = c.Start()
	r.Close()
	if err != nil {
		life.Close()
		return fmt.Errorf("start the watchdog: %w", err)
	}
	alive, ended := new(atomic.Bool), make(chan struct{})
	alive.Store(true)
	go func() {
		defer close(ended)
		c.Wait()
		alive.Store(false)
	}()
	w.life, w.alive, w.ended = life, alive, ended
	for pid := range w.pids {
		fmt.Fprintln(life, "+", pid)
	}
	return nil
}

// tell adds (+) a session, or takes one away (-).
func (w *watchdog) tell(sign string, pid int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pids == nil {
		w.pids = map[int]bool{}
	}
	if w.pids[pid] = true; sign == "-" {
		delete(w.pids, pid)
	}
	if w.life != nil {
		fmt.Fprintln(w.life, sign, pid)
	}
}

// stop sends it home and waits for it.
func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.release()
}

func (w *watchdog) release() {
	if w.life == nil {
		return
	}
	fmt.Fprintln(w.life, "done")
	w.life.Close()
	<-w.ended
	w.life = nil
}
