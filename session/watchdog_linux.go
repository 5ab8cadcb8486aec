package session

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// A watchdog is a small bash, outside the session, that reads a pipe whose
// other end only the host holds. When the host ends, however it does, the read
// ends, and the watchdog kills whatever bears the session's mark in its
// environment, and its descendants. (PR_SET_PDEATHSIG would follow the thread
// that started the shell, and does not reach grandchildren.)
type watchdog struct {
	life  *os.File
	alive *atomic.Bool
	ended chan struct{}
}

// watchScript reads "done" when the session is closed in good order. It looks
// again until it finds nothing, for a process may be between fork and exec.
const watchScript = `trap '' HUP INT QUIT TERM PIPE USR1 USR2
IFS= read -r word; [[ $word == done ]] && exit
quiet=0
for ((round = 0; round < 50 && quiet < 3; round++)); do
  declare -A hit=() parent=()
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    [[ $pid == $$ ]] && continue
    mapfile -d '' -t env <"$dir/environ" || continue
    for e in "${env[@]}"; do [[ $e == "$1" ]] && hit[$pid]=1; done
    read -r line <"$dir/stat" || continue
    line=${line##*) }; set -- "$1" $line
    [[ $2 == Z ]] && unset "hit[$pid]"
    parent[$pid]=$3
  done
  for ((more = 1; more; )); do
    more=0
    for pid in "${!parent[@]}"; do
      [[ -z ${hit[$pid]} && -n ${hit[${parent[$pid]}]} ]] && hit[$pid]=1 more=1
    done
  done
  if ((${#hit[@]})); then kill -9 "${!hit[@]}"; quiet=0; else ((quiet++)); fi
  read -t 0.1 <> <(:)
done 2>/dev/null`

// start starts the watchdog unless it is there already. A model that kills
// every bash kills this one too; the next shell gets a new one.
func (w *watchdog) start(shell, mark string) error {
	if w.alive != nil && w.alive.Load() {
		return nil
	}
	w.stop()
	r, life, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make the watchdog's pipe: %w", err)
	}
	c := exec.Command(shell, "--noprofile", "--norc", "-c", watchScript, "agentbash-watchdog", envMark+"="+mark)
	c.Args[0] = "agentbash-watchdog"
	c.Stdin = r
	c.Env = []string{"PATH=/usr/bin:/bin"}
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

// killMarked kills every process of the session of the given shell and every
// one whose environment bears the mark, until none is left.
func killMarked(mark string, session int) {
	needle := []byte(envMark + "=" + mark)
	for range 10 {
		hits := 0
		for _, p := range processes() {
			if p.zombie {
				continue
			}
			hit := session != 0 && p.session == session
			if !hit {
				env, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
				hit = err == nil && bytes.Contains(env, needle)
			}
			if hit {
				unix.Kill(p.pid, syscall.SIGKILL)
				hits++
			}
		}
		if hits == 0 {
			return
		}
	}
}
