package confinement

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/agentbash/agentbash/confinement/network"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/session/sandbox"
)

// apartWord is the first argument of this executable when it holds one program.
const apartWord = "agentbash:apart"

// apart is what it is told.
type apart struct {
	Spec    sandbox.Spec
	Profile sandbox.Profile
	Allow   []string // hosts that may be connected to
}

// Apart makes a command run in a sandbox of its own, which ends with it: a server that
// the configuration wants to be held to a profile, with the hosts that it may connect
// to. The command is started as any other, and is this executable, which holds the
// program. On a machine without namespaces it fails when it is started if hosts
// are asked for.
func (c *Confinement) Apart(cmd *exec.Cmd, profile router.Profile, hosts []string) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	c.mu.Lock()
	spec, err := c.spec()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if _, err := network.ParseRules(hosts, nil); err != nil {
		return err
	}
	spec.Connect = false
	if program := resolveLinks(cmd.Path); isBelow(program, append(c.workspace.Scratch, "/tmp", "/var/tmp")) && !isBelow(program, c.workspace.Roots) {
		spec.Keep = append(spec.Keep, filepath.Dir(program)) // or it would not be seen
	}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(apart{Spec: spec, Profile: sandboxProfile(profile), Allow: hosts}); err != nil {
		return err
	}
	cmd.Args = slices.Concat([]string{self, apartWord, base64.StdEncoding.EncodeToString(text.Bytes()), cmd.Path}, cmd.Args[min(1, len(cmd.Args)):])
	cmd.Path = self
	return nil
}

// init is where such a process ends; see package sandbox.
func init() {
	if len(os.Args) > 3 && os.Args[1] == apartWord {
		status, err := runApart(os.Args[2], os.Args[3:])
		if err != nil {
			fmt.Fprintln(os.Stderr, "agentbash:", err)
			status = exitDenied
		}
		os.Exit(status)
	}
}

// exitDenied is the exit status of what could not be held.
const exitDenied = 126

func runApart(text string, argv []string) (status int, err error) {
	var a apart
	b, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(b)).Decode(&a)
	}
	if err != nil {
		return 0, err
	}
	rules, err := network.ParseRules(a.Allow, nil)
	if err != nil {
		return 0, err
	}
	proxy := network.New(&network.Options{Rules: rules})
	defer proxy.Close()
	proxy.SetOpen(len(a.Allow) > 0)
	a.Spec.Listen = func(l sandbox.Listeners) {
		proxy.Serve(network.Listeners{HTTP: l.Proxy, DNS: l.DNS, Transparent: l.Transparent})
	}
	s, err := sandbox.Open(a.Spec, a.Profile)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if !s.Switches() && len(a.Allow) > 0 {
		return 0, fmt.Errorf("no network by host here: %s", s.Missing()[0])
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	bx := &box{Sandbox: s, instead: a.Spec.Instead}
	cmd := &exec.Cmd{Path: argv[0], Args: argv, Env: append(os.Environ(), bx.env()...), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if cmd.Dir, err = os.Getwd(); err != nil {
		return 0, err
	}
	p, err := s.Start(cmd)
	if err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() { syscall.Kill(-p.Pid, syscall.SIGTERM) })()
	ws := p.Wait()
	if ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return ws.ExitStatus(), nil
}
