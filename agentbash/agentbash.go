// Package agentbash is the list of the agent commands: the tools beside bash
// that come with this module. Each kind has a package below this one, which can
// be used alone; a new tool is added there, and to [New].
//
// They behave the same for a model, in a pipeline and in a terminal. None reads
// the configuration or asks the environment: what they need is in [Options].
package agentbash

import (
	"errors"
	"slices"

	"github.com/agentbash/agentbash/agentbash/agents"
	"github.com/agentbash/agentbash/agentbash/clarify"
	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/agentbash/notes"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/agentbash/skills"
	"github.com/agentbash/agentbash/agentbash/todo"
	"github.com/agentbash/agentbash/agentbash/web"
	"github.com/agentbash/agentbash/registry"
)

// Options configures New; nil means the defaults of every package.
type Options struct {
	Files   files.Options
	Notes   notes.Options
	Skills  skills.Options
	Clarify clarify.Options
	Shells  shells.Options
	Agents  agents.Options
	Web     web.Options
}

// Commands are the agent commands of one program.
type Commands struct {
	tools  []*registry.Tool
	shells *shells.Shells
	agents *agents.Agents
	todo   *todo.List
}

// New makes all agent commands; it starts nothing and opens nothing. Close them.
func New(opts *Options) (*Commands, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	online, err := web.New(&o.Web)
	if err != nil {
		return nil, err
	}
	background, others, steps := shells.New(&o.Shells), agents.New(&o.Agents), &todo.List{}
	return &Commands{shells: background, agents: others, todo: steps, tools: slices.Concat(
		files.Tools(&o.Files),
		notes.Tools(&o.Notes),
		[]*registry.Tool{skills.Tool(&o.Skills), clarify.Tool(&o.Clarify), steps.Tool()},
		background.Tools(),
		others.Tools(),
		online.Tools(),
	)}, nil
}

// Tools returns them, ready to be registered.
func (c *Commands) Tools() []*registry.Tool { return slices.Clone(c.tools) }

// Shells are the background shells.
func (c *Commands) Shells() *shells.Shells { return c.shells }

// Agents are the other agents.
func (c *Commands) Agents() *agents.Agents { return c.agents }

// Todo is the list of steps that todo keeps.
func (c *Commands) Todo() *todo.List { return c.todo }

// Close ends the agents that agent_start started and the background shells that bash_start did.
func (c *Commands) Close() error { return errors.Join(c.agents.Close(), c.shells.Close()) }
