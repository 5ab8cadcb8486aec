package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// frame is a function or loop that is being walked.
type frame struct {
	outer    *frame
	function string // "" for a loop
	args     string
	forks    int
	locals   []local // to restore when it returns
	exits    []env   // at each break, continue or return
}

// local is a variable as it was outside of a function.
type local struct {
	name  string
	outer variable
}

// funcDecl notes the text that a function's name runs from here on. It counts only where it is called.
func (j *judge) funcDecl(n *syntax.FuncDecl) {
	var body strings.Builder
	if err := syntax.NewPrinter().Print(&body, n.Body); err != nil {
		body.WriteString(anyText)
	}
	const head = "f() "
	text := head + body.String()
	if j.world.Carried != nil { // its calls have the names that bash gets
		text = cmp.Or(j.world.Carried(text).Script, text)
	}
	j.env.set("function "+j.src.literal(n.Name.Value), variable{lists: value{j.src.literal(text[len(head):])}})
}

// meanings returns what a command may run: functions and aliases of its name, and a program where these may not be there.
func (j *judge) meanings(args []word, at span) (all []func()) {
	name := args[0].text
	add := func(kind string) (unset bool) {
		for _, l := range j.lookup(kind + name).lists {
			if l == noElements {
				unset = true
			} else {
				all = append(all, func() { j.callBody(kind+name, l, args[1:], at) })
			}
		}
		return unset
	}
	unset := add("function ")
	if args[0].plain && !j.env.child {
		add("alias ")
	}
	if unset {
		all = append(all, func() { j.program(args, at) })
	}
	return all
}

// aliasWords are the words after an alias, as a variable.
const aliasWords = "__agentbash_words"

// callBody walks a function's body with its arguments, or an alias's text with the words after it.
func (j *judge) callBody(name, text string, args []word, at span) {
	key := joined(args)
	if j.recursion(name, key, at) {
		return
	}
	j.nested(func() {
		s, words := madeOf(text, at), "@"
		if strings.HasPrefix(name, "alias ") {
			s.text, words = text+` "${`+aliasWords+`[@]}"`, aliasWords
			if strings.TrimRight(text, " \t") != text { // the next word may be one, too
				j.anything("the alias ends in a blank", at)
				j.command(args, at)
			}
		} else if j.via == "" {
			j.via = "the " + name
		}
		fr := &frame{function: name, args: key, locals: []local{{words, j.lookup(words)}}}
		j.framed(fr, func() {
			j.env.set(words, variable{lists: value{listOf(texts(args))}})
			j.text(s)
		})
		j.restore(fr.locals)
	})
}

// restore gives variables back what they were, the last that was changed first.
func (j *judge) restore(before []local) {
	for _, v := range slices.Backward(before) {
		j.env.set(v.name, v.outer)
	}
}

// positional sets "$@".
func (j *judge) positional(args []word) {
	j.env.set("@", variable{lists: value{listOf(texts(args))}})
}

// maxRecursion is how often a function is walked within itself.
const maxRecursion = 3

// recursion reports whether a call within itself needs no walk. With the same arguments, in a pipe, it has no end.
func (j *judge) recursion(name, key string, at span) bool {
	within, same := 0, false
	for fr := j.frame; fr != nil; fr = fr.outer {
		if fr.function != name {
			continue
		}
		if strings.HasPrefix(name, "alias ") { // it is not expanded again
			return true
		}
		if within++; fr.args == key {
			if same = true; j.forks > fr.forks {
				j.forkBomb(at)
			}
		}
	}
	if within >= maxRecursion || same && !known(key) {
		j.unknown("the "+name+" calls itself, how often cannot be told", at)
	}
	return same || within >= maxRecursion
}

func (j *judge) forkBomb(at span) {
	p := j.add(j.part(TextPart, at))
	p.set = executes
	j.danger(p, Block, "a fork bomb: it starts itself again and again", at)
}

// endless finds loops that start processes without end and wait for none.
func (j *judge) endless(n *syntax.WhileClause) {
	forks := slices.ContainsFunc(n.Do, func(st *syntax.Stmt) bool { return st.Background })
	if n.Until || !forks || len(n.Cond) != 1 {
		return
	}
	text, cond := j.src.cut(n.Pos(), n.End()), j.src.cut(n.Cond[0].Pos(), n.Cond[0].End())
	waits := slices.ContainsFunc(programs().lists["waits"], func(word string) bool { return bashtext.HasWord(text, word) })
	if always := strings.NewReplacer(" ", "", ";", "", "\n", "").Replace(cond); !waits && programs().has("always", always) {
		j.forkBomb(j.src.spanOf(n.Pos(), n.End()))
	}
}
