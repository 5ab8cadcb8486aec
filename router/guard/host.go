package guard

import (
	"context"
	"net"
	"strconv"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// running is a command line that was started, and what was answered about its hosts.
type running struct {
	*Entry
	hosts map[string]bool
}

// hostAnswer is what the person and the configuration have said of a host.
func (g *Guard) hostAnswer(address string) policy.Answer {
	if _, ok := g.hosts.Load(address); ok {
		return policy.Allow
	}
	if g.opts.World.Host == nil {
		return policy.Ask
	}
	return g.opts.World.Host(address)
}

// AskHost reports whether what runs may connect to a host, by its name or
// address, of which neither the configuration nor the grant of the command line
// says so: in the modes ask and auto a person is asked, once for a command line.
// Nobody there is a no. Whatever was answered is recorded; an error means that it
// could not be, or that ctx has ended, and is a no.
func (g *Guard) AskHost(ctx context.Context, host string, port int) (bool, error) {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	select {
	case g.asking <- struct{}{}:
		defer func() { <-g.asking }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	g.mu.Lock()
	mode, by := g.mode, g.running
	g.mu.Unlock()
	if by == nil {
		by = &running{Entry: &Entry{Plan: router.PlanNative("")}, hosts: map[string]bool{}}
	}
	says := g.hostAnswer(address)
	if yes, said := by.hosts[address]; said || says == policy.Allow {
		return yes || says == policy.Allow, nil
	}
	e := &Entry{Host: address, Plan: by.Plan, Dir: by.Dir, Said: by.Said, Verdict: policy.Verdict{Effects: []policy.Effect{policy.Network}}, Decision: policy.Decision{
		Answer: policy.Ask, Mode: mode, Profile: by.Decision.Profile, Hosts: []string{address}, Because: []string{"connects to " + address}}}
	switch {
	case says == policy.Deny || mode == policy.PlanMode:
		e.Decision.Answer = policy.Deny
		e.Denied = g.denial(e, Denied, "")
	case mode == policy.FullMode || by.Said:
		e.Decision.Answer = policy.Allow
	default:
		e.Denied = g.ask(ctx, e)
	}
	if ctx.Err() == nil {
		by.hosts[address] = e.Denied == nil
	}
	outcome, err := g.record(e)
	if err == nil {
		outcome(router.Outcome{}) // there is none to wait for
	}
	return e.Denied == nil && err == nil, err
}
