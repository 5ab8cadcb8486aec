package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
)

// Verdict is what a command line would do. It is not changed after it was made.
// Its JSON form is an interface that other programs build on.
type Verdict struct {
	Effects []Effect `json:"effects"` // in the order read, write, execute, network, unknown; never nil
	Danger  Danger   `json:"danger"`
	Reasons []Reason `json:"reasons"` // why, the worst first; never nil
	Parts   []Part   `json:"-"`       // everything that was found in the line, in its order

	after     *env                       // the shell when the line has run
	hide      []func(text string) string // of the tools that are called
	inProcess bool                       // it is one call of a tool, and bash has no part in it
}

// Reason says in one line why a verdict is as it is.
type Reason struct {
	Text   string
	Effect Effect // that it explains; "" if it is about the danger alone
	Danger Danger // that it explains; "" if it is about an effect
	Start  int    // the risky bytes of the command: from Start
	End    int    // up to, not with, End
}

// MarshalText is the reason's text, which is its JSON form.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.Text), nil }

// PartKind tells the parts of a line apart.
type PartKind string

// The kinds of parts.
const (
	CommandPart  PartKind = "command"    // a simple command
	ToolPart     PartKind = "tool"       // a call of an agent or field tool
	RedirectPart PartKind = "redirect"   // > file, < file
	AssignPart   PartKind = "assignment" // PATH=..., LD_PRELOAD=...
	TextPart     PartKind = "text"       // what could not be taken apart
)

// Part is one thing that a line does. A line may run where every part of it may.
type Part struct {
	Kind   PartKind
	Danger Danger
	Paths  []Path   // files it is known to read or write
	Hosts  []string // machines that its text names to be connected to, each "host:port"
	Start  int      // of its bytes in the command; where it came from a text that
	End    int      // was put together, of the bytes that it was made of
	Via    string   // what it was found through: "xargs", "bash -c"; "" for the line itself

	words   []word
	set     effects
	known   bool   // every word is known
	more    bool   // an option makes it do more than commands of its name usually do
	loose   bool   // the name may mean something that nobody knows of
	strange bool   // a call of what is no tool, as far as is known
	ahead   bool   // a call that can be judged only when it is made
	needs   string // why it can only run where nothing holds it; "" for no reason
}

// Place tells where a path lies.
type Place string

// The places.
const (
	Inside   Place = "workspace" // below a root
	Scratch  Place = "scratch"   // below a scratch directory
	Harmless Place = "device"    // /dev/null and the like: nothing is changed
	Outside  Place = "outside"
	Nowhere  Place = "unknown" // cannot be told
)

// Path is a file that a part reads or writes.
type Path struct {
	Path  string // absolute as far as known; … stands for what is not
	Write bool
	Tree  bool // everything below it too
	Place Place

	raw string // with holes
}

// maxReasons bounds what a verdict says; the worst come first.
const maxReasons = 50

// part returns a part that is found where the walk is; add puts it into the verdict.
func (j *judge) part(kind PartKind, at span, words ...word) *Part {
	return &Part{Kind: kind, words: words, Start: at.start, End: at.end, Via: j.via}
}

func (j *judge) add(p *Part) *Part {
	j.parts = append(j.parts, p)
	return p
}

// collect makes the verdict; rounds of a loop and calls of a function find the same again.
func (j *judge) collect() (v Verdict) {
	if j.spent {
		j.cap("the line is too big to be judged to its end")
	}
	var all effects
	for _, p := range j.parts {
		if slices.ContainsFunc(v.Parts, p.same) {
			continue
		}
		p.known = !slices.ContainsFunc(p.words, func(f word) bool { return !f.exact() })
		v.Parts = append(v.Parts, *p)
		if all |= p.set; p.Danger.worse(v.Danger) {
			v.Danger = p.Danger
		}
	}
	after := j.env
	v.Effects, v.Reasons, v.after, v.hide = all.list(), []Reason{}, &after, j.hide
	for _, d := range [...]Danger{Block, Confirm, NoDanger} {
		for _, r := range j.reasons {
			if r.Danger == d && len(v.Reasons) < maxReasons {
				r.Text = v.hidden(r.Text)
				v.Reasons = append(v.Reasons, r)
			}
		}
	}
	return v
}

// hidden is a text without secrets of the tools that are called.
func (v *Verdict) hidden(text string) string {
	for _, hide := range v.hide {
		text = hide(text)
	}
	return text
}

func (p *Part) same(q Part) bool {
	return p.Start == q.Start && p.Kind == q.Kind && p.Danger == q.Danger && p.Via == q.Via && p.set == q.set &&
		slices.EqualFunc(p.words, q.words, func(f, g word) bool { return f.text == g.text && f.multi == g.multi && f.glob == g.glob }) &&
		slices.EqualFunc(p.Paths, q.Paths, func(f, g Path) bool { return f.raw == g.raw })
}

// String is the part as it would be typed, for a person to read.
func (p *Part) String() string {
	var words []string
	for _, f := range p.words {
		words = append(words, quote.Word(show(f.text)))
	}
	return strings.Join(words, " ")
}

// Known reports whether all that there is to judge of the part is known before it runs.
func (p *Part) Known() bool { return p.known && !p.ahead }

// Foresees reports whether a call may be what becomes of the part: one of its
// words that is not known may become any number of words.
func (p *Part) Foresees(call *Part) bool {
	m := wordMatch{part: call, names: texts(call.words[:min(1, len(call.words))]), strict: true}
	for _, f := range p.words {
		t := token{raw: "..."}
		if f.exact() {
			t = token{texts: []string{escapes.Replace(f.text)}}
		}
		m.tokens = append(m.tokens, t)
	}
	return m.match(0, 0) == fits
}
