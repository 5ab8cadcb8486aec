package shells

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"regexp"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// maxLine is how much of a line is looked at together, in bytes; a longer one
// counts as several.
const maxLine = 1 << 20

// lines takes apart what arrives.
type lines struct{ rest []byte } // a line that has no end yet

// ended are the lines that end in b, until the next call.
func (l *lines) ended(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			part, after, whole := bytes.Cut(b, []byte("\n"))
			line := append(l.rest, part...)
			if b, l.rest = after, line; !whole && len(line) <= maxLine {
				return
			}
			if l.rest = line[:0]; !yield(line) {
				return
			}
		}
	}
}

func (s *Shells) runOutput(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	j, err := s.findJob(call.String("bash_id"))
	if err != nil {
		return registry.Failure("%v", err), nil
	}
	res := registry.ToolResult{Success: true}
	if call.String("wait") != "" {
		res = j.waitForLine(ctx, call.String("wait"), waitLimit(ctx, call), j.position())
	}
	return j.answer(ctx, call, res)
}

// answer prints what is new, or the screen, and says how the shell is doing.
func (j *job) answer(ctx context.Context, call *registry.Call, res registry.ToolResult) (registry.ToolResult, error) {
	if ctx.Err() != nil {
		return registry.ToolResult{}, ctx.Err() // what is new stays new
	}
	if call.Bool("screen") && j.term == nil {
		return registry.Failure("background shell %s has no terminal, and no screen: leave --screen out, or start it with bash_start --tty", j.id), nil
	}
	if err := j.show(ctx, call); err != nil {
		return registry.ToolResult{}, err
	}
	st := j.state()
	fmt.Fprintf(call.Stderr, "%s: %s\n", j.id, st.says())
	if lost := j.loss(); lost != nil {
		fmt.Fprintf(call.Stderr, "%s: some of its output was lost: %v\n", j.id, lost)
	}
	return j.result(res, j.id+": "+st.says()), nil
}

// show prints the screen where it is asked for or a program has all of it, and
// otherwise the output that is new.
func (j *job) show(ctx context.Context, call *registry.Call) error {
	j.takeScreen()
	if j.term == nil || !call.Bool("screen") && !j.term.FullScreen() {
		var filter *regexp.Regexp
		if call.Has("filter") {
			filter = regexp.MustCompile(call.String("filter")) // Check saw that it compiles
		}
		return j.copyNew(ctx, call, filter)
	}
	text, line, column := j.term.Screen()
	if _, err := io.WriteString(call.Stdout, text); err != nil {
		return err
	}
	fmt.Fprintf(call.Stderr, "%s: that is its screen, the cursor is in line %d, column %d; bash_input --bash_id %[1]s --key NAME presses a key\n", j.id, line, column)
	return nil
}

// waitForLine waits for a line after a position of the log, or for the end.
func (j *job) waitForLine(ctx context.Context, what string, limit time.Duration, from int64) registry.ToolResult {
	late := time.NewTimer(limit)
	defer late.Stop()
	if what == "exit" {
		select {
		case <-j.ended:
			return registry.ToolResult{Success: true}
		case <-late.C:
			return tooLate("it did not end within %s: --timeout waits longer, up to the time limit of the command, bash_kill --bash_id %s ends it", limit, j.id)
		case <-ctx.Done():
			return registry.ToolResult{}
		}
	}
	s := scanner{re: regexp.MustCompile(what), at: from}
	for {
		over := false
		select {
		case <-j.ended:
			over = true
		default:
		}
		end, more := j.log.news()
		if s.matches(j, end) {
			return registry.ToolResult{Success: true}
		}
		if over {
			return registry.Failure("it ended, and no new line matched %q", what)
		}
		select {
		case <-more:
		case <-late.C:
			return tooLate("no new line matched %[3]q within %[1]s: --timeout waits longer, up to the time limit of the command; bash_start lists what runs", limit, j.id, what)
		case <-ctx.Done():
			return registry.ToolResult{}
		}
	}
}

// waitLimit is how long a call waits: somewhat less than its command may take, so that what is new is shown.
func waitLimit(ctx context.Context, call *registry.Call) time.Duration {
	limit := secondsParam(call, "timeout")
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		limit = min(limit, max(0, left-min(left/4, time.Second)).Round(time.Millisecond))
	}
	return limit
}

func tooLate(format string, args ...any) registry.ToolResult {
	res := registry.Failure(format, args...)
	res.ExitStatus = 124
	return res
}

// scanner looks for a line in what arrives. A line that has no end yet is
// looked at each time that there is more of it: a prompt never gets one.
type scanner struct {
	re *regexp.Regexp
	at int64
	lines
}

func (s *scanner) matches(j *job, end int64) bool {
	buf := make([]byte, 64<<10)
	for s.at < end {
		n, err := j.log.readAt(buf[:min(int64(len(buf)), end-s.at)], s.at)
		if n == 0 || err != nil {
			s.at = end
			break
		}
		s.at += int64(n)
		for line := range s.ended(buf[:n]) {
			if s.re.Match(bytes.TrimSuffix(line, []byte("\r"))) {
				return true
			}
		}
	}
	last := s.rest
	switch {
	case j.term != nil && j.term.FullScreen():
		screen, _, _ := j.term.Screen()
		last = []byte(screen)
	case j.term != nil:
		last = append(bytes.Clone(last), j.term.News()...)
	}
	for line := range bytes.Lines(last) {
		if s.re.Match(bytes.TrimSuffix(line, []byte("\n"))) {
			return true
		}
	}
	return false
}

// position is how far was looked.
func (j *job) position() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seen
}

// loss is why some of its output is not there, or nil.
func (j *job) loss() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lost
}

// copyNew copies what is new to the call's stdout, or the lines of it that match.
// An unfinished line of a running shell does not count as new for a filter.
func (j *job) copyNew(ctx context.Context, call *registry.Call, filter *regexp.Regexp) error {
	j.looking.Lock()
	defer j.looking.Unlock()
	ended := false
	select {
	case <-j.ended:
		ended = true
	default:
	}
	v := view{call: call, filter: filter, at: j.position()}
	end := j.log.end()
	for buf := make([]byte, 64<<10); v.at < end; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := j.log.readAt(buf[:min(int64(len(buf)), end-v.at)], v.at)
		if err != nil {
			return fmt.Errorf("read %s: %w", j.log.path, err)
		}
		v.at += int64(n)
		if err := v.show(buf[:n]); err != nil {
			return err
		}
	}
	if err := v.finish(ended); err != nil {
		return err
	}
	j.mu.Lock()
	j.seen, j.told = v.at-int64(len(v.rest)), j.told || ended
	j.mu.Unlock()
	if v.others > 0 {
		fmt.Fprintf(call.Stderr, "%s: %d other new lines did not match and count as seen; everything is in %s\n", j.id, v.others, j.log.path)
	}
	return nil
}

// view shows one look.
type view struct {
	call   *registry.Call
	filter *regexp.Regexp
	at     int64
	others int
	lines  // for the filter
}

func (v *view) show(b []byte) error {
	if v.filter == nil {
		_, err := v.call.Stdout.Write(b)
		return err
	}
	for line := range v.ended(b) {
		if err := v.test(line); err != nil {
			return err
		}
	}
	return nil
}

// test shows a line if it matches.
func (v *view) test(line []byte) error {
	if !v.filter.Match(bytes.TrimSuffix(line, []byte("\r"))) {
		v.others++
		return nil
	}
	_, err := v.call.Stdout.Write(append(line, '\n'))
	return err
}

// finish tests a last line without an end, which will not get any longer.
func (v *view) finish(ended bool) error {
	if len(v.rest) == 0 || !ended {
		return nil
	}
	line := v.rest
	v.rest = nil
	return v.test(line)
}
