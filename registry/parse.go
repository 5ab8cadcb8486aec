package registry

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// HelpLevel says which help was asked for.
type HelpLevel int

// What -h and --help ask for.
const (
	NoHelp      HelpLevel = iota
	BriefHelp             // -h
	VerboseHelp           // --help
	SchemaHelp            // --schema, of a Foreign tool
)

// String is "", "brief", "verbose" or "schema".
func (h HelpLevel) String() string { return [...]string{"", "brief", "verbose", "schema"}[h] }

// Parsed is what the words after a command's name mean.
type Parsed struct {
	Kwargs      Kwargs    // coerced, positionals included; empty, never nil
	Positionals []string  // the words that stood without a key, as they were
	Help        HelpLevel // when set, Kwargs is not complete and nothing was checked
	Order       *Order    // of the kwargs' keys, and of those in them
}

// Parse turns the words after the tool's name into kwargs. The grammar is one
// for all tools, left to right:
//
//   - --key=value splits at the first "="; --key value takes the next word
//     even when it starts with "-", unless that word is "--" plus a declared key;
//   - a boolean takes the next word when it is true, false, yes, no, on, off, 1 or
//     0; --flag alone is true, and --no-flag false; a parameter that has a value for
//     standing Alone takes the next word when it is one of its values;
//   - dashes in a key are underscores; a repeated key builds an array, and is
//     an error for anything else;
//   - --key.member and --list.0.member set a place in a nested value;
//   - --key:=JSON sets a parameter, or a place in it, to a JSON value;
//   - --key@=FILE takes the value from a file, --key@=- from stdin; for an object or
//     an array --key @FILE and --key - do too;
//   - --json '{...}', --json @FILE and --json - give all arguments at once; what else
//     is given overrides them, member by member. A parameter called json is itself.
//     Where nothing is given and stdin alone is not enough, a JSON object on it is --json -;
//   - -o FORM chooses among the tool's Formats, if it has any;
//   - "--" ends options; "-" and negative numbers are positional; a letter that
//     the tool declares (-i) is its parameter, any other -x is an error;
//   - positionals fill the required parameters that are not set, then those that
//     are Positional, in schema order; one too many is an error;
//   - -h and --help count where a flag may stand, never as a value; a parameter called
//     help takes --help=VALUE. --schema prints the schema of a Foreign tool.
//
// Values are coerced by their declared type. hasStdin says that a parameter
// with Stdin set may be absent. Parse does no I/O: what files and stdin hold is read,
// and checked, by [Call.ReadPending]. Errors are *UsageError and name every problem.
func (t *Tool) Parse(words []string, hasStdin bool) (Parsed, error) {
	p := newParser(t)
	if help := p.sortWords(words); help != NoHelp {
		return Parsed{Kwargs: Kwargs{}, Help: help}, nil
	}
	p.fillPositionals()
	nothing := len(p.given)+len(p.positionals)+len(p.problems) == 0 && p.base == nil && p.later == nil
	takesSome, needsMore := p.params.open || len(p.params.list) > 0, slices.ContainsFunc(p.params.list, func(q Param) bool { return q.Required && !q.Stdin })
	if hasStdin && nothing && (t.Foreign && takesSome || needsMore) { // stdin cannot be all that is given
		p.later = []source{{File: "-", Maybe: true}}
	}
	var positionals []string
	for _, w := range p.positionals {
		positionals = append(positionals, w.word)
	}
	kwargs := p.makeKwargs()
	kwargs, err := t.judge(kwargs, p.problems, hasStdin)
	return Parsed{Kwargs: kwargs, Positionals: positionals, Order: p.order}, err
}

// checkText reports a text of which a field tool would be sent something else.
func (t *Tool) checkText(text string) error {
	if t.Foreign && !utf8.ValidString(text) {
		return errors.New("is not UTF-8, and JSON holds nothing else: convert it (iconv -f latin1 -t utf8), or send what the tool takes for bytes (base64)")
	}
	return nil
}

type parser struct {
	tool        *Tool
	params      *Params
	given       []given
	at          int            // the word that is looked at
	base        map[string]any // of --json; nil: not given, or read later
	later       []source
	format      string
	positionals []positional
	order       *Order
	problems    []string
}

func newParser(t *Tool) *parser {
	p := &parser{tool: t, params: t.Params.readSchema(), order: &Order{}}
	if p.params == nil {
		p.params = NewParams()
	}
	return p
}

var negative = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$`) })

// option is a word such as --key, --key=value, --key:=JSON or --key@=FILE.
type option struct {
	key, value string
	form       byte // '=', ':', '@', or 0: it has no value
}

// cutOption cuts an option, whose key has letters, digits, _ . and -, or is declared (--$filter, --größe).
func (p *parser) cutOption(word string) (o option, ok bool) {
	rest, ok := strings.CutPrefix(word, "--")
	if !ok {
		return o, false
	}
	key, value, hasValue := strings.Cut(rest, "=")
	o = option{key: key, value: value}
	if hasValue {
		o.form = '='
		if n := len(key) - 1; n > 0 && (key[n] == ':' || key[n] == '@') && p.params.Find(key) == nil {
			o.key, o.form = key[:n], key[n]
		}
	}
	head, _, _ := strings.Cut(o.key, ".")
	return o, isKey(o.key) || o.key != "" && (p.params.Find(o.key) != nil || p.params.Find(head) != nil)
}

func isKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '.' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

func (p *parser) addProblem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

// sortWords sorts the words into values and positionals; it stops at a request for help.
func (p *parser) sortWords(words []string) HelpLevel {
	owner, joined := "", false // of the word before
	for i := 0; i < len(words); i++ {
		w, before := words[i], len(p.given)
		p.at = i
		switch o, isOption := p.cutOption(w); {
		case w == "--":
			for j, w := range words[i+1:] {
				p.positionals = append(p.positionals, positional{word: w, joined: j > 0, at: i + 1 + j})
			}
			return NoHelp
		case isOption:
			used, help := p.takeLong(o, words[i+1:])
			if help != NoHelp {
				return help
			}
			i += used
		case w == "-h" && p.params.findShort("h") == nil && (p.tool.Unix["h"] == "" || len(words) == 1):
			return BriefHelp
		case len(w) < 2 || w[0] != '-' || negative().MatchString(w) && p.params.findShort(w[1:2]) == nil:
			p.positionals = append(p.positionals, positional{w, owner, joined, i})
			owner, joined = "", true
			continue
		case p.isFormat(w):
			i += p.takeFormat(w, words[i+1:])
		default:
			i += p.takeLetters(w, words[i+1:])
		}
		owner, joined = "", false
		if n := len(p.given); n > before && p.given[n-1].words != nil && !p.given[n-1].param.orAny().isFlag() {
			owner = strings.Join(p.given[n-1].path, ".")
		}
	}
	return NoHelp
}

// takeLong takes an option and returns how many of the following words it used.
func (p *parser) takeLong(o option, rest []string) (used int, help HelpLevel) {
	path, q, known := p.findPlace(o.key)
	if o.key == "help" && o.form == 0 { // a parameter of that name is --help=VALUE
		return 0, VerboseHelp
	}
	if !known {
		if used, help, taken := p.takeUnknown(o, rest); taken {
			return used, help
		}
	}
	if !known && !p.params.open {
		if head, _, _ := strings.Cut(o.key, "."); p.params.Find(head) != nil {
			p.addProblem("--%s: a name is missing at a dot: write --%s.MEMBER, or --%[2]s.0 for an element", o.key, head)
		} else {
			p.problems = append(p.problems, p.params.unknownProblem("--", head))
		}
		if o.form == 0 && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			used = 1 // its value, most likely: not one more problem
		}
		return used, NoHelp
	}
	switch o.form {
	case '=':
		p.addWord(path, q, o.value)
	case '@':
		p.addFile(path, q, o.value)
	case ':':
		v, err := DecodeJSON([]byte(o.value))
		if problem := p.tool.checkText(o.value); problem != nil {
			p.addProblem("--%s:= %v", o.key, problem)
			break
		} else if err != nil {
			p.addProblem("--%s:= is not JSON: %v: text is set with --%[1]s=", o.key, err)
			break
		}
		p.add(given{path: path, param: q, text: o.value, value: v})
	default:
		used = p.takeValue("--"+o.key, path, q, rest)
	}
	return used, NoHelp
}

// takeUnknown takes an option that is no parameter, if it is one for all tools or the Unix program's.
func (p *parser) takeUnknown(o option, rest []string) (used int, help HelpLevel, taken bool) {
	switch {
	case o.key == "schema" && o.form == 0 && p.tool.Foreign:
		return 0, SchemaHelp, true
	case o.key == "json":
		return p.takeAll(o, rest), NoHelp, true
	case p.takeNegated(o):
		return 0, NoHelp, true
	case o.form == 0 || o.form == '=':
		used, taken = p.takeUnix(Fold(o.key), "--"+o.key, o.value, o.form == '=', rest)
	}
	return used, NoHelp, taken
}

// TakesNext reports whether a word is --key of a parameter whose value is the
// next word, whatever that begins with.
func (p *Params) TakesNext(word string) bool {
	key, ok := strings.CutPrefix(word, "--")
	q := p.Find(key)
	return ok && q != nil && !q.isFlag()
}

// takeNegated takes --no-flag.
func (p *parser) takeNegated(o option) bool {
	rest, ok := strings.CutPrefix(Fold(o.key), "no_")
	q := p.params.Find(rest)
	if !ok || q == nil || !q.holds(Boolean) {
		return false
	}
	if o.form != 0 {
		p.addProblem("--%s takes no value: write --%s=true or --%[2]s=false", o.key, rest)
		return true
	}
	p.addWord([]string{q.Name}, q, "false")
	return true
}

// takeAll takes --json.
func (p *parser) takeAll(o option, rest []string) (used int) {
	value, isFile := o.value, o.form == '@'
	if o.form == 0 {
		if len(rest) == 0 {
			p.addProblem("--json needs a value: write --json '{...}', --json - or --json @FILE")
			return 0
		}
		value, used = rest[0], 1
	}
	if name, ok := strings.CutPrefix(value, "@"); !isFile && (ok || value == "-") {
		value, isFile = name, true
	}
	if p.base != nil || len(p.later) > 0 && p.later[0].Set == nil {
		p.addProblem("--json is given twice: give it once")
		return used
	}
	if isFile {
		p.later = append([]source{{File: value}}, p.later...)
		return used
	}
	base, err := p.tool.decodeBase([]byte(value))
	if err != nil {
		p.addProblem("--json %v: write --json '{\"key\": \"value\"}', --json - or --json @FILE", err)
		return used
	}
	p.base = base
	p.order.merge(OrderOf(value))
	return used
}

// takeValue takes the value of an option from the following words.
func (p *parser) takeValue(shown string, path []string, q *Param, rest []string) (used int) {
	switch {
	case q != nil && q.isFlag():
		if len(rest) > 0 && q.isFlagWord(rest[0]) {
			p.addWord(path, q, rest[0])
			return 1
		}
		p.addWord(path, q, q.alone())
		return 0
	case q == nil && len(path) == 1 && (len(rest) == 0 || strings.HasPrefix(rest[0], "--")): // an open schema: as the seed does, a flag
		p.addWord(path, q, "true")
		return 0
	case len(rest) == 0:
		p.addProblem("%s needs a value: write %[1]s VALUE", shown)
		return 0
	}
	if o, ok := p.cutOption(rest[0]); ok {
		if _, _, known := p.findPlace(o.key); known {
			p.addProblem("%s needs a value, and the next word is %s: write %[1]s=%[2]s if that is the value", shown, rest[0])
			return 0
		}
	}
	if name, isFile := strings.CutPrefix(rest[0], "@"); q.isStructured() && (isFile || name == "-") {
		p.addFile(path, q, name)
	} else {
		p.addWord(path, q, rest[0])
	}
	return 1
}
