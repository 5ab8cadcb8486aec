package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// toolCall is a call of an agent or field tool.
type toolCall struct {
	name   string
	tool   *registry.Tool // nil: nobody knows it
	kwargs registry.Kwargs
	err    error // the words do not parse
	help   bool  // it only shows help, lists tools, or says what is wrong with its words
	ahead  bool  // its tool, or what it acts on, is known only when it is made
	loose  bool  // a word may be any option, or become any number of words
	at     span
}

// callPlan judges a call whose words are certain: its tool has read them.
func (j *judge) callPlan(p *router.Plan, at span) {
	args := []word{{text: p.Name}}
	for _, text := range p.Words() {
		args = append(args, word{text: text, at: at})
	}
	help := p.Help || p.Name == "" || p.Name == registry.FieldPrefix
	j.toolCall(toolCall{name: p.Name, tool: cmp.Or(p.Tool(), j.world.tool(p.Name)), kwargs: p.Kwargs, help: help, at: at}, args)
}

// tool judges a call that stands in bash text: its tool reads the words as far as they are known.
func (j *judge) tool(name string, args []word, at span) {
	if !j.step() {
		return
	}
	c := toolCall{name: name, tool: j.world.tool(name), at: at}
	words, onlyHelp, exact := []string{}, true, true
	for i := range args[1:] {
		a := &args[i+1]
		isValue := args[i].exact() && c.tool != nil && c.tool.Params.TakesNext(args[i].text)
		c.loose = c.loose || a.multi || a.mayBeOption() && !isValue
		exact = exact && a.exact()
		words = append(words, a.asName())
		onlyHelp = onlyHelp && (a.text == "-h" || a.text == "--help")
	}
	switch group, tool, isField := registry.SplitField(name); {
	case name == "" || isField && tool == "": // it lists tools, but other words are a command of the server's own
		c.help = onlyHelp || group == ""
	case c.tool == nil:
		c.ahead = true
	default:
		parsed, err := c.tool.Parse(words, true)
		c.kwargs, c.err, c.help = parsed.Kwargs, err, parsed.Help != registry.NoHelp || err != nil && exact
		c.ahead = err == nil && c.tool.ReadsAhead(c.kwargs)
	}
	args = slices.Clone(args)
	args[0].text = name
	j.toolCall(c, args)
}

// toolCall makes the part of a call.
func (j *judge) toolCall(c toolCall, args []word) {
	p := j.add(j.part(ToolPart, c.at, args...))
	p.ahead = c.ahead
	out := anyText
	if strings.HasPrefix(c.name, registry.FieldPrefix) {
		out = fromNet
	}
	j.env.write(value{out})
	switch {
	case c.help:
		p.set = reads
	case c.tool == nil:
		p.set, p.strange = unknown, true
		j.reason("what "+c.name+" does is not known: a rule may say", unknown, NoDanger, c.at)
	default:
		j.toolEffects(p, &c)
	}
}

// toolEffects notes what a call does by its kwargs; unknown where its words do not parse, or its tool does not say.
func (j *judge) toolEffects(p *Part, c *toolCall) {
	var uses []registry.Use
	certain := false
	if c.err == nil {
		uses, certain = c.tool.UsesOf(c.kwargs)
		certain = certain && !c.loose
	}
	onlyReads := c.tool.Kind == registry.ReadOnly
	if !certain {
		for _, role := range c.tool.MayUse() {
			onlyReads = onlyReads && role.Kind() == registry.ReadOnly
			uses = append(uses, registry.Use{Role: role, Value: anyText})
		}
	}
	switch {
	case onlyReads && (certain || c.loose), certain && len(uses) == 0:
		p.set |= reads
	case !certain:
		p.set |= unknown
		j.kindEffect(p, c, c.tool.Kind)
		j.reason(c.whyUncertain(), unknown, NoDanger, c.at)
	}
	if c.tool.Hide != nil {
		j.hide = append(j.hide, c.tool.Hide)
	}
	for _, u := range uses {
		j.toolUse(p, c, u)
	}
	if p.set&writes != 0 {
		p.set &^= reads // what it shows of a file that it writes is a part of that
	}
}

// whyUncertain says why it cannot be told what a call acts on, and what would help.
func (c *toolCall) whyUncertain() string {
	if file := c.kwargs.LaterFile(); file != "" {
		return fmt.Sprintf("what %s acts on stands in %s, which is read when it runs: %[1]s --json - < %[2]s is judged by it", c.name, show(quote.Word(file)))
	}
	if c.tool.Foreign && c.tool.Kind == "" {
		return c.name + " does not say what it acts on, in a way that counts"
	}
	return "what " + c.name + " does it with cannot be told"
}

// toolUse notes one thing that a call does something with.
func (j *judge) toolUse(p *Part, c *toolCall, u registry.Use) {
	f := word{text: u.Value, at: c.at}
	if f.text == "~" || strings.HasPrefix(f.text, "~/") { // as tools read it
		f.text = cmp.Or(j.world.Home, inherited) + f.text[1:]
	}
	switch u.Role {
	case registry.ReadsFile, registry.RunsIn, registry.ReadsTree:
		j.path(p, f, false, u.Role == registry.ReadsTree)
	case registry.WritesFile, registry.WritesTree:
		j.kindEffect(p, c, registry.Write)
		j.path(p, f, true, u.Role == registry.WritesTree)
	case registry.RunsText:
		j.carried(p, c, f)
	case registry.Contacts:
		p.contact(f, true)
		fallthrough
	default:
		j.kindEffect(p, c, u.Role.Kind())
	}
}

// carried judges the text that a call hands to a bash of its own.
func (j *judge) carried(p *Part, c *toolCall, f word) {
	if !known(f.text) {
		p.set |= executes | unknown
		j.reason("what "+c.name+" runs cannot be told", unknown, NoDanger, c.at)
		return
	}
	plan := router.PlanNative
	if j.world.Carried != nil {
		plan = j.world.Carried
	}
	j.inChild(c.name, func() { j.judgePlan(plan(f.text), madeOf(f.text, c.at)) })
}

// kindEffects are what tools of a kind do.
var kindEffects = map[registry.Kind]struct {
	set  effects
	text string
}{
	registry.ReadOnly: {reads, ""},
	registry.Write:    {writes, " changes files"},
	registry.Execute:  {executes, " runs code or acts on processes"},
	registry.Network:  {networks, " talks to other machines"},
}

// kindEffect notes what a kind says that a call does.
func (j *judge) kindEffect(p *Part, c *toolCall, k registry.Kind) {
	does := kindEffects[k]
	if p.set |= cmp.Or(does.set, unknown); does.text != "" {
		j.reason(c.name+does.text, does.set, NoDanger, c.at)
	}
}
