package router

import (
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/internal/bashtext"
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
	Raw     string          // the command string; of a call from inside bash, as it would be typed
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

// Plan is what a command string says, and what the router will do with it. It
// is made once; hooks, permissions, the runner and records all look at it.
// Making it runs nothing, reads no file and asks no clock. It is not changed
// after it was made, and is safe for concurrent use.
type Plan struct {
	ParsedCommand
	Layer     Layer
	InProcess bool       // the registry runs it, bash does not see it
	Inside    bool       // it is a call that comes from inside bash
	Script    string     // the text that bash runs; empty if it does not
	Calls     []CallSite // the calls in Script, in the order they stand there
	Err       error      // nothing will run: *registry.UsageError, *registry.NotFoundError, ErrEmpty, ErrNUL, or why a group cannot be loaded

	router   *Router
	edits    []insertion // that made Script of Raw
	hints    []hint      // for when bash's own answer fails
	unparsed bool        // calls could not be looked for

	typed  string          // the name of a call as it was typed
	words  []string        // of a call, its name left out
	tool   *registry.Tool  // nil: none, or not known before its group is loaded
	parsed registry.Parsed // the words, read by the tool

	parse sync.Once
	tree  *bashtext.Tree
}

// Errors of a command string that is no command.
var (
	ErrEmpty = &registry.UsageError{Problems: []string{"the command is empty: send one, such as `ls` or `read --file_path README.md`"}}
	ErrNUL   = &registry.UsageError{Problems: []string{"the command holds a NUL byte, which no bash command can: leave it out, or write it as printf '\\0'"}}
)

// Plan decides what happens to a command string. Every string has a plan; what
// is wrong with it is in Err. It is safe for concurrent use.
func (r *Router) Plan(command string) *Plan {
	names := r.names.Load()
	p := PlanNative(command)
	if p.router = r; p.Err == nil {
		p.Err = p.refuseSlip()
	}
	if p.Err != nil {
		p.Script = ""
		return p
	}
	if !names.occurs(command) {
		return p
	}
	if p.planTool(names) {
		return p
	}
	p.splice(names)
	return p
}

// PlanNative is the plan of a text in which no tool is called: bash runs it.
func PlanNative(command string) *Plan {
	p := &Plan{ParsedCommand: ParsedCommand{Raw: command, Native: true, Name: firstWord(command)}, Layer: Native, Script: command}
	switch {
	case strings.IndexByte(command, 0) >= 0:
		p.Err, p.Script = ErrNUL, ""
	case strings.TrimLeft(command, " \t\r\n") == "":
		p.Err, p.Script = ErrEmpty, ""
	}
	return p
}

// Words are those after the name of a call, as bash would pass them; nil for
// bash text.
func (p *Plan) Words() []string { return p.words }

// Tool is what a call calls; nil for bash text, for a listing, and for a tool
// whose group was not loaded when the plan was made.
func (p *Plan) Tool() *registry.Tool { return p.tool }

// Lookup returns the tool of a name in the registry that the plan was made for,
// or nil; it loads no group.
func (p *Plan) Lookup(name string) *registry.Tool {
	if p.router == nil {
		return nil
	}
	t, _ := p.router.reg.Lookup(name)
	return t
}

// Carried plans a text that a call hands to a bash of its own.
func (p *Plan) Carried(text string) *Plan {
	if p.router == nil {
		return PlanNative(text)
	}
	return p.router.Plan(text)
}

// Syntax is the syntax tree of a bash text. It is parsed when it is first asked
// for, and then kept.
func (p *Plan) Syntax() *bashtext.Tree {
	p.parse.Do(func() { p.tree = bashtext.Parse(p.Raw) })
	return p.tree
}

// planTool plans a plain simple command that names a tool; it reports false when the command is bash's.
func (p *Plan) planTool(names *nameIndex) bool {
	name, text := p.Name, p.Raw
	if !names.isCall(name) || !isPlain(text, true) {
		return false
	}
	if !isPlain(text, false) { // then with its patterns quoted, if it is only they that bash would expand
		p.splice(names)
		if text = p.Script; len(p.Calls) == 0 || !isPlain(text, false) {
			return false
		}
	}
	words, ok := names.split(text)
	if !ok || len(words) == 0 || strings.TrimPrefix(words[0], agentPrefix) != strings.TrimPrefix(name, agentPrefix) {
		return false
	}
	if t := names.agent[name]; t != nil {
		if tool, _ := plainSite(words).meansTool(t); !tool { // its hint comes with the splicing
			return false
		}
	}
	p.Native, p.InProcess, p.Script, p.Calls, p.edits = false, true, "", nil, nil
	p.planCall(name, words[1:], false)
	if t := p.tool; t != nil && t.FromShell && p.Err == nil && !p.Help {
		p.splice(names)
		if p.InProcess = len(p.Calls) == 0; p.InProcess {
			p.Script = ""
		}
	}
	return true
}

func plainSite(words []string) site {
	s := site{name: words[0], args: make([]arg, len(words)-1)}
	for i, w := range words[1:] {
		s.args[i].text = w
	}
	return s
}

// planWords plans a call of a tool by its words: from inside bash, or typed by a person.
func (r *Router) planWords(name string, words []string, hasStdin bool) *Plan {
	p := &Plan{router: r, InProcess: true}
	p.planCall(name, words, hasStdin)
	p.Raw = quote.Line(name, words)
	return p
}

// planCall fills in what the words of a call mean.
func (p *Plan) planCall(name string, words []string, hasStdin bool) {
	p.Layer, p.typed, p.Name, p.words = layerOf(name), name, strings.TrimPrefix(name, agentPrefix), words
	p.Kwargs = registry.Kwargs{}
	if p.tool = p.Lookup(p.Name); p.tool == nil {
		p.planUnknown(hasStdin)
		return
	}
	p.parseWords(p.tool, hasStdin)
}

// parseWords has a tool read the words.
func (p *Plan) parseWords(t *registry.Tool, hasStdin bool) {
	p.parsed, p.Err = t.Parse(p.words, hasStdin)
	p.Args, p.Kwargs = p.parsed.Positionals, p.parsed.Kwargs
	p.Help, p.Verbose = p.parsed.Help != registry.NoHelp, p.parsed.Help == registry.VerboseHelp
}

// planUnknown plans a name that is not known (yet): a listing, a tool of a group to be loaded, or nothing.
func (p *Plan) planUnknown(hasStdin bool) {
	group, tool, isField := registry.SplitField(p.Name)
	_, known := p.router.reg.Group(group)
	switch {
	case p.Name == "" || isField && tool == "" && (group == "" || known):
		p.planListing()
	case isField && known:
		// Its schema comes with the group. Until then values are guessed at, and
		// what is wrong with the words shows when the group is loaded.
		p.parseWords(&registry.Tool{Name: p.Name, Params: registry.AnyParams()}, true)
		p.Err = nil
	default:
		words, err := translateForeign(p.Name, p.words)
		switch {
		case err != nil:
			p.Err = err
		case words == nil || words[0] == agentPrefix+p.Name || words[0] == p.Name:
			p.Err = p.router.notFound(p.typed)
		default:
			p.planCall(words[0], words[1:], hasStdin)
		}
	}
}

// planListing plans `agent:`, `field:` and `field:server`; words but -h and --help are a command of the server's.
func (p *Plan) planListing() {
	p.Verbose, p.Args = helpWords(p.words)
	p.Help = len(p.Args) == 0
}

// Incomplete reports whether bash would wait for another line after this text:
// an open quote, a loop without its done, a here-document without its end. It
// is for whoever types commands line by line.
func Incomplete(text string) bool { return bashtext.Incomplete(text) }
