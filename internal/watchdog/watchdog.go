// Package watchdog ends what a program started when the program dies, however it
// does: also by SIGKILL, when it can end nothing itself.
//
// A watchdog is a small bash in a session of its own that reads a pipe whose
// other end only the program holds. When that end is closed without a word, it
// ends the sessions and process groups that it was told of, what bears a mark,
// and all their descendants, and looks again until it finds nothing, for a
// process may be between fork and exec. (PR_SET_PDEATHSIG would follow the thread
// that started a process, and does not reach grandchildren.)
package watchdog

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// Name is what a watchdog's process is called.
const Name = "agentbash-watchdog"

// Watchdog is started by the first Start or Add. The zero value knows no marks. It
// is safe for concurrent use; its fields are set before that. Close it. A nil
// *Watchdog watches nothing.
type Watchdog struct {
	// Env marks processes: an entry of their environment begins so. "" is none.
	Env string

	// Limit marks processes too: a line of /proc/PID/limits begins so. "" is none.
	Limit string

	// Kill sends SIGKILL at once, for shells, which would go on with their next
	// command. Others get SIGTERM, and SIGKILL a second later.
	Kill bool

	mu    sync.Mutex // guards what follows
	life  *os.File
	ended chan struct{}
	pids  map[int]bool // what is told to the next watchdog if this one is killed
}

// script gets the two marks and the first signal. It is a constant: nothing is
// interpolated. Without /proc it asks ps(1), that of macOS or of Linux, which shows no limits and no sessions. What
// it says has to be understood by the bash 3.2 of macOS.
const script = `trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM
env_mark=$1 limit_mark=$2 signal=$3 quiet=0
leads=()
while read -r word pid; do
  case $word in
  add) leads[$pid]=1 ;;
  remove) unset "leads[$pid]" ;;
  done) exit ;;
  esac
done
for ((round = 0; round < 50 && quiet < 3; round++)); do
  hit=() parent=()
  [[ -r /proc/self/stat ]] || while read -r pid up group state text; do
    [[ $pid == $$ || $up == $$ || $state == Z* ]] && continue
    parent[$pid]=$up
    [[ ${leads[$group]} || $env_mark && " $text" == *" $env_mark"* ]] && hit[$pid]=1
  done < <(ps -axwwE -o pid=,ppid=,pgid=,stat=,command= || ps axwwe -o pid=,ppid=,pgid=,stat=,command=)
  [[ -r /proc/self/stat ]] && for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    [[ $pid != $$ ]] && read -r line <"$dir/stat" || continue
    set -- ${line##*) }
    [[ $1 == Z ]] && continue
    parent[$pid]=$2
    [[ ${leads[$3]} || ${leads[$4]} ]] && hit[$pid]=1 && continue
    limits=() vars=() # or they keep those of the process before, where this one's cannot be read
    [[ $limit_mark ]] && mapfile -t limits <"$dir/limits"
    for l in "${limits[@]}"; do [[ $l == "$limit_mark"* ]] && hit[$pid]=1; done
    [[ ! $env_mark || ${hit[$pid]} ]] && continue
    mapfile -d '' -t vars <"$dir/environ"
    for v in "${vars[@]}"; do [[ $v == "$env_mark"* ]] && hit[$pid]=1; done
  done
  for ((more = 1; more; )); do
    more=0
    for pid in "${!parent[@]}"; do
      [[ ! ${hit[$pid]} && ${hit[${parent[$pid]}]} ]] && hit[$pid]=1 more=1
    done
  done
  if ((${#hit[@]})); then kill -s $signal "${!hit[@]}"; quiet=0; else ((quiet++)); fi
  [[ $signal == TERM ]] && sleep 1 || sleep 0.1
  signal=KILL
done 2>/dev/null`

// Start starts the watchdog unless it is there: something may have killed it.
func (w *Watchdog) Start() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.start()
}

func (w *Watchdog) start() error {
	if w.life != nil {
		select {
		case <-w.ended:
			w.life.Close()
			w.life = nil
		default:
			return nil
		}
	}
	// The system's, if there is one: PATH may lead to what a confined program wrote.
	bash, err := exec.LookPath("/bin/bash")
	if err != nil {
		bash, err = exec.LookPath("bash")
	}
	if err != nil {
		return fmt.Errorf("find bash for the watchdog: %w", err)
	}
	r, life, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make the watchdog's pipe: %w", err)
	}
	signal := "TERM"
	if w.Kill {
		signal = "KILL"
	}
	c := exec.Command(bash, "--noprofile", "--norc", "-c", script, Name, w.Env, w.Limit, signal)
	c.Args[0] = Name
	c.Stdin, c.Dir = r, "/"
	c.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = c.Start()
	r.Close()
	if err != nil {
		life.Close()
		return fmt.Errorf("start the watchdog: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Wait()
	}()
	w.life, w.ended = life, ended
	for pid := range w.pids {
		fmt.Fprintln(life, "add", pid)
	}
	return nil
}

// Add puts a session or a process group, by the number of its leader, under watch. 0, which is one that
// had ended before its number was known, is not watched: half the machine is in that session.
func (w *Watchdog) Add(pid int) error {
	if w == nil || pid <= 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.start()
	if w.pids == nil {
		w.pids = map[int]bool{}
	}
	w.pids[pid] = true
	w.tell("add", pid)
	return err
}

// Remove says that a session or a group has ended: its number may be another's
// soon.
func (w *Watchdog) Remove(pid int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pids, pid)
	w.tell("remove", pid)
}

func (w *Watchdog) tell(word string, pid int) {
	if w.life != nil {
		fmt.Fprintln(w.life, word, pid) // one that is gone cannot be told
	}
}

// Close ends the watchdog's process, and with it what was added and not removed:
// then, and only then, also what bears a mark.
func (w *Watchdog) Close() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.life == nil {
		return nil
	}
	if len(w.pids) == 0 {
		fmt.Fprintln(w.life, "done")
	}
	w.life.Close()
	<-w.ended
	w.life = nil
	return nil
}

// Ended is closed when the process of the watchdog has ended; nil if none was
// started.
func (w *Watchdog) Ended() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}
