package session

import (
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
)

// A watchdog is a small bash, outside the session, that reads a pipe whose
// other end only the host holds. When the host ends, however it does, the read
// ends, and the watchdog kills whatever bears the session's brand, and its
// descendants. (PR_SET_PDEATHSIG would follow the thread that started the
// shell, and does not reach grandchildren.)
type watchdog struct {
	life  *os.File
	alive *atomic.Bool
	ended chan struct{}
}

// watchScript gets the two marks of the brand as arguments. It reads "done"
// when the session is closed in good order. It looks again until it finds
// nothing, for a process may be between fork and exec.
const watchScript = `trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM
IFS= read -r word; [[ $word == done ]] && exit
env_mark=$1 limit_mark=$2 quiet=0
for ((round = 0; round < 50 && quiet < 3; round++)); do
  declare -A hit=() parent=()
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    [[ $pid != $$ ]] && read -r line <"$dir/stat" || continue
    line=${line##*) }; set -- $line
    [[ $1 == Z ]] && continue
    parent[$pid]=$2
    limits=() env=() # or they keep those of the process before, where this one's cannot be read
    mapfile -t limits <"$dir/limits"
    for l in "${limits[@]}"; do [[ $l == "$limit_mark"* ]] && hit[$pid]=1; done
    [[ ${hit[$pid]} ]] && continue
    mapfile -d '' -t env <"$dir/environ"
    for e in "${env[@]}"; do [[ $e == "$env_mark" ]] && hit[$pid]=1; done
  done
  for ((more = 1; more; )); do
    more=0
    for pid in "${!parent[@]}"; do
      [[ ! ${hit[$pid]} && ${hit[${parent[$pid]}]} ]] && hit[$pid]=1 more=1
    done
  done
  if ((${#hit[@]})); then kill -9 "${!hit[@]}"; quiet=0; else ((quiet++)); fi
  sleep 0.1
done 2>/dev/null`

// start starts the watchdog unless it is there already. A command that kills
// every bash kills this one too; the next shell gets a new one. It is not
// Options.Shell, which may be confined and then could not kill.
func (w *watchdog) start(b brand) error {
	if w.alive != nil && w.alive.Load() {
		return nil
	}
	w.stop()
	bash, err := exec.LookPath("bash")
	if err != nil {
		return fmt.Errorf("find bash for the watchdog: %w", err)
	}
	r, life, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make the watchdog's pipe: %w", err)
	}
	c := exec.Command(bash, "--noprofile", "--norc", "-c", watchScript, "agentbash-watchdog", b.env(), b.limits())
	c.Args[0] = "agentbash-watchdog"
	c.Stdin = r
	c.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	c.Dir = "/"
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
	*w = watchdog{life: life, alive: alive, ended: ended}
	return nil
}

// stop sends the watchdog home and waits for it.
func (w *watchdog) stop() {
	if w.life == nil {
		return
	}
	w.life.WriteString("done\n")
	w.life.Close()
	<-w.ended
	w.life = nil
}
