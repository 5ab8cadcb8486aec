package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Confine is what commands may reach that a model sends. Only the user's own
// files widen it.
type Confine struct {
	Workspace []string // directories that may be written, besides where the work is
	Secrets   []string // files and directories that may not be read, besides the known ones; "!PATH" takes one of those off the list
	Env       []string // variables that bash gets, besides the known ones; "NAME" or "PREFIX_*"
	Network   Network  // in mode auto
}

// Network is what may be connected to: the key is true, or a list of TCP ports.
type Network struct {
	All   bool
	Ports []uint16
}

// UnmarshalJSON reads true, false or a list of ports.
func (n *Network) UnmarshalJSON(b []byte) error {
	*n = Network{}
	if json.Unmarshal(b, &n.All) == nil {
		return nil
	}
	if json.Unmarshal(b, &n.Ports) != nil || slices.Contains(n.Ports, 0) {
		return fmt.Errorf("it is neither true nor false nor a list of TCP ports from 1 to 65535, such as [443, 8080]")
	}
	return nil
}

// confineKeys are its keys at the top of a file.
const confineKeys = "workspace secrets env network"

// decodeConfine reads them.
func decodeConfine(take func(key string, into any), c *Confine) {
	take("workspace", &c.Workspace)
	take("secrets", &c.Secrets)
	take("env", &c.Env)
	take("network", &c.Network)
}

// takeConfine adds what one of the user's files says.
func (l *loader) takeConfine(c *Confine) {
	r := &l.result.Confine
	r.Workspace = append(r.Workspace, c.Workspace...)
	r.Secrets = append(r.Secrets, c.Secrets...)
	r.Env = append(r.Env, c.Env...)
	r.Network.All = r.Network.All || c.Network.All
	r.Network.Ports = append(r.Network.Ports, c.Network.Ports...)
}

// tightenConfine takes what tightens from a project's file.
func (l *loader) tightenConfine(f *file, root string) {
	c := &f.confine
	for _, s := range c.Secrets {
		if len(s) > 0 && s[0] == '!' {
			l.warn(f.path, "secrets", fmt.Sprintf("a project's file cannot take %q off the list of secrets: change your own file", s[1:]))
			continue
		}
		if !strings.HasPrefix(s, "~") {
			s = dirBelow(root, s)
		}
		l.result.Confine.Secrets = append(l.result.Confine.Secrets, s)
	}
	const widens = "a project's file cannot widen what commands reach: set it in your own file"
	if c.Workspace != nil {
		l.warn(f.path, "workspace", widens)
	}
	if c.Env != nil {
		l.warn(f.path, "env", widens)
	}
	if c.Network.All || c.Network.Ports != nil {
		l.warn(f.path, "network", widens)
	}
}
