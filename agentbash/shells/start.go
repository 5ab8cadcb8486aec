package shells

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// errClosed is returned when the program is about to end.
var errClosed = errors.New("agentbash is ending: nothing more is started")

// startJob starts a shell in dir with the environment env.
func (s *Shells) startJob(ctx context.Context, command, dir string, env []string, p ports) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ids := s.running(func(*job) bool { return true }); len(ids) >= maxRunning {
		return nil, fmt.Errorf("%d background shells run already, the most there are: bash_kill %s ends the oldest", len(ids), ids[0])
	}
	if err := s.watch.Start(); err != nil {
		return nil, err
	}
	j, err := s.newJob(command, dir, p.keep)
	if err != nil {
		return nil, err
	}
	text := command
	if s.opts.Prepare != nil {
		text = s.opts.Prepare(command)
	}
	j.mark = s.mark + "." + j.id
	if p.keep { // the watchdog knows the other mark
		j.mark = markVar + "=kept." + randomID(16)
	}
	cmd := exec.Command("bash", "-c", text)
	cmd.Dir, cmd.Env = dir, childEnv(env, dir, j.mark)
	if err = s.giveState(ctx, j, cmd); err == nil {
		err = s.startBash(ctx, j, cmd, p)
	}
	if err != nil {
		j.log.remove()
		os.Remove(j.statePath())
		return nil, err
	}
	if !p.keep {
		s.watch.Add(j.pid)
	}
	go func() {
		<-j.ended
		os.Remove(j.statePath())
		if len(sessionMembers(j.pid)) == 0 {
			s.watch.Remove(j.pid) // the number may be another's soon
		}
	}()
	s.forgetEnded()
	s.jobs = append(s.jobs, j)
	return j, nil
}

// startBash starts the command, with its output going to the log.
func (s *Shells) startBash(ctx context.Context, j *job, cmd *exec.Cmd, p ports) error {
	theirs, err := s.open(ctx, p, j, cmd)
	for _, f := range theirs {
		defer f.Close()
	}
	if err != nil {
		return err
	}
	start := s.opts.Start
	if start == nil {
		start = StartDirectly
	}
	pid, wait, err := start(ctx, cmd)
	if err != nil {
		j.closePorts()
		return fmt.Errorf("start bash: %w", err)
	}
	j.pid, j.status = pid, Running
	if j.keep {
		wait = j.followLog(wait)
	} else {
		go j.copyOutput()
	}
	go j.wait(wait)
	return nil
}

// newJob makes a job that runs nothing yet; the caller holds mu.
func (s *Shells) newJob(command, dir string, keep bool) (*job, error) {
	if s.closed {
		return nil, errClosed
	}
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	id := strconv.Itoa(s.last + 1)
	flags := 0
	if keep {
		flags = os.O_APPEND
	}
	log, err := newLog(filepath.Join(s.dir, "background-"+s.name+"-"+id+".log"), flags)
	if err != nil {
		return nil, err
	}
	s.last++
	return &job{id: id, command: command, dir: dir, log: log, keep: keep, started: time.Now(), ended: make(chan struct{}), drained: make(chan struct{})}, nil
}

// maxRunning is how many shells run at once.
const maxRunning = 100

// running are the IDs of the shells that run and are of a kind; the caller holds mu.
func (s *Shells) running(of func(*job) bool) (ids []string) {
	for _, j := range s.jobs {
		select {
		case <-j.ended:
		default:
			if of(j) {
				ids = append(ids, j.id)
			}
		}
	}
	return ids
}
