package shells

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// Category is what the tools are listed under.
const Category = "background"

// Tools returns bash_start, bash_output, bash_input and bash_kill. The Metadata of their
// results are bash_id, status, pid, log (the file with its output) and, when it has
// ended, exit_code; of bash_kill also processes, how many ended; of a list only
// shells, how many there are.
func (s *Shells) Tools() []*registry.Tool {
	return []*registry.Tool{s.startTool(), s.outputTool(), s.inputTool(), s.killTool()}
}

func idParam() registry.Param {
	return registry.Param{Name: "bash_id", Type: registry.String, Required: true, Aliases: []string{"id", "shell_id", "task_id"}, Description: "Its number, which bash_start printed."}
}

func (s *Shells) startTool() *registry.Tool {
	return &registry.Tool{
		Name:      "bash_start",
		Summary:   "run a command in the background; without one, list those that run",
		Kind:      registry.Execute,
		Category:  Category,
		Tags:      []string{"shell", "server", "daemon", "job", "process", "long", "run_in_background"},
		FromShell: true,
		Detail: `Starts a bash of its own for the command and prints its ID at once. It runs with a copy of the current directory, of the
exported variables, and of the session's functions, other variables, aliases and options; stdin is empty. It goes on while other commands
run, also when the session's shell is restarted, and ends with agentbash, unless with --keep. bash_output shows what it writes, bash_kill ends it.
With --tty it has a terminal, for what asks questions or has the whole screen (python3, psql, gdb, npm init, git rebase -i, vim, installers):
bash_input types there. With --stdin bash_input writes to its stdin, a pipe.`,
		Params: registry.NewParams(
			registry.Param{Name: "command", Type: registry.String, Positional: true, Pattern: true, Role: registry.RunsText, Aliases: []string{"cmd"},
				Description: "The command, in quotes; - reads it from stdin. Without one, the background shells are listed."},
			registry.Param{Name: "tty", Type: registry.Boolean, Aliases: []string{"pty", "terminal", "interactive"}, Description: "Give it a terminal, on which bash_input types."},
			registry.Param{Name: "size", Type: registry.String, Default: "80x24", Description: "Columns and rows of the terminal."},
			registry.Param{Name: "stdin", Type: registry.Boolean, Description: "Give it a pipe as stdin, to which bash_input writes; without it, stdin is empty."},
			registry.Param{Name: "keep", Type: registry.Boolean, Description: "Leave it running when agentbash ends; its log is named."},
		),
		Check: func(k registry.Kwargs) (problems []string) {
			size, sized := k["size"].(string)
			if _, _, err := parseSize(size); sized && err != nil {
				problems = append(problems, err.Error())
			}
			if k["command"] == nil && len(k) > 0 {
				problems = append(problems, "there is no command: give it in quotes, before the flags if it is true or false, which is a flag's value behind one")
			}
			if k["tty"] == true && k["stdin"] == true {
				problems = append(problems, "--tty and --stdin: a terminal is its stdin already; leave --stdin out")
			} else if sized && size != "80x24" && k["tty"] != true {
				problems = append(problems, "--size is that of a terminal: give --tty too")
			}
			if k["keep"] == true && (k["tty"] == true || k["stdin"] == true) {
				problems = append(problems, "--keep with --tty or --stdin: those end with agentbash; leave --keep out, or let it run without input")
			}
			return problems
		},
		Examples: []string{
			"bash_start 'npm run dev'",
			"id=$(bash_start --tty 'python3 -q'); bash_input $id '6*7'",
			"id=$(bash_start 'make test'); bash_output $id --wait exit",
			"bash_start",
		},
		Uses: func(k registry.Kwargs, uses []registry.Use, known bool) ([]registry.Use, bool) {
			switch k["command"] {
			case nil: // it lists
				return nil, true
			case "-":
				return nil, false
			}
			return uses, known
		},
		Run: s.runStart,
	}
}

func (s *Shells) runStart(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	if !call.Has("command") {
		return s.listJobs(call)
	}
	keep := call.Bool("keep")
	if s.opts.Alone && !keep {
		return registry.Failure("what it starts ends with agentbash, and this one ends at once: use it in a chat or in agentbash exec, or with --keep"), nil
	}
	command, err := commandOf(call)
	if err != nil {
		return registry.ToolResult{}, err
	}
	env, err := s.environ(call)
	if err != nil {
		return registry.ToolResult{}, err
	}
	columns, rows, err := parseSize(call.String("size"))
	if err != nil {
		return registry.ToolResult{}, registry.Usagef("%v", err)
	}
	if keep && s.opts.Keeps != nil {
		if err := s.opts.Keeps(ctx); err != nil {
			return registry.Failure("--keep: %v", err), nil
		}
	}
	j, err := s.startJob(ctx, command, call.Dir, env, ports{terminal: call.Bool("tty"), columns: columns, rows: rows, stdin: call.Bool("stdin"), keep: keep})
	if err != nil {
		return registry.Failure("%v", err), nil
	}
	if _, err := fmt.Fprintln(call.Stdout, j.id); err != nil {
		return registry.ToolResult{}, err
	}
	if keep {
		fmt.Fprintf(call.Stderr, "it goes on when agentbash ends, as process group and session %d, and writes to %s\n", j.pid, j.log.path)
	}
	if j.pid == 0 { // it had ended before its number was known
		<-j.ended
	}
	types := ""
	if j.term != nil {
		j.settle(ctx, firstPrompt) // what is typed before a program asks for it is echoed twice, or lost
	}
	if j.in != nil || j.term != nil {
		types = fmt.Sprintf("bash_input --bash_id %s TEXT types there, ", j.id)
	}
	if st := j.state(); st.Status != Running {
		fmt.Fprintf(call.Stderr, "%s: bash_output --bash_id %s shows what it wrote\n", st.says(), j.id)
	} else {
		fmt.Fprintf(call.Stderr, "runs in %s, pid %d: bash_output --bash_id %s shows what it writes, %sbash_kill --bash_id %[3]s ends it\n", call.Dir, j.pid, j.id, types)
	}
	return j.result(registry.Success(""), "started "+j.id), nil
}

// commandOf is the command that a call starts.
func commandOf(call *registry.Call) (string, error) {
	command := call.String("command")
	if command == "-" {
		if call.Stdin == nil {
			return "", errors.New("there is nothing on stdin: bash_start - <<'EOF', or give the command")
		}
		data, err := io.ReadAll(io.LimitReader(call.Stdin, maxCommand+1))
		if err != nil {
			return "", err
		}
		command = string(data)
	}
	switch {
	case strings.TrimSpace(command) == "":
		return "", registry.Usagef("the command is empty: bash_start 'COMMAND', or bash_start alone to list")
	case strings.IndexByte(command, 0) >= 0:
		return "", registry.Usagef("the command holds a NUL byte: leave it out")
	case len(command) > maxCommand:
		return "", registry.Usagef("the command is longer than 128 KiB: put it in a file and run that")
	}
	return command, nil
}

// firstPrompt is how long a program on a terminal may take until it waits for input.
const firstPrompt = 2 * time.Second

// result adds to a result what it is about.
func (j *job) result(res registry.ToolResult, display string) registry.ToolResult {
	st := j.state()
	res.Display = display
	res.Metadata = map[string]any{"bash_id": j.id, "status": string(st.Status), "pid": st.PID, "log": st.Log}
	if st.Status != Running {
		res.Metadata["exit_code"] = st.Exit
	}
	return res
}

// maxCommand is what Linux takes as one argument (MAX_ARG_STRLEN, execve(2)).
const maxCommand = 128<<10 - 1

func (s *Shells) environ(call *registry.Call) ([]string, error) {
	switch {
	case call.Environ != nil:
		return call.Environ()
	case s.opts.Env != nil:
		return s.opts.Env, nil
	}
	return os.Environ(), nil
}

// listJobs prints a line a shell.
func (s *Shells) listJobs(call *registry.Call) (registry.ToolResult, error) {
	jobs := s.Jobs()
	for _, j := range jobs {
		fmt.Fprintln(call.Stdout, j.Line())
	}
	if len(jobs) == 0 {
		fmt.Fprintln(call.Stderr, "there are no background shells: bash_start 'COMMAND' starts one")
	}
	return registry.ToolResult{Success: true, Display: countNoun(len(jobs), "background shell", "s"), Metadata: map[string]any{"shells": len(jobs)}}, nil
}

// Line shows the job in one line: its ID, how it is doing, its command.
func (j Job) Line() string {
	return fmt.Sprintf("%s: %s; %d bytes not seen yet: %s", j.ID, j.says(), j.Unread, j.shortCommand())
}

func (s *Shells) outputTool() *registry.Tool {
	return &registry.Tool{
		Name:     "bash_output",
		Summary:  "show what a background shell wrote since the last look",
		Kind:     registry.ReadOnly,
		Category: Category,
		Tags:     []string{"shell", "log", "wait", "job", "status", "poll"},
		Detail: `Prints what the shell wrote to stdout and stderr since the last look, and its status on stderr: running, completed (exit
code 0), failed, terminated (by a signal or bash_kill) or error (its output got lost). With --filter only lines that match are printed; the
others count as seen. --wait waits for a line that matches, or with the word exit for the end, and then prints what there is; exit status 124
says that it did not come in time, 1 that the shell ended without such a line. The time limit of the command itself applies too.
Of a terminal (bash_start --tty) the text is shown, without control sequences; while a program has the whole screen, or with --screen, the screen.`,
		Params: registry.NewParams(
			idParam(),
			registry.Param{Name: "filter", Type: registry.String, Pattern: true, Description: "Print only lines that match this regular expression (RE2)."},
			waitParam(), screenParam(),
			registry.Param{Name: "timeout", Type: registry.Number, Default: 60, Min: registry.Float(0), Max: registry.Float(600),
				Description: "How many seconds --wait waits."},
		),
		Examples: []string{
			"bash_output 1",
			"bash_output 1 --wait 'listening on' --timeout 30",
			"bash_output 1 --filter 'ERROR|WARN'",
		},
		Check: func(k registry.Kwargs) []string {
			problems := checkPatterns(k)
			if _, ok := k["wait"]; !ok && k["timeout"] != nil {
				problems = append(problems, "--timeout is for --wait: give that too")
			}
			return problems
		},
		Run: s.runOutput,
	}
}

func waitParam() registry.Param {
	return registry.Param{Name: "wait", Type: registry.String, Aliases: []string{"wait_for", "expect", "until"},
		Description: "Wait for a new line that matches this regular expression, or for the end: exit. ([e]xit is a line with that word.)"}
}

func screenParam() registry.Param {
	return registry.Param{Name: "screen", Type: registry.Boolean, Description: "Print the terminal's screen as it is, and where the cursor is."}
}

// checkPatterns says what is wrong with regular expressions.
func checkPatterns(k registry.Kwargs) (problems []string) {
	for _, name := range []string{"filter", "wait"} {
		if re, ok := k[name].(string); ok {
			if _, err := regexp.Compile(re); err != nil {
				problems = append(problems, fmt.Sprintf("--%s: %v: quote what is meant literally with a backslash", name, err))
			}
		}
	}
	return problems
}

func (s *Shells) killTool() *registry.Tool {
	return &registry.Tool{
		Name:     "bash_kill",
		Summary:  "end background shells and all that they started",
		Kind:     registry.ReadOnly, // it ends what this session started, and nothing else: whoever may start may end
		Category: Category,
		Tags:     []string{"shell", "stop", "terminate", "job", "process"},
		Detail: `Sends SIGTERM to the shell and its whole tree, and SIGKILL to what is still there after --grace seconds; prints what it
wrote since the last look, and its last status on stderr.`,
		Params: registry.NewParams(
			idParam(),
			registry.Param{Name: "more_ids", Type: registry.Array, Items: &registry.Param{Type: registry.String}, Positional: true, Description: "Others to end too."},
			registry.Param{Name: "grace", Type: registry.Number, Default: 3, Min: registry.Float(0), Max: registry.Float(60),
				Description: "Seconds between SIGTERM and SIGKILL."},
		),
		Examples: []string{"bash_kill 1", "bash_kill 2 3 --grace 10"},
		Run:      s.runKill,
	}
}

// runKill ends each shell, also when another cannot be ended: all at once, for each may take its grace.
func (s *Shells) runKill(ctx context.Context, call *registry.Call) (res registry.ToolResult, err error) {
	var ended, failed []string
	processes := 0
	var reports []func() (registry.ToolResult, error)
	for _, id := range append([]any{call.String("bash_id")}, call.Array("more_ids")...) {
		reports = append(reports, s.beginToEnd(ctx, call, id.(string)))
	}
	for _, report := range reports {
		one, oneErr := report()
		switch {
		case oneErr != nil:
			err = cmp.Or(err, oneErr)
		case !one.Success:
			failed = append(failed, one.Error)
		default:
			res, ended, processes = one, append(ended, one.Display), processes+one.Metadata["processes"].(int)
		}
	}
	if err != nil {
		return registry.ToolResult{}, err
	}
	if failed != nil {
		return registry.Failure("%s", strings.Join(failed, "\n")), nil
	}
	res.Display, res.Metadata["processes"] = strings.Join(ended, "; "), processes
	return res, nil
}

// beginToEnd begins to end a shell; report waits for that, and prints what it wrote and how it ended.
func (s *Shells) beginToEnd(ctx context.Context, call *registry.Call, id string) (report func() (registry.ToolResult, error)) {
	failure := func(format string, args ...any) func() (registry.ToolResult, error) {
		return func() (registry.ToolResult, error) { return registry.Failure(format, args...), nil }
	}
	j, err := s.findJob(id)
	if err != nil {
		return failure("%v", err)
	}
	if st := j.state(); st.Status != Running && len(j.tree(nil)) == 0 {
		return failure("background shell %s has ended already: %s: bash_output --bash_id %[1]s has what it wrote", j.id, st.says())
	}
	var met, left int
	var ending sync.WaitGroup
	ending.Go(func() { met, left = j.killTree(secondsParam(call, "grace")) })
	return func() (registry.ToolResult, error) {
		ending.Wait()
		j.takeScreen()
		if err := j.copyNew(ctx, call, nil); err != nil {
			return registry.ToolResult{}, err
		}
		if left > 0 {
			return registry.Failure("%v", j.stillThere(left, met)), nil
		}
		ended := countNoun(met, "process", "es") + " ended"
		fmt.Fprintf(call.Stderr, "%s: %s; %s\n", j.id, j.state().says(), ended)
		res := j.result(registry.ToolResult{Success: true}, j.id+": "+ended)
		res.Metadata["processes"] = met
		return res, nil
	}
}

func (j *job) stillThere(left, met int) error {
	return fmt.Errorf("%d of %d processes of background shell %s are still there: they belong to another user, or hang in the kernel", left, met, j.id)
}

func countNoun(n int, what, plural string) string {
	if n == 1 {
		plural = ""
	}
	return fmt.Sprintf("%d %s%s", n, what, plural)
}

// secondsParam is a number parameter as a duration.
func secondsParam(call *registry.Call, name string) time.Duration {
	return time.Duration(call.Float(name) * float64(time.Second))
}
