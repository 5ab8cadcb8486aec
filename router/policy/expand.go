package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraced is how many words one word's braces may make.
const maxBraced = 48

// expandAll returns the command lines that words may become, at least one. Too many get one more, for all that differs.
func (j *judge) expandAll(words []*syntax.Word) (out [][]word) {
	var rest []word
	if !j.eachChoice(func(c *choice) {
		argv := make([]word, 0, len(words)+2)
		rest = rest[:0]
		for _, w := range words {
			open := c.open
			fs := j.expand(w)
			if argv = append(argv, fs...); c.open > open {
				fs = []word{j.anyWord(w)}
			}
			rest = append(rest, fs...)
		}
		out = append(out, argv)
	}) {
		out = append(out, rest)
	}
	return out
}

func (j *judge) anyWord(w *syntax.Word) word {
	return word{text: anyText, multi: true, at: j.src.spanOf(w.Pos(), w.End())}
}

// allWords returns all that a word may become, one after the other.
func (j *judge) allWords(w *syntax.Word) []word {
	return slices.Concat(j.expandAll([]*syntax.Word{w})...)
}

// allArguments is "$@".
var allArguments = &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{
	&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: "@"}}}}}}

// expandOne returns the texts that a word may have where it is not split: an assignment's value, a case's word.
func (j *judge) expandOne(w *syntax.Word) value {
	return j.textsOf(func() string { return j.plainText(w) })
}

// textsOf collects what make makes with all that it may pick.
func (j *judge) textsOf(make func() string) (v value) {
	if !j.eachChoice(func(*choice) { v = v.join(value{make()}) }) {
		v = v.join(value{v.taint()})
	}
	return v
}

// plainText returns what a word is this time, as one text.
func (j *judge) plainText(w *syntax.Word) string { return j.whole(builder{}, w, false) }

// patternOf returns a word as a pattern: what is quoted in it is escaped.
func (j *judge) patternOf(w *syntax.Word) string { return j.whole(builder{pattern: true}, w, false) }

// whole builds one text of a word, which is not split.
func (j *judge) whole(b builder, w *syntax.Word, quoted bool) string {
	if b.whole = true; w != nil {
		j.build(&b, w.Parts, quoted, !quoted)
	}
	return j.afford(string(b.text))
}

// afford takes a text off the budget; beyond it, it is not known any more.
func (j *judge) afford(s string) string {
	if j.bytes += len(s); j.bytes > maxBytes {
		j.spent = true
	}
	if j.bytes > maxBytes || len(s) > maxKnown {
		return taint(s)
	}
	return s
}

// expand returns the fields that one word becomes this time.
func (j *judge) expand(w *syntax.Word) []word {
	at := j.src.spanOf(w.Pos(), w.End())
	if text := w.Lit(); text != "" && !strings.ContainsAny(text, "\\~{*?[$`\x02") && !j.src.holes { // it is what it says
		return []word{{text: text, plain: true, at: at}}
	}
	b := j.splitter(at)
	for _, v := range j.braces(w) {
		j.build(&b, v.Parts, false, true)
		b.flush()
		b.blank = false
	}
	if j.spent {
		return []word{j.anyWord(w)}
	}
	return b.out
}

// braces returns the words that braces make of one. Those beyond a bound, and what becomes an expansion only now, are not known.
func (j *judge) braces(w *syntax.Word) (out []*syntax.Word) {
	c := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(c) {
		return []*syntax.Word{w}
	}
	for b, err := range expand.BracesSeq(nil, c) {
		if err != nil || len(out) == maxBraced || len(c.Parts) > 2*maxBraced {
			return append(out, c)
		}
		if madeVariable(b.Parts) {
			b.Parts = []syntax.WordPart{&syntax.BraceExp{}}
		}
		out = append(out, b)
	}
	return out
}

// madeVariable reports whether braces, which are expanded first, have made a variable's name: {$x,}y is $xy and y.
func madeVariable(parts []syntax.WordPart) bool {
	for i, part := range parts[1:] {
		next, ok := part.(*syntax.Lit)
		switch p := parts[i].(type) {
		case *syntax.ParamExp:
			if ok && p.Short && next.Value != "" && validName("_"+next.Value[:1]) {
				return true
			}
		case *syntax.Lit:
			if strings.HasSuffix(p.Value, "$") {
				return true
			}
		}
	}
	return false
}

// build expands the parts of a word.
func (j *judge) build(b *builder, parts []syntax.WordPart, quoted, start bool) {
	for i, part := range parts {
		if j.spent {
			return
		}
		if len(b.text) > maxKnown {
			b.text, b.multi = append(b.text[:0], taint(string(b.text))...), true
		}
		switch n := part.(type) {
		case *syntax.Lit:
			j.addLiteral(b, n, quoted, start && i == 0, len(parts) == 1)
		case *syntax.SglQuoted:
			text := n.Value
			if n.Dollar {
				text = ansiC(text)
			}
			b.quoted(j.src.literal(text))
		case *syntax.DblQuoted:
			if len(n.Parts) == 0 {
				b.quoted("")
			}
			j.build(b, n.Parts, true, false)
		case *syntax.ParamExp:
			words, star := j.param(n)
			if star && (quoted || b.whole) {
				words = []string{joinWords(words, j.separator())}
			} else if b.whole {
				words = []string{joinWords(words, " ")}
			}
			for i, s := range words {
				words[i] = j.afford(s)
			}
			b.words(words, quoted)
		case *syntax.CmdSubst:
			b.words([]string{j.substituted(n, func() value { return j.substitution(n) })}, quoted)
		case *syntax.ArithmExp:
			b.words([]string{j.arithm(n.X)}, quoted)
		case *syntax.ProcSubst:
			b.quoted(j.substituted(n, func() value { return value{j.procSubst(n)} }))
		case *syntax.ExtGlob:
			j.hidden(n.Pattern.Value, j.src.spanOf(n.Pos(), n.End()))
			b.put(aName, !quoted)
		case *syntax.BraceExp: // one that is not expanded
			for _, e := range n.Elems {
				j.plainText(e)
			}
			b.words([]string{anyText}, quoted)
		}
	}
}

// substituted picks one of the texts that a substitution becomes; it is walked once.
func (j *judge) substituted(n syntax.Node, walk func() value) string {
	c := j.choice
	v, ok := c.outs[n]
	if !ok {
		v = walk()
		c.outs[n] = v
	}
	return j.afford(j.pickOf(v))
}

func (j *judge) addLiteral(b *builder, lit *syntax.Lit, quoted, start, whole bool) {
	if !quoted && strings.ContainsAny(lit.Value, "$`<>") {
		j.hidden(lit.Value, j.src.spanOf(lit.ValuePos, lit.ValueEnd))
	}
	text := j.src.literal(lit.Value)
	if quoted {
		b.quoted(unescapeQuoted.Replace(text))
		return
	}
	plain := text
	switch name, rest, ok := strings.Cut(text, "~"); {
	case b.pattern:
	case ok && start && (name == "" || strings.HasSuffix(name, "=") && validName(strings.TrimSuffix(name, "="))):
		plain = name + j.tilde(rest, whole) // an argument may look like an assignment
	default:
		plain = unescape(text)
	}
	b.put(plain, pattern.HasMeta(text, 0))
}

// tilde expands what follows a leading ~ (bash manual, 3.5.2).
func (j *judge) tilde(text string, whole bool) string {
	name, _, slash := strings.Cut(text, "/")
	home := inherited // another user's, or another directory
	switch {
	case !slash && !whole || strings.ContainsAny(name, "\\*?["):
		return "~" + unescape(text)
	case name == "":
		home = j.pickOf(j.home())
	}
	return home + unescape(text[len(name):])
}

func (j *judge) home() value {
	if v := j.valueOf("HOME"); len(v) > 0 {
		return v
	}
	return j.outside("HOME").value()
}

// hidden looks for expansions in what the parser took for a literal, and in what is read again.
func (j *judge) hidden(text string, at span) {
	if strings.Contains(text, "<(") || strings.Contains(text, ">(") {
		j.unknown("whether this runs a command cannot be told", at)
	}
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") {
		return
	}
	end := "__agentbash_end"
	j.innerText(": <<"+end+"\n"+text+"\n"+end+"\n", word{at: at}, j.via, false)
}

// builder splits expansions as bash does (manual, 3.5.7). The library's loses empty words, and which words are patterns.
type builder struct {
	whole   bool // one text, nothing is split
	pattern bool // what is quoted in it is escaped
	seps    string
	unsure  bool // there may be other separators
	at      span
	out     []word
	text    []byte
	has     bool // a word has begun, be it empty
	blank   bool // blanks have ended the last word
	glob    bool
	multi   bool
}

func (j *judge) splitter(at span) builder {
	ifs := j.valueOf("IFS")
	b := builder{at: at, seps: strings.Join(ifs, ""), unsure: len(ifs) > 1 || !ifs.known()}
	if b.unsure || len(ifs) == 0 {
		b.seps = withoutHoles(b.seps) + " \t\n"
	}
	return b
}

// put adds a text that is not split.
func (b *builder) put(s string, glob bool) {
	b.text, b.has, b.glob = append(b.text, s...), b.has || s != "", b.glob || glob
}

func (b *builder) quoted(s string) {
	if b.pattern && known(s) {
		s = pattern.QuoteMeta(s, 0)
	}
	b.put(s, false)
	b.has = true
}

// joinWords makes one text of words.
func joinWords(l []string, sep string) string {
	if slices.Contains(l, anyWords) {
		return anyText
	}
	return strings.Join(l, sep)
}

// separator returns what stands between the words of "$*".
func (j *judge) separator() string {
	ifs := j.valueOf("IFS")
	switch sep := j.pickOf(ifs); {
	case len(ifs) == 0:
		return " "
	case sep != "" && sep[0] == hole:
		return anyText
	default:
		return sep[:min(1, len(sep))]
	}
}

// words adds what an expansion becomes.
func (b *builder) words(l []string, quoted bool) {
	for i, s := range l {
		if i > 0 {
			b.flush()
		}
		switch {
		case s == anyWords:
			b.put(anyText, false)
			b.multi = true
		case quoted:
			b.quoted(s)
		case b.seps != "" || b.unsure:
			b.split(s)
		default:
			b.put(s, pattern.HasMeta(s, 0))
			b.multi = b.multi || wild(s) // empty, it is no word
		}
	}
}

// split adds an unquoted expansion.
func (b *builder) split(s string) {
	b.multi = b.multi || b.unsure && s != ""
	for i, n := 0, 0; i < len(s); i += n {
		n = max(1, holeAt(s, i))
		c, blank := s[i], strings.IndexByte(" \t\n", s[i]) >= 0
		switch {
		case n > 1 || strings.IndexByte(b.seps, c) < 0:
			b.text, b.has, b.blank = append(b.text, s[i:i+n]...), true, false
			b.multi = b.multi || n > 1 && wild(s[i:i+n])
			b.glob = b.glob || c == '*' || c == '?' || c == '['
			continue
		case blank:
			b.blank = b.blank || b.has
		case b.blank && !b.has:
			b.blank = false // the blanks before a separator belong to it
			continue
		default:
			b.has = true
		}
		b.flush()
		b.multi = b.unsure
	}
}

// flush ends a word.
func (b *builder) flush() {
	if b.has {
		b.out = append(b.out, word{text: string(b.text), glob: b.glob, multi: b.multi, at: b.at})
	}
	b.text, b.has, b.glob, b.multi = b.text[:0], false, false, false
}

// unescape removes the backslashes outside quotes, and with them newlines.
func unescape(s string) string { return unescapes.Replace(s) }

var (
	unescapes      = strings.NewReplacer("\\\n", "", `\\`, `\`, `\`, "")
	unescapeQuoted = strings.NewReplacer("\\\n", "", `\\`, `\`, `\$`, "$", "\\`", "`", `\"`, `"`)
)
