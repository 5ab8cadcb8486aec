package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/confinement/network"
)

// Confine is what commands may reach that a model sends. Only the user's own
// files widen it.
type Confine struct {
	Workspace []string // directories that may be written, besides where the work is
	Secrets   []string // files and directories that may not be read, besides the known ones; "!PATH" takes one of those off the list
	Env       []string // variables that bash gets, besides the known ones; "NAME" or "PREFIX_*"
	Network   network.Rules

	TrustedRepositories []string // whose own configuration git obeys in confined commands
}

// networkValue is network.Rules in a file: {"allow": [...], "deny": [...]}, or true for
// all hosts.
type networkValue network.Rules

// UnmarshalJSON reads it; false and null are no rules.
func (n *networkValue) UnmarshalJSON(b []byte) (err error) {
	var all bool
	var ports []int
	var lists struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
	}
	switch {
	case json.Unmarshal(b, &all) == nil:
		if all {
			lists.Allow = []string{"*"}
		}
	case json.Unmarshal(b, &ports) == nil:
		for _, p := range ports {
			lists.Allow = append(lists.Allow, fmt.Sprintf(`"*:%d"`, p))
		}
		return fmt.Errorf(`it is a list of ports: for these of every host write {"allow": [%s]}, or name the hosts`, strings.Join(lists.Allow, ", "))
	default:
		if err := json.Unmarshal(b, &lists); err != nil {
			return err
		}
	}
	rules, err := network.ParseRules(lists.Allow, lists.Deny)
	*n = networkValue(rules)
	return err
}

// The keys at the top of a file, and those of network.
const (
	confineKeys = "workspace secrets env network trustedRepositories"
	networkKeys = "allow deny"
)

// decodeConfine reads them.
func decodeConfine(take func(key string, into any), c *Confine) {
	take("workspace", &c.Workspace)
	take("secrets", &c.Secrets)
	take("env", &c.Env)
	take("trustedRepositories", &c.TrustedRepositories)
	take("network", (*networkValue)(&c.Network))
}

// takeConfine adds what one of the user's files says.
func (l *loader) takeConfine(c *Confine) {
	r := &l.result.Confine
	r.Workspace = append(r.Workspace, c.Workspace...)
	r.Secrets = append(r.Secrets, c.Secrets...)
	r.Env = append(r.Env, c.Env...)
	r.TrustedRepositories = append(r.TrustedRepositories, c.TrustedRepositories...)
	r.Network.Allow = append(r.Network.Allow, c.Network.Allow...)
	r.Network.Deny = append(r.Network.Deny, c.Network.Deny...)
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
	if c.Network.Allow != nil {
		l.warn(f.path, "network", widens)
	}
	if c.TrustedRepositories != nil {
		l.warn(f.path, "trustedRepositories", widens)
	}
	l.result.Confine.Network.Deny = append(l.result.Confine.Network.Deny, c.Network.Deny...)
}
