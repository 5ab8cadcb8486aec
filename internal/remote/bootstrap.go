package remote

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/internal/safetext"
)

// marker begins the lines with which the script and the program there tell how far they
// are; what else comes before is a login's greeting.
const marker = "AGENTBASH-FAR "

// script finds the program for its system, or takes it from its stdin, and runs it. A
// directory must be this user's own, and programs must be able to run in it. It holds no single
// quote and is one line.
const script = `m=$(umask); umask 077; u=$(id -u); f=; h=; c=$XDG_CACHE_HOME; [ -n "$c" ] || [ ! -d "$HOME" ] || c=$HOME/.cache; ` +
	`case "$(uname -s)-$(uname -m)" in PROGRAMS *) echo "MARKERsystem $(uname -s) $(uname -m)"; exit 1;; esac; ` +
	`set -- ${c:+"$c/agentbash"} "/var/tmp/agentbash-$u" "/tmp/agentbash-$u" "/dev/shm/agentbash-$u"; ` +
	`for d in "$@"; do if [ -O "$d" ] && [ -O "$d/agentbash-$h" ] && [ -x "$d/agentbash-$h" ]; then f=$d/agentbash-$h; break; fi; done; ` +
	`if [ -z "$f" ]; then ` +
	`for d in "$@"; do ` +
	`mkdir -p "$d" && [ -O "$d" ] && [ ! -L "$d" ] && chmod 700 "$d" && echo exit 0 >"$d/.try$$" && chmod 700 "$d/.try$$" && "$d/.try$$" && f=$d/agentbash-$h; rm -f "$d/.try$$"; [ -n "$f" ] && break; done 2>/dev/null; ` +
	`if [ -z "$f" ]; then echo "MARKERnodir"; exit 1; fi; z=cat; command -v gzip >/dev/null 2>&1 && z="gzip -dc"; ` +
	`echo "MARKERneed $h $z"; read -r n size || exit 1; ` +
	`head -c "$n" | $z >"$f.$$"; [ "$(wc -c <"$f.$$")" -eq "$size" ] || { rm -f "$f.$$"; echo "MARKERcut ${f%/*}"; exit 1; }; ` +
	`chmod 700 "$f.$$" && mv -f "$f.$$" "$f" || exit 1; find "${f%/*}" -name "agentbash-*" -mtime +30 -exec rm -f {} + 2>/dev/null; fi; ` +
	`umask "$m"; exec "$f" serve ARGS`

// machines are what uname says of the systems that there are programs for.
var machines = map[string]string{"linux-amd64": "Linux-x86_64", "linux-arm64": "Linux-aarch64", "linux-386": "Linux-i?86", "linux-arm": "Linux-arm*"}

// Programs finds the executables that can be sent: this one, for its own system, and files
// agentbash-OS-ARCH in the directories.
func Programs(own string, dirs ...string) map[string]string {
	found := map[string]string{}
	for system := range machines {
		for _, dir := range dirs {
			path := filepath.Join(dir, "agentbash-"+system)
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
				found[system] = path
				break
			}
		}
	}
	if system := runtime.GOOS + "-" + runtime.GOARCH; machines[system] != "" {
		found[system] = own
	}
	return found
}

// loadPrograms reads those, and makes the part of the script that chooses one.
func loadPrograms(paths map[string]string) (programs map[string][]byte, cases string, err error) {
	programs = map[string][]byte{}
	for system, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, "", fmt.Errorf("the program for %s: %w", system, err)
		}
		sum := sha256.Sum256(data)
		hash := hex.EncodeToString(sum[:16])
		programs[hash] = data
		cases += machines[system] + ") h=" + hash + ";; "
	}
	return programs, cases, nil
}

// pipe is a connection to a program that runs there.
type pipe struct {
	out *os.File
	io.WriteCloser
	cmd    *exec.Cmd
	stderr *head // complete when it has ended
	closed sync.Once
	ended  chan struct{}
}

func (p *pipe) Read(b []byte) (int, error) { return p.out.Read(b) }

// Close ends the connection; the program there goes on.
func (p *pipe) Close() error {
	p.closed.Do(func() {
		p.WriteCloser.Close()
		select {
		case <-p.ended:
		case <-time.After(time.Second):
			p.cmd.Process.Kill()
		}
		p.out.Close()
	})
	return nil
}

// quietTime is after how long a person is told that nothing has come yet.
const quietTime = 15 * time.Second

// errGone says that the session there has ended.
var errGone = errors.New("the shell there is gone, with what it had started")

// dial connects to the session of an ID: a new one, or with again only one that is there.
func (c *Client) dial(ctx context.Context, again bool) (_ *pipe, err error) {
	args := c.id
	if again {
		args += " again"
	}
	text := strings.NewReplacer("PROGRAMS", c.cases, "ARGS", args, "MARKER", marker).Replace(script)
	argv := c.target.command(text)
	if _, err := exec.LookPath(argv[0]); err != nil {
		return nil, errors.New(err.Error() + ": it is what connects to " + c.target.Name + ": install it, or name another target")
	}
	// Ctrl-C is for the command there, and not for the connection.
	cmd := exec.Command("sh", append([]string{"-c", `trap "" INT QUIT; exec "$@"`, "sh"}, argv...)...)
	cmd.Env = c.target.environ(c.opts.Environ)
	stderr := &head{}
	cmd.Stderr = struct{ io.Writer }{stderr} // not its ReadFrom, which keeps all
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.WaitDelay = w, time.Second
	err = cmd.Start()
	w.Close()
	if err != nil {
		out.Close()
		return nil, err
	}
	p := &pipe{out: out, WriteCloser: in, cmd: cmd, stderr: stderr, ended: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(p.ended)
	}()
	stop := context.AfterFunc(ctx, func() {
		cmd.Process.Kill()
		out.Close() // which its children may have open
	})
	defer stop()
	quiet := time.AfterFunc(quietTime, func() {
		c.opts.Tell(c.target.Name + " does not answer yet: what connects to it may wait for an answer, or its login (~/.bashrc) for input: Ctrl-C stops the waiting")
	})
	defer quiet.Stop()
	if err := c.boot(p, bufio.NewReaderSize(io.LimitReader(oneByte{out}, maxGreeting), 16)); err != nil {
		p.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return p, nil
}

// oneByte reads no further than what is asked for.
type oneByte struct{ io.Reader }

func (r oneByte) Read(b []byte) (int, error) { return r.Reader.Read(b[:1]) }

// maxGreeting bounds what may come before the script's first line, in bytes.
const maxGreeting = 256 << 10

// boot talks with the script until the program there runs.
func (c *Client) boot(p *pipe, in *bufio.Reader) error {
	for n := 0; ; {
		line, err := in.ReadString('\n')
		if n += len(line); n >= maxGreeting {
			return errors.New(c.target.Name + ": its login prints too much: have it print nothing where it has no terminal")
		}
		if err != nil {
			p.Close()
			<-p.ended
			return p.failure(c.target.Name, line)
		}
		_, said, ok := strings.Cut(strings.TrimRight(line, "\r\n"), marker)
		if !ok {
			continue
		}
		word, rest, _ := strings.Cut(said, " ")
		switch word {
		case "run":
			return nil
		case "gone":
			return errGone
		case "need":
			if err := c.sendProgram(p, strings.Fields(rest)); err != nil {
				return err
			}
		case "system":
			return fmt.Errorf("%s: it is %s, and there is no program for that here: put agentbash-OS-ARCH of this version (linux-arm64, say) beside agentbash", c.target.Name, safetext.Visible(rest))
		case "cut":
			p.Close()
			<-p.ended
			return fmt.Errorf("%w: make room there, or set XDG_CACHE_HOME there to another directory", p.failure(c.target.Name, "the program did not arrive whole in "+rest+": "))
		case "nodir":
			return errors.New(c.target.Name + ": there is no directory there in which programs can be put and run (~/.cache, /var/tmp, /tmp, /dev/shm): make one of them writable, without noexec, or set XDG_CACHE_HOME there")
		default:
			return errors.New(c.target.Name + ": " + safetext.Visible(rest))
		}
	}
}

// failure is why the program that connects has ended.
func (p *pipe) failure(name, line string) error {
	text := line + p.stderr.String()
	why := safetext.Visible(strings.TrimSpace(text[max(0, len(text)-4<<10):]))
	if why == "" {
		why = p.cmd.ProcessState.String()
	}
	return fmt.Errorf("%s: cannot be reached: %s", name, why)
}

// maxSent is how often a session's machine gets the program.
const maxSent = 3

var errSent = errors.New("it asks for the program again and again: see whether its directories keep files")

// sendProgram sends the program of a hash, in the form that the script wants.
func (c *Client) sendProgram(p *pipe, words []string) error {
	if len(words) < 2 || c.programs[words[0]] == nil {
		return errors.New(c.target.Name + ": it asks for a program that there is not")
	}
	if c.sent++; c.sent > maxSent {
		return fmt.Errorf("%s: %w", c.target.Name, errSent)
	}
	data := c.programs[words[0]]
	size := len(data)
	if words[1] == "gzip" {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is one
		z.Write(data)
		z.Close()
		data = b.Bytes()
	}
	p.Write(append(fmt.Appendf(nil, "%d %d\n", len(data), size), data...)) // the script says whether all of it came
	return nil
}
