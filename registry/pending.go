package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Keys of kwargs that are no arguments of the tool. No parameter can be named like
// them on a command line.
const (
	formatKey = "-o" // the form of the result
	laterKey  = "-@" // []source: what is read when the call runs
)

// maxFile bounds what --key@=FILE and --json @FILE read, in bytes.
const maxFile = 64 << 20

func isReserved(key string) bool { return key == formatKey || key == laterKey }

// Arguments are the kwargs that are the tool's arguments; they may be kwargs itself.
func (k Kwargs) Arguments() Kwargs {
	if k[formatKey] == nil && k[laterKey] == nil {
		return k
	}
	args := maps.Clone(k)
	maps.DeleteFunc(args, func(key string, _ any) bool { return isReserved(key) })
	return args
}

// source is where a value comes from.
type source struct {
	File    string     `json:"file"`              // "-" is stdin
	Set     []string   `json:"set,omitempty"`     // the place it is for; nil: it is all arguments
	Maybe   bool       `json:"maybe,omitempty"`   // only if it is a JSON object
	Members [][]string `json:"members,omitempty"` // of all arguments: the places set over it, which are parts of parameters
}

// later are what is to be read when the call runs.
func (k Kwargs) later() []source {
	list, _ := k[laterKey].([]source)
	return list
}

// Pending reports whether a parameter's value, or a part of it, is read from a file or
// stdin when the call runs, and so may not be in the kwargs.
func (k Kwargs) Pending(name string) bool {
	_, given := k[name]
	return slices.ContainsFunc(k.later(), func(s source) bool {
		return s.Set != nil && s.Set[0] == name || s.Set == nil && (!given || s.Members != nil)
	})
}

// has reports whether a parameter is given, or will be.
func (k Kwargs) has(name string) bool {
	_, given := k[name]
	return given || name != "" && k.Pending(name)
}

// takeStdin reports whether stdin is read for a value.
func (k Kwargs) takeStdin() bool {
	return slices.ContainsFunc(k.later(), func(s source) bool {
		n, own := DescriptorOf(s.File)
		return s.File == "-" || own && n == 0
	})
}

// words say what is read when the call runs, and the form of the result.
func (k Kwargs) words() (words []string) {
	if format, ok := k[formatKey].(string); ok {
		words = append(words, "-o", format)
	}
	for _, s := range k.later() {
		switch {
		case s.Maybe:
		case s.Set != nil:
			words = append(words, "--"+strings.Join(s.Set, ".")+"@="+s.File)
		default:
			words = append(words, "--json@="+s.File)
		}
	}
	return words
}

// pendingUses adds the files that are read for a call. What they hold may be the value of a parameter with a role.
func (t *Tool) pendingUses(k Kwargs, uses []Use, known bool) ([]Use, bool) {
	for _, s := range k.later() {
		if _, own := DescriptorOf(s.File); !own && s.File != "-" {
			uses = append(uses, Use{Role: ReadsFile, Value: s.File})
		}
		name := ""
		if s.Set != nil {
			name = s.Set[0]
		}
		known = known && len(t.Params.Roles(name)) == 0
	}
	return uses, known
}

// decodeBase decodes the JSON object of all arguments.
func (t *Tool) decodeBase(text []byte) (map[string]any, error) {
	if err := t.checkText(string(text)); err != nil {
		return nil, err
	}
	v, err := DecodeJSON(text)
	base, ok := v.(map[string]any)
	if err != nil {
		return nil, fmt.Errorf("is not a JSON object (%w)", err)
	} else if !ok {
		return nil, errors.New("is not a JSON object")
	}
	for _, key := range slices.Sorted(maps.Keys(base)) {
		if isReserved(key) {
			return nil, fmt.Errorf("cannot set %s, which no parameter can be called", key)
		}
		if q := t.Params.Find(key); q != nil && q.Name != key && !t.Foreign {
			if _, twice := base[q.Name]; twice {
				return nil, fmt.Errorf("has %s twice, once as %s", q.Name, key)
			}
			base[q.Name] = base[key]
			delete(base, key)
		}
	}
	return base, nil
}

// LaterFile is the first file that the arguments are read from when the call runs; "" for none.
func (k Kwargs) LaterFile() string {
	for _, s := range k.later() {
		if s.File != "-" && s.Set == nil {
			return s.File
		}
	}
	return ""
}

// ReadsAhead reports whether what a call acts on stands in what it gets on stdin: then
// nobody can judge it before that was read, as ReadAhead does.
func (t *Tool) ReadsAhead(k Kwargs) bool {
	later := k.later()
	if len(later) == 0 || slices.ContainsFunc(later, func(s source) bool { return s.File != "-" }) {
		return false
	}
	_, known := t.pendingUses(k, nil, true)
	return !known
}

// ReadAhead reads the stdin of a call of which ReadsAhead is true, and checks what it holds.
func (t *Tool) ReadAhead(ctx context.Context, parsed *Parsed, call *Call) error {
	c := *call
	c.Tool, c.Kwargs, c.Order = t, parsed.Kwargs, parsed.Order
	err := c.ReadPending(ctx)
	if parsed.Kwargs = c.Kwargs; c.Format != "" {
		parsed.Kwargs[formatKey] = c.Format
	}
	parsed.Order, call.Stdin = c.Order, c.Stdin
	return err
}

// ReadPending reads what the kwargs take from files and from stdin, and checks them
// then. After it Kwargs are the tool's arguments, and Format is set. Invoke does it.
func (c *Call) ReadPending(ctx context.Context) error {
	c.Format, _ = c.Kwargs[formatKey].(string)
	later := c.Kwargs.later()
	c.Kwargs = c.Kwargs.Arguments()
	if later == nil {
		return nil
	}
	if c.Order == nil {
		c.Order = &Order{}
	}
	r := pendingReader{call: c, stdin: c.Stdin}
	for _, s := range later {
		if len(s.Set) == 1 && c.Has(s.Set[0]) {
			continue // whoever set it after the words were read knows better
		}
		text, err := r.read(ctx, s.File)
		if err != nil {
			return err
		}
		if s.Set != nil {
			err = c.setFromText(s, text)
		} else {
			err = r.layOver(s, text)
		}
		if err != nil {
			return err
		}
	}
	problems := findHoles(map[string]any(c.Kwargs), nil)
	kwargs, err := c.Tool.judge(c.Kwargs, problems, c.Stdin != nil)
	var usage *UsageError
	switch {
	case errors.As(err, &usage) && r.unused != "":
		usage.Problems = append(usage.Problems, r.unused+": "+r.next)
	case err == nil && r.unused != "":
		fmt.Fprintf(c.Stderr, "%s: %s, and was not used\n", c.Tool.Name, r.unused)
	}
	c.Kwargs = kwargs
	return err
}

// pendingReader reads for a call; stdin can be read once.
type pendingReader struct {
	call   *Call
	stdin  io.Reader
	used   bool
	unused string // why stdin was not
	next   string // what to write then
}

func (r *pendingReader) read(ctx context.Context, name string) (string, error) {
	from := r.stdin
	switch {
	case name == "-" && from == nil:
		return "", Usagef("there is nothing on stdin: pipe something into the command")
	case name == "-" && r.used:
		return "", Usagef("stdin is asked for twice: name a file for one of them")
	case name == "-":
		r.used, r.call.Stdin = true, nil
	default:
		f, err := r.call.Open(ctx, name)
		if err != nil && ExitStatus(err) == 1 {
			err = Usagef("%v", err)
		}
		if err != nil {
			return "", err
		}
		defer f.Close()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	if len(b) > maxFile {
		return "", Usagef("%s holds more than %d MB: pass a smaller value", name, maxFile>>20)
	}
	return string(b), nil
}

// layOver lays the arguments that were given over those that a text holds.
func (r *pendingReader) layOver(s source, text string) error {
	c := r.call
	base, err := c.Tool.decodeBase([]byte(text))
	switch {
	case err != nil && s.Maybe:
		if strings.TrimSpace(text) != "" {
			r.unused, r.next = fmt.Sprintf("what is on stdin %v", err), "write --json - and pipe one, or name the values"
			list := c.Tool.Params.list
			if i := slices.IndexFunc(list, func(q Param) bool { return q.Required && q.holds(Array) }); i >= 0 && strings.HasPrefix(strings.TrimSpace(text), "[") {
				r.next = "write --" + list[i].Name + " - for an array"
			}
		}
		return nil
	case err != nil:
		return Usagef("--json: %s %v: write one with the arguments as members", s.File, err)
	}
	kwargs, over := Kwargs(base), maps.Clone(c.Kwargs)
	for _, path := range s.Members {
		if err := c.Tool.Params.setPlace(kwargs, path, placeIn(c.Kwargs, path)); err != nil {
			return Usagef("--%s: %v", strings.Join(path, "."), err)
		}
		delete(over, path[0])
	}
	maps.Copy(kwargs, over)
	order := OrderOf(text)
	order.merge(c.Order)
	c.Kwargs, c.Order = kwargs, order
	return nil
}

// placeIn is the value of a place in kwargs that setPlace has set.
func placeIn(kwargs Kwargs, path []string) any {
	var at any = map[string]any(kwargs)
	for _, part := range path {
		switch v := at.(type) {
		case map[string]any:
			at = v[part]
		case []any:
			n, _ := strconv.Atoi(part)
			at = v[n]
		}
	}
	return at
}

// setFromText sets the place of --key@=FILE. Of a path, an address or a command the end of line goes.
func (c *Call) setFromText(s source, text string) error {
	name := strings.Join(s.Set, ".")
	p := parser{params: c.Tool.Params}
	_, q, _ := p.findPlace(name)
	v, err := q.orAny().coerceText(text)
	if problem := c.Tool.checkText(text); problem != nil {
		err = problem
	}
	if err == nil {
		err = c.Tool.Params.setPlace(c.Kwargs, s.Set, v)
	}
	if err != nil {
		return Usagef("--%s@=: %v", name, err)
	}
	c.Order.at(s.Set).mergeWords(v, []string{text})
	return nil
}

// coerceText makes the value of a whole text by the declared type.
func (q *Param) coerceText(text string) (any, error) {
	word := strings.TrimSpace(text)
	v, err := q.coerceWords([]string{word})
	if _, isArray := v.([]any); isArray && !looksLikeJSON(word) {
		return nil, (&Param{Type: Array}).wrongType(quoteCut(word))
	}
	if _, isText := v.(string); !isText || len(q.Enum) > 0 || err != nil {
		return v, err
	}
	if q.Role != "" {
		text = strings.TrimRight(text, "\r\n")
	}
	return text, q.allows(text)
}
