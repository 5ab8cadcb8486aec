package router

import (
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// Layer is where a command goes.
type Layer string

// The three layers.
const (
	Native Layer = "native" // bash
	Agent  Layer = "agent"  // the tool registry
	Field  Layer = "field"  // domain tools: field:server:tool
)

// ParsedCommand is what a command string says.
type ParsedCommand struct {
	Name    string          // the command's name, without "agent:"; of bash text its first word if that is literal
	Args    []string        // positional words as they were typed
	Kwargs  registry.Kwargs // coerced arguments, positional ones included; nil for bash text
	Raw     string          // the command string
	Native  bool            // it goes to bash
	Help    bool            // help was asked for
	Verbose bool            // by --help, not by -h
}

// CallSite is one agent or field command in a bash text.
type CallSite struct {
	Layer  Layer  `json:"layer"`
	Name   string `json:"name"`
	Offset int    `json:"offset"` // of the command word in the text, in bytes
}

// Plan is what the router will do with a command string. Making it runs
// nothing, reads no file and asks no clock.
type Plan struct {
	ParsedCommand
	Layer     Layer
	InProcess bool       // the registry runs it, bash does not see it
	Script    string     // the text that bash runs; empty if it does not
	Calls     []CallSite // the calls in Script, in the order they stand there
	Err       error      // nothing will run: *registry.UsageError, *registry.NotFoundError, ErrEmpty or ErrNUL

	hints []string       // for when bash's own answer fails
	typed string         // the name of an in-process command as it was typed
	words []string       // of an in-process command, its name left out
	tool  *registry.Tool // nil: not known before its group is loaded
}

// Errors of a command string that is no command.
var (
	ErrEmpty = &registry.UsageError{Problems: []string{"the command is empty: send one, such as `ls` or `read --file_path README.md`"}}
	ErrNUL   = &registry.UsageError{Problems: []string{"the command holds a NUL byte, which no bash command can: leave it out, or write it as printf '\\0'"}}
)

// Plan decides what happens to a command string. Every string has a plan; what
// is wrong with it is in Err. It is safe for concurrent use.
func (r *Router) Plan(command string) Plan {
	names := r.names.Load()
	p := Plan{ParsedCommand: ParsedCommand{Raw: command, Native: true}, Layer: Native, Script: command}
	if p.refuse(); p.Err != nil || !names.occurs(command) {
		p.Name = firstWord(command)
		return p
	}
	if r.planTool(&p, names) {
		return p
	}
	p.Name = firstWord(command)
	s := names.splice(command)
	p.Script, p.Calls, p.hints = s.script, s.calls, s.hints
	return p
}

// Words are those after the name of a command that runs in process, as bash
// would pass them; nil for bash text.
func (p *Plan) Words() []string { return p.words }

// refuse marks what can be no command.
func (p *Plan) refuse() {
	switch {
	case strings.IndexByte(p.Raw, 0) >= 0:
		p.Err, p.Script = ErrNUL, ""
	case strings.TrimLeft(p.Raw, " \t\r\n") == "":
		p.Err, p.Script = ErrEmpty, ""
	}
}

// planTool plans a plain simple command that names a tool; it reports false
// when the command is bash's.
func (r *Router) planTool(p *Plan, names *nameIndex) bool {
	name := firstWord(p.Raw)
	if !names.isCall(name) || !plain(p.Raw, literalGlobs(name)) {
		return false
	}
	words, ok := names.split(p.Raw)
	if !ok || len(words) == 0 || words[0] != name {
		return false
	}
	if t := names.agent[name]; t != nil {
		if tool, _ := plainSite(words).meant(t); !tool { // its hint comes with the splicing
			return false
		}
	}
	p.Native, p.InProcess, p.Script = false, true, ""
	p.Layer, p.typed, p.Name, p.words = layerOf(name), name, strings.TrimPrefix(name, agentPrefix), words[1:]
	r.planCall(p)
	if t := p.tool; t != nil && t.FromShell && p.Err == nil && !p.Help {
		s := names.splice(p.Raw)
		p.InProcess, p.Script, p.Calls = len(s.calls) == 0, s.script, s.calls
	}
	return true
}

// literalGlobs reports whether the tool takes * ? [ as they are typed.
func literalGlobs(name string) bool {
	switch strings.TrimPrefix(name, agentPrefix) {
	case "grep", "glob", "edit", "write":
		return true
	}
	return layerOf(name) == Field
}

func plainSite(words []string) site {
	s := site{name: words[0], args: make([]arg, len(words)-1)}
	for i, w := range words[1:] {
		s.args[i].text = w
	}
	return s
}

// planCall fills in what the words of an in-process command mean.
func (r *Router) planCall(p *Plan) {
	p.Kwargs = registry.Kwargs{}
	t, ok := r.reg.Lookup(p.Name)
	if !ok {
		r.planUnknown(p)
		return
	}
	p.tool = t
	parsed, err := t.Parse(p.words, false)
	p.Args, p.Kwargs, p.Err = parsed.Positionals, parsed.Kwargs, err
	p.Help, p.Verbose = parsed.Help != registry.NoHelp, parsed.Help == registry.VerboseHelp
}

// planUnknown plans a name that the registry does not know (yet): a listing, a
// tool of a group that is not loaded, or nothing.
func (r *Router) planUnknown(p *Plan) {
	group, tool, isField := registry.SplitField(p.Name)
	_, known := r.reg.Group(group)
	switch {
	case p.Name == "" || isField && tool == "" && (group == "" || known):
		r.planListing(p)
	case isField && known:
		// Its schema comes with the group. Until then values are guessed at, and
		// what is wrong with the words shows when the group is loaded.
		t := registry.Tool{Name: p.Name, Params: registry.AnyParams()}
		parsed, _ := t.Parse(p.words, false)
		p.Args, p.Kwargs = parsed.Positionals, parsed.Kwargs
		p.Help, p.Verbose = parsed.Help != registry.NoHelp, parsed.Help == registry.VerboseHelp
	default:
		p.Err = r.notFound(p.typed)
	}
}

// planListing plans `agent:`, `field:`, `field:server` and their -h and --help;
// other words are a command of the server's own.
func (r *Router) planListing(p *Plan) {
	for _, w := range p.words {
		switch w {
		case "-h":
		case "--help":
			p.Verbose = true
		default:
			p.Args = append(p.Args, w)
		}
	}
	p.Help = len(p.Args) == 0
}
