package shells

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/agentbash/internal/terminal"
	"github.com/agentbash/agentbash/registry"
)

func (s *Shells) inputTool() *registry.Tool {
	return &registry.Tool{
		Name:     "bash_input",
		Summary:  "type into a background shell, and show what comes back",
		Kind:     registry.Execute,
		Category: Category,
		Tags:     []string{"shell", "stdin", "terminal", "tty", "interactive", "repl", "send", "keys", "type", "prompt", "password", "expect"},
		Detail: `Types a text and the Enter key into a shell that was started with bash_start --tty (or writes it to the stdin of one that was started
with --stdin), presses keys, and prints what came back: all that is new when the program waits for input again, at the latest after --timeout.
With --wait it prints when a line matches what comes after the text. '' is the Enter key alone; - reads the text from stdin. What a program does
not echo, such as a password, is not in its output.`,
		Params: registry.NewParams(
			idParam(),
			registry.Param{Name: "text", Type: registry.String, Positional: true, Pattern: true, Aliases: []string{"input", "data", "chars", "command"},
				Description: "What is typed; its line ends are the Enter key."},
			registry.Param{Name: "enter", Type: registry.Boolean, Default: true, Description: "Press Enter after the text; --no-enter does not."},
			registry.Param{Name: "key", Type: registry.Array, Items: &registry.Param{Type: registry.String}, Aliases: []string{"keys"},
				Description: "A key to press, after the text: ctrl-c, ctrl-d (the end of the input), up, tab, escape, f1; several are pressed in their order."},
			waitParam(), screenParam(),
			registry.Param{Name: "timeout", Type: registry.Number, Default: 10, Min: registry.Float(0), Max: registry.Float(600),
				Description: "How many seconds to wait at most for what comes back."},
		),
		Examples: []string{
			"bash_input 3 'import os; os.getcwd()'",
			"bash_input 3 --key ctrl-c",
			"bash_input 3 ':wq' --wait exit",
			"bash_input 3 'make' --wait '^\\$ $' --timeout 300",
		},
		Check: func(k registry.Kwargs) []string {
			problems := checkPatterns(k)
			if k["text"] == nil && k["key"] == nil {
				problems = append(problems, "give the text to type ('' is the Enter key alone), or --key NAME; bash_output shows what is new")
			}
			keys, _ := k["key"].([]any)
			for _, name := range keys {
				if text, ok := name.(string); ok {
					if _, err := terminal.ParseKey(text); err != nil {
						problems = append(problems, "--key: "+err.Error())
					}
				}
			}
			return problems
		},
		Uses: func(k registry.Kwargs, _ []registry.Use, _ bool) (uses []registry.Use, known bool) {
			id, _ := k["bash_id"].(string)
			j, err := s.findJob(id)
			if err != nil {
				return nil, true
			}
			// Who may start it may type there: what it does is held where it was started.
			uses, known = append(uses, registry.Use{Role: registry.RunsText, Value: j.command}), true
			if text, typed := k["text"].(string); typed && j.term != nil && j.shellReads() {
				uses, known = append(uses, registry.Use{Role: registry.RunsText, Value: text}), text != "-"
			}
			return uses, known
		},
		Run: s.runInput,
	}
}

func (s *Shells) runInput(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	j, err := s.findJob(call.String("bash_id"))
	if err != nil {
		return registry.Failure("%v", err), nil
	}
	text := call.String("text")
	if text == "-" {
		if call.Stdin == nil {
			return registry.Failure("there is nothing on stdin: bash_input %s - <<'EOF', or give the text", j.id), nil
		}
		data, err := io.ReadAll(io.LimitReader(call.Stdin, maxInput+1))
		if err != nil {
			return registry.ToolResult{}, err
		}
		text = string(data)
		if call.Bool("enter") {
			text = strings.TrimSuffix(text, "\n")
		}
	}
	if len(text) > maxInput {
		return registry.ToolResult{}, registry.Usagef("the text is longer than 1 MiB: put it in a file that the program reads")
	}
	if st := j.state(); st.Status != Running {
		return registry.Failure("background shell %s has ended: %s: bash_output --bash_id %[1]s has what it wrote", j.id, st.says()), nil
	}
	j.takeScreen()
	from := j.log.end()
	if call.Has("text") && call.Bool("enter") {
		text += "\n"
	}
	if err := j.enter(text, keysOf(call)); err != nil {
		return registry.Failure("%v", err), nil
	}
	res := registry.ToolResult{Success: true}
	if wait := call.String("wait"); wait != "" {
		res = j.waitForLine(ctx, wait, waitLimit(ctx, call), from)
	} else if !j.settle(ctx, waitLimit(ctx, call)) && ctx.Err() == nil {
		fmt.Fprintf(call.Stderr, "%s: it is still at work, and may write more: bash_output --bash_id %[1]s --wait REGEX waits for it\n", j.id)
	}
	return j.answer(ctx, call, res)
}

// maxInput bounds what is typed at once, in bytes.
const maxInput = 1 << 20

func keysOf(call *registry.Call) (keys []terminal.Key) {
	for _, name := range call.Array("key") {
		k, _ := terminal.ParseKey(name.(string)) // Check saw that there is one
		keys = append(keys, k)
	}
	return keys
}

// enter types a text and presses keys.
func (j *job) enter(text string, keys []terminal.Key) error {
	if j.term != nil {
		if text != "" {
			j.term.Type(text)
		}
		for _, k := range keys {
			j.term.Press(k)
		}
		return nil
	}
	if text != "" {
		if err := j.write(text); err != nil {
			return err
		}
	}
	for _, k := range keys {
		switch {
		case k == terminal.CtrlC:
			signalTree(j.tree(nil), syscall.SIGINT)
		case k == terminal.CtrlD && j.in != nil:
			j.in.Close()
		default:
			return j.noTerminal("it has no terminal, on which that key could be pressed (ctrl-c interrupts it all the same)")
		}
	}
	return nil
}

// write writes to the stdin, a pipe. What does not fit in waits while a program is at work that may read it, else
// only as long as one may take that waits for something itself (ssh).
func (j *job) write(text string) error {
	if j.in == nil {
		return j.noTerminal("its stdin is empty")
	}
	for rest, last := text, time.Now(); ; {
		j.in.SetWriteDeadline(time.Now().Add(lookIdle))
		n, err := io.WriteString(j.in, rest)
		if rest = rest[n:]; n > 0 {
			last = time.Now()
		}
		stuck := time.Since(last)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("the stdin of background shell %s is closed: %w", j.id, err)
		case stuck > inputWait || stuck > fullFor && !j.isAtWork():
			return fmt.Errorf("background shell %s does not read its stdin now: %d of %d bytes are in the pipe, %d are left: type those again, from byte %d on, when it reads",
				j.id, len(text)-len(rest), len(text), len(rest), len(text)-len(rest)+1)
		}
	}
}

func (j *job) noTerminal(why string) error {
	return fmt.Errorf("background shell %s: %s: start it again with bash_start --tty 'COMMAND' (a terminal) or --stdin (a pipe); bash_kill %[1]s ends this one", j.id, why)
}

const (
	quietFor = 150 * time.Millisecond // how long nothing comes when a program has answered
	lookIdle = 30 * time.Millisecond  // between two looks at what it waits for
	fullFor  = 500 * time.Millisecond // how long a pipe is full that nobody reads
)

// settle waits until the program waits for input and has been quiet for a while, or has
// ended, and reports whether that came within the limit.
func (j *job) settle(ctx context.Context, limit time.Duration) bool {
	late, quiet := time.NewTimer(limit), time.NewTimer(quietFor)
	defer late.Stop()
	defer quiet.Stop()
	for {
		_, more := j.log.news()
		select {
		case <-j.ended:
			return true
		case <-more:
			quiet.Reset(quietFor)
		case <-quiet.C:
			if j.waitsForInput() {
				return true
			}
			quiet.Reset(lookIdle)
		case <-late.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
