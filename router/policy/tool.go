package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// callPlan judges a call whose words are certain: its tool has read them.
func (j *judge) callPlan(p *router.Plan, at span) {
	args := make([]field, len(p.Words())+1)
	args[0] = field{text: p.Name}
	for i, word := range p.Words() {
		args[i+1] = field{text: word, at: at, from: -1}
		if strings.IndexByte(word, hole) >= 0 {
			args[i+1].text = anyText
		}
	}
	c := toolCall{name: p.Name, tool: p.Tool(), kwargs: p.Kwargs, help: p.Help, at: at}
	if c.tool == nil {
		c.tool = j.world.tool(p.Name)
	}
	j.toolCall(c, args)
}

// tool judges a call that stands in bash text: its tool reads the words as far
// as they are known.
func (j *judge) tool(name string, args []field, at span) {
	if !j.step() {
		return
	}
	c := toolCall{name: name, tool: j.world.tool(name), at: at}
	var words []string
	for i := range args[1:] {
		a := &args[i+1]
		c.loose = c.loose || a.multi || a.mayBeOption() && !c.isValue(args[i])
		words = append(words, a.asName())
	}
	switch {
	case c.isListing(): // other words are a command of the server's own
		c.help = !slices.ContainsFunc(words, func(w string) bool { return w != "-h" && w != "--help" })
	case c.tool == nil:
		c.help = helpOnly(args[1:])
	default:
		parsed, err := c.tool.Parse(words, true)
		c.kwargs, c.err, c.help = parsed.Kwargs, err, parsed.Help != registry.NoHelp
	}
	args = append([]field(nil), args...)
	args[0].text = name
	j.toolCall(c, args)
}

// toolCall is a call of an agent or field tool.
type toolCall struct {
	name   string
	tool   *registry.Tool // nil: nobody knows it
	kwargs registry.Kwargs
	err    error // the words do not parse
	help   bool  // it only shows help, or lists tools
	loose  bool  // a word may be any option, or become any number of words
	at     span
}

// isValue reports whether the word after this one is a parameter's value,
// whatever it begins with: a word --key that stands alone.
func (c *toolCall) isValue(before field) bool {
	key, ok := strings.CutPrefix(before.text, "--")
	if !ok || c.tool == nil || !before.exact() {
		return false
	}
	q := c.tool.Params.Find(key)
	return q != nil && q.Type != registry.Boolean && len(q.AnyOf) == 0
}

// isListing reports whether the call lists tools: agent:, field:, field:server.
func (c *toolCall) isListing() bool {
	_, tool, isField := registry.SplitField(c.name)
	return c.name == "" || isField && tool == ""
}

// helpOnly reports whether words ask a tool that is not known for help.
func helpOnly(args []field) bool {
	return len(args) == 1 && (args[0].text == "-h" || args[0].text == "--help")
}

// toolCall makes the part of a call.
func (j *judge) toolCall(c toolCall, args []field) {
	p := Part{Kind: ToolPart, words: args, Start: c.at.start, End: c.at.end, Via: j.via}
	if j.out != nil {
		out := anyText
		if strings.HasPrefix(c.name, registry.FieldPrefix) {
			out = fromNet
		}
		j.out.add(value{out})
	}
	slot := j.reserve()
	switch {
	case c.help:
		p.set = reads
	case c.tool == nil:
		p.set = unknown
		j.reason("what "+c.name+" does is not known: a rule may say", unknown, NoDanger, c.at)
	default:
		j.toolEffects(&p, &c)
	}
	j.fill(slot, p)
}

// toolEffects notes what a tool says that a call of these kwargs does. A call
// whose words do not parse, or whose tool does not say on what it acts, is
// unknown.
func (j *judge) toolEffects(p *Part, c *toolCall) {
	var uses []registry.Use
	declared := false
	if c.err == nil {
		uses, declared = c.tool.UsesOf(c.kwargs)
	}
	if c.loose && c.tool.Kind == registry.ReadOnly && c.onlyReads() {
		// Whatever the words become, it only reads.
		p.set |= reads
		uses = append(uses, registry.Use{Role: registry.ReadsFile, Value: anyText})
		c.loose, c.err = false, nil
	} else if !declared {
		p.set |= unknown
		j.kindEffect(p, c, c.tool.Kind)
		j.reason("what "+c.name+" does it with cannot be told", unknown, NoDanger, c.at)
		if c.namesFiles() { // they may come later, from stdin or a file
			uses = append(uses, registry.Use{Role: anyUse(c.tool.Kind), Value: anyText}, registry.Use{Role: registry.ReadsFile, Value: anyText})
		}
	} else if c.tool.Kind == registry.ReadOnly || len(uses) == 0 {
		p.set |= reads
	}
	if c.loose || c.err != nil {
		p.set |= unknown
		uses = append(uses, registry.Use{Role: anyUse(c.tool.Kind), Value: anyText})
		j.reason("which words "+c.name+" gets cannot be told", unknown, NoDanger, c.at)
	}
	for _, u := range uses {
		j.toolUse(p, c, u)
	}
	if p.set&writes != 0 {
		p.set &^= reads // what it shows of a file that it writes is a part of that
	}
}

// namesFiles reports whether a parameter of the tool holds a path.
func (c *toolCall) namesFiles() bool {
	return slices.ContainsFunc(c.tool.Params.Roles(""), func(r registry.Role) bool {
		return r != registry.KeepsState && (r.Kind() == registry.ReadOnly || r.Kind() == registry.Write)
	})
}

// onlyReads reports whether no parameter of the tool does more than reading.
func (c *toolCall) onlyReads() bool {
	return !slices.ContainsFunc(c.tool.Params.Roles(""), func(r registry.Role) bool { return r.Kind() != registry.ReadOnly })
}

// anyUse is the worst that an unknown word of a tool may be.
func anyUse(k registry.Kind) registry.Role {
	if k == registry.Write || k == registry.Execute {
		return registry.WritesFile
	}
	return registry.ReadsFile
}

// toolUse notes one thing that a call does something with.
func (j *judge) toolUse(p *Part, c *toolCall, u registry.Use) {
	f := field{text: j.atHome(u.Value), at: c.at, from: -1}
	switch u.Role {
	case registry.ReadsFile, registry.RunsIn:
		j.path(p, f, false, false)
	case registry.ReadsTree:
		j.path(p, f, false, true)
	case registry.WritesFile, registry.WritesTree:
		j.kindEffect(p, c, registry.Write)
		j.path(p, f, true, u.Role == registry.WritesTree)
	case registry.KeepsState, registry.Contacts:
		j.kindEffect(p, c, u.Role.Kind())
	case registry.Signals:
		p.set |= executes
		j.reason(c.name+" acts on processes of this session", executes, NoDanger, c.at)
	case registry.RunsText:
		j.carried(p, c, f)
	}
}

// carried judges the text that a call hands to a bash of its own.
func (j *judge) carried(p *Part, c *toolCall, f field) {
	p.Wrapper = true
	if !known(f.text) {
		p.set |= executes | unknown
		j.reason("what "+c.name+" runs cannot be told", unknown, NoDanger, c.at)
		return
	}
	plan := j.world.carried(f.text)
	j.inChild(c.name, func() { j.judgePlan(plan, &source{text: f.text, start: c.at.start, end: c.at.end, made: true}) })
}

// atHome puts the home directory in the place of a leading ~, as tools do.
func (j *judge) atHome(path string) string {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path
	}
	home := j.world.Home
	if home == "" {
		home = inherited
	}
	return home + path[1:]
}

// kindEffect notes what a kind says that a call does.
func (j *judge) kindEffect(p *Part, c *toolCall, k registry.Kind) {
	set, does := unknown, ""
	switch k {
	case registry.ReadOnly:
		set = reads
	case registry.Write:
		set, does = writes, " changes files"
	case registry.Execute:
		set, does = executes, " runs code"
	case registry.Network:
		set, does = networks, " talks to other machines"
	}
	if p.set |= set; does != "" {
		j.reason(c.name+does, set, NoDanger, c.at)
	}
}
