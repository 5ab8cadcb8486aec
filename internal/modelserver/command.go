package modelserver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/agentbash/agentbash/internal/atomicfile"
)

const usage = `usage: modelserver -script FILE [flags] [-- command args...]

Plays a scripted model over HTTP. With a command: runs it with OPENAI_BASE_URL
(and OPENAI_API_KEY, when it is unset) pointing here, and ends when it ends.
Without one: serves until it is interrupted.

  -script FILE     the script, JSON
  -addr HOST:PORT  where to listen (default: a free port on 127.0.0.1)
  -addr-file FILE  write the base URL there when ready (default: to stdout, without a command)
  -log FILE        write every request as one JSON line
  -status N        the exit status that the command must have (default 0)
  -runs N          run the command N times, print the medians of start to first request and of start to end

exit status: 0 the whole script was played, every check passed and the command
had its status; 1 otherwise, with the reasons on stderr; 2 usage.
`

type command struct {
	script, addr, addrFile, log string
	status, runs                int
	argv                        []string

	stdin          io.Reader
	stdout, stderr io.Writer
}

// Main is the command modelserver: args are the words after its name. It
// returns the exit status. Without a command, ctx ends it.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &command{stdin: stdin, stdout: stdout, stderr: stderr}
	flags := flag.NewFlagSet("modelserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { io.WriteString(stderr, usage) }
	flags.StringVar(&c.script, "script", "", "")
	flags.StringVar(&c.addr, "addr", "", "")
	flags.StringVar(&c.addrFile, "addr-file", "", "")
	flags.StringVar(&c.log, "log", "", "")
	flags.IntVar(&c.status, "status", 0, "")
	flags.IntVar(&c.runs, "runs", 0, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	c.argv = flags.Args()
	if c.script == "" || c.runs > 0 && len(c.argv) == 0 {
		io.WriteString(stderr, usage)
		return 2
	}
	if err := c.run(ctx); err != nil {
		fmt.Fprintf(stderr, "modelserver: %v\n", err)
		return 1
	}
	return 0
}

func (c *command) run(ctx context.Context) (err error) {
	script, err := Load(c.script)
	if err != nil {
		return err
	}
	opts := &Options{Addr: c.addr}
	if c.log != "" {
		f, err := os.Create(c.log)
		if err != nil {
			return err
		}
		defer f.Close()
		opts.Log = f
	}
	s, err := Start(script, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if c.addrFile != "" {
		// Whole, since others wait for it.
		if err := atomicfile.Write(c.addrFile, []byte(s.BaseURL+"\n")); err != nil {
			return err
		}
	} else if len(c.argv) == 0 {
		fmt.Fprintln(c.stdout, s.BaseURL)
	}
	switch {
	case len(c.argv) == 0:
		<-ctx.Done()
		return nil
	case c.runs > 0:
		return c.measure(s)
	}
	return c.exec(s, c.stdout)
}

// exec runs the command against the server and compares its exit status. It
// waits for the command whatever happens: a Ctrl-C at a terminal goes to both,
// and what it means there is the command's to say.
func (c *command) exec(s *Server, stdout io.Writer) error {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, stdout, c.stderr
	cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+s.BaseURL)
	if os.Getenv("OPENAI_API_KEY") == "" {
		cmd.Env = append(cmd.Env, "OPENAI_API_KEY=scripted-key")
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if got := cmd.ProcessState.ExitCode(); got != c.status {
		return fmt.Errorf("%s: exit status %d, not %d", c.argv[0], got, c.status)
	}
	return nil
}

// measure runs the command c.runs times and prints medians.
func (c *command) measure(s *Server) error {
	var first, whole []time.Duration
	for range c.runs {
		s.Rewind()
		seen := len(s.Requests())
		start := time.Now()
		if err := c.exec(s, io.Discard); err != nil {
			return err
		}
		whole = append(whole, time.Since(start))
		requests := s.Requests()
		if len(requests) == seen {
			return fmt.Errorf("%s sent no request", c.argv[0])
		}
		first = append(first, requests[seen].Time.Sub(start))
	}
	fmt.Fprintf(c.stdout, "runs %d  first request %.1f ms (max %.1f)  end %.1f ms (max %.1f)\n", c.runs,
		milliseconds(medianDuration(first)), milliseconds(slices.Max(first)), milliseconds(medianDuration(whole)), milliseconds(slices.Max(whole)))
	return nil
}

func medianDuration(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
