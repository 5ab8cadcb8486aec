package shells

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Adoption is a command that was started elsewhere, as the first of its shell or not, and
// becomes a background shell.
type Adoption struct {
	Command, Dir string
	Started      time.Time
	PID          int                       // of the shell, also its session's
	Since        int64                     // what is older in that session is no part of the command; in clock ticks as in proc_pid_stat(5)
	Written      io.Reader                 // what it has written so far, which counts as seen
	Output       []*os.File                // what it writes from now on; closed at its end
	Wait         func() syscall.WaitStatus // waits for the command's end
}

// maxAdopted is how many commands go on at once.
const maxAdopted = 8

// defaultLimit is that of Options.Limit.
const defaultLimit = time.Hour

// Room is nil when one more command can be adopted, else why not.
func (s *Shells) Room() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.running((*job).isAdopted)
	switch {
	case s.closed:
		return errClosed
	case s.opts.Alone:
		return fmt.Errorf("this agentbash ends with the command")
	case len(ids) >= maxAdopted:
		return fmt.Errorf("%d commands go on already, the most there are: bash_kill %s ends the oldest", len(ids), ids[0])
	}
	return nil
}

func (j *job) isAdopted() bool { return j.since > 0 }

// Adopt makes a background shell of a command that runs. After an error the command and its
// output are still the caller's.
func (s *Shells) Adopt(a Adoption) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, err := s.newJob(a.Command, a.Dir, false)
	if err != nil {
		return "", err
	}
	r, w, err := os.Pipe()
	if err == nil {
		if _, err = io.Copy(writerTo(j.log.write), a.Written); err != nil {
			r.Close()
			w.Close()
		}
	}
	if err != nil {
		j.log.remove()
		return "", fmt.Errorf("keep the output of what goes on: %w", err)
	}
	j.pid, j.since, j.started, j.out, j.status, j.seen = a.PID, max(a.Since, 1), a.Started, r, Running, j.log.end()
	var copies sync.WaitGroup
	for _, f := range a.Output {
		copies.Go(func() {
			io.Copy(w, f)
			f.Close()
		})
	}
	go func() {
		copies.Wait()
		w.Close()
	}()
	go j.copyOutput()
	go j.wait(a.Wait)
	go j.endLate(cmp.Or(s.opts.Limit, defaultLimit))
	s.forgetEnded()
	s.jobs = append(s.jobs, j)
	return j.id, nil
}

// writerTo is a writer that has only an error.
type writerTo func([]byte) error

func (f writerTo) Write(p []byte) (int, error) {
	if err := f(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// endLate ends an adopted shell that does not end in time.
func (j *job) endLate(limit time.Duration) {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-j.ended:
	case <-late.C:
		j.mu.Lock()
		j.late = j.status == Running
		j.mu.Unlock()
		j.killTree(closeGrace)
	}
}

// News are lines about adopted shells that have ended since the last call, and whose end nobody
// has looked at.
func (s *Shells) News() (lines []string) {
	for _, j := range s.all() {
		if line := j.takeNews(); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func (j *job) takeNews() string {
	st := j.state()
	j.mu.Lock()
	defer j.mu.Unlock()
	if st.Status == Running || !j.isAdopted() || j.noted || j.told {
		return ""
	}
	j.noted = true
	why := ""
	if j.late {
		why = " by the time limit for what goes on,"
	}
	wrote := "it wrote nothing since"
	if j.told = st.Unread == 0; !j.told {
		wrote = "bash_output " + j.id + " shows what it wrote since"
	}
	return fmt.Sprintf("shell %s ended:%s %s: %s; it ran: %s", j.id, why, st.says(), wrote, st.shortCommand())
}

// shortCommand is the beginning of the command in one line.
func (j Job) shortCommand() string {
	command := strings.Join(strings.Fields(j.Command), " ")
	if r := []rune(command); len(r) > 100 {
		command = string(r[:100]) + "..."
	}
	return command
}
