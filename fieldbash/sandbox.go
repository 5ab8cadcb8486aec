package fieldbash

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Sandbox is what holds a server or the program of a function. A nil one holds nothing.
type Sandbox struct {
	Profile string   // "read": it changes nothing; "workspace": nothing but the workspace
	Network []string // what it may connect to: host or host:port, *.NAME for all below a name
}

// UnmarshalJSON takes "read", "workspace", and {"network": ["host", ...]}, which is
// workspace with these hosts.
func (s *Sandbox) UnmarshalJSON(b []byte) error {
	wrong := errors.New(`"sandbox" is "read", "workspace" or {"network": ["example.org", "*.example.org:443"]}`)
	*s = Sandbox{}
	if json.Unmarshal(b, &s.Profile) == nil {
		if s.Profile != "read" && s.Profile != "workspace" {
			return wrong
		}
		return nil
	}
	var members map[string][]string
	if json.Unmarshal(b, &members) != nil || len(members) != 1 || members["network"] == nil {
		return wrong
	}
	s.Profile, s.Network = "workspace", members["network"]
	if i := slices.IndexFunc(s.Network, func(host string) bool { return host == "" || strings.ContainsAny(host, "/ \t\n,@") }); i >= 0 {
		return fmt.Errorf(`"sandbox": %q is no host: write a name such as "example.org", or "example.org:443"`, s.Network[i])
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON takes.
func (s Sandbox) MarshalJSON() ([]byte, error) {
	if s.Network != nil {
		return json.Marshal(map[string][]string{"network": s.Network})
	}
	return json.Marshal(s.Profile)
}

// check looks at the files of a program before it starts.
func (f *Fields) check(cmd *exec.Cmd) error {
	if f.opts.Check == nil {
		return nil
	}
	return f.opts.Check(append([]string{cmd.Path}, cmd.Args[1:]...), cmd.Dir)
}

// prepare looks at a program before it starts, and puts it into its sandbox.
func (f *Fields) prepare(cmd *exec.Cmd, s *Sandbox) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if s == nil {
		return nil
	}
	if f.opts.Launch == nil {
		return errors.New(`its "sandbox" cannot be made here, so it does not start: run it without one only if you trust it`)
	}
	return f.opts.Launch(cmd, *s)
}
