package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

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

// callPlan judges a call whose words are certain: its tool has read them.
func (j *judge) callPlan(p *router.Plan, at span) {
	args := []field{{text: p.Name}}
	for _, word := range p.Words() {
		if !known(word) {
			word = anyText
		}
		args = append(args, field{text: word, at: at, from: -1})
	}
	j.toolCall(toolCall{name: p.Name, tool: cmp.Or(p.Tool(), j.world.tool(p.Name)), kwargs: p.Kwargs, help: p.Help, at: at}, args)
}

// tool judges a call that stands in bash text: its tool reads the words as far
// as they are known.
func (j *judge) tool(name string, args []field, at span) {
	if !j.step() {
		return
	}
	c := toolCall{name: name, tool: j.world.tool(name), at: at}
	words, onlyHelp := []string{}, true
	for i := range args[1:] {
		a := &args[i+1]
		c.loose = c.loose || a.multi || a.mayBeOption() && !c.takesNext(&args[i])
		words = append(words, a.asName())
		onlyHelp = onlyHelp && (a.text == "-h" || a.text == "--help")
	}
	switch _, tool, isField := registry.SplitField(name); {
	case name == "" || isField && tool == "": // it lists tools, but other words are a command of the server's own
		c.help = onlyHelp
	case c.tool == nil:
		c.help = onlyHelp && len(words) > 0
	default:
		parsed, err := c.tool.Parse(words, true)
		c.kwargs, c.err, c.help = parsed.Kwargs, err, parsed.Help != registry.NoHelp
	}
	args = slices.Clone(args)
	args[0].text = name
	j.toolCall(c, args)
}

// takesNext reports whether a word is --key alone, so that the next is its
// value, whatever that begins with.
func (c *toolCall) takesNext(word *field) bool {
	key, ok := strings.CutPrefix(word.text, "--")
	if !ok || c.tool == nil || !word.exact() {
		return false
	}
	q := c.tool.Params.Find(key)
	return q != nil && q.Type != registry.Boolean && len(q.AnyOf) == 0
}

// toolCall makes the part of a call.
func (j *judge) toolCall(c toolCall, args []field) {
	p := Part{Kind: ToolPart, words: args, Start: c.at.start, End: c.at.end, Via: j.via}
	out := anyText
	if strings.HasPrefix(c.name, registry.FieldPrefix) {
		out = fromNet
	}
	j.env.write(value{out})
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
// unknown, and acts on any file if it acts on one.
func (j *judge) toolEffects(p *Part, c *toolCall) {
	var uses []registry.Use
	certain := false
	if c.err == nil {
		uses, certain = c.tool.UsesOf(c.kwargs)
		certain = certain && !c.loose
	}
	kind, acts := c.tool.Kind, false
	more := kind != registry.ReadOnly // than reading
	for _, role := range c.tool.Params.Roles("") {
		acts = acts || role != registry.KeepsState
		more = more || role.Kind() != registry.ReadOnly
	}
	switch {
	case certain && (kind == registry.ReadOnly || len(uses) == 0), c.loose && !more:
		p.set |= reads
	case !certain:
		p.set |= unknown
		j.kindEffect(p, c, kind)
		j.reason("what "+c.name+" does it with cannot be told", unknown, NoDanger, c.at)
	}
	if !certain && acts { // on what comes later, from stdin or a file
		uses = append(uses, registry.Use{Role: registry.ReadsFile, Value: anyText})
		if kind == registry.Write || kind == registry.Execute {
			uses = append(uses, registry.Use{Role: registry.WritesFile, Value: anyText})
		}
	}
	for _, u := range uses {
		j.toolUse(p, c, u)
	}
	if p.set&writes != 0 {
		p.set &^= reads // what it shows of a file that it writes is a part of that
	}
}

// toolUse notes one thing that a call does something with.
func (j *judge) toolUse(p *Part, c *toolCall, u registry.Use) {
	f := field{text: u.Value, at: c.at, from: -1}
	if f.text == "~" || strings.HasPrefix(f.text, "~/") { // as tools read it
		f.text = cmp.Or(j.world.Home, inherited) + f.text[1:]
	}
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
	plan := router.PlanNative
	if j.world.Carried != nil {
		plan = j.world.Carried
	}
	j.inChild(c.name, func() { j.judgePlan(plan(f.text), &source{text: f.text, start: c.at.start, end: c.at.end, made: true}) })
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
