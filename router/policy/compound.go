package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// branch walks one of several ways from before, and joins its end to those of
// the others. The first call starts with no others.
type branches struct {
	j      *judge
	before env
	ends   []env
	flow   flow
	mark   int
}

func (j *judge) branches() branches {
	return branches{j: j, before: j.env.copy(), mark: j.out.mark()}
}

func (b *branches) take(walk func() flow) {
	b.j.env = b.before.copy()
	f := walk()
	b.ends = append(b.ends, b.j.env.copy())
	b.flow = flow{addDirs(b.flow.ok, f.ok), addDirs(b.flow.fail, f.fail)}
}

// leave goes on after all of the branches. Without a branch that is always
// taken, none may have been.
func (b *branches) leave(complete bool) flow {
	if !complete {
		b.ends = append(b.ends, b.before)
		b.flow.ok = addDirs(b.flow.ok, b.before.dirs)
	}
	b.j.env = b.ends[0]
	for i := 1; i < len(b.ends); i++ {
		b.j.joinEnv(&b.ends[i])
	}
	b.j.out.loosen(b.mark)
	return b.flow
}

func (j *judge) ifClause(n *syntax.IfClause) flow {
	var b branches
	for first := true; n != nil; n = n.Else {
		if len(n.Cond) == 0 { // else
			b.take(func() flow { return j.list(n.Then) })
			return b.leave(true)
		}
		if !first {
			j.env = b.before.copy()
		}
		cond := j.condition(n.Cond)
		if first {
			b, first = j.branches(), false
		} else {
			b.before = j.env.copy()
		}
		b.take(func() flow { j.enter(cond.ok); return j.list(n.Then) })
		b.before.dirs = cond.fail
		if len(b.before.dirs) == 0 {
			b.before.dirs = cond.any()
		}
	}
	return b.leave(false)
}

func (j *judge) condition(stmts []*syntax.Stmt) flow {
	errexit := j.env.errexit
	j.env.errexit = false
	f := j.list(stmts)
	j.env.errexit = errexit
	return f
}

func (j *judge) caseClause(n *syntax.CaseClause) flow {
	j.expandOne(n.Word)
	b := j.branches()
	for _, item := range n.Items {
		for _, p := range item.Patterns {
			j.expandOne(p)
		}
		// ;& and ;;& fall through: the next item may start where this one ends.
		through := item.Op != syntax.Break
		b.take(func() flow { return j.list(item.Stmts) })
		if through {
			before := b.before
			last := b.ends[len(b.ends)-1]
			before.join(&last, j.outside)
			b.before = before
		}
	}
	return b.leave(false)
}

func (j *judge) while(n *syntax.WhileClause) flow {
	j.endless(n)
	return j.loop(func() flow {
		cond := j.condition(n.Cond)
		in, out := cond.ok, cond.fail
		if n.Until {
			in, out = out, in
		}
		j.exit(out)
		j.enter(in)
		return j.list(n.Do)
	})
}

func (j *judge) forLoop(n *syntax.ForClause) flow {
	switch l := n.Loop.(type) {
	case *syntax.CStyleLoop:
		j.arithm(l.Init)
		return j.loop(func() flow {
			j.arithm(l.Cond)
			f := j.list(n.Do)
			j.arithm(l.Post)
			return f
		})
	case *syntax.WordIter:
		items := j.items(l)
		if n.Select {
			items = items.join(value{""})
		}
		name := l.Name.Value
		return j.loop(func() flow {
			j.assign(variable{name: name, val: items})
			return j.list(n.Do)
		})
	}
	return j.same()
}

// items returns what a for loop's variable may be.
func (j *judge) items(l *syntax.WordIter) value {
	if !l.InPos.IsValid() {
		return j.elements(j.lookup("@"))
	}
	var items value
	for _, argv := range j.expandAll(l.Items) {
		for _, f := range argv {
			items = items.join(value{f.asName()})
		}
	}
	if len(items) == 0 {
		return value{""}
	}
	return items
}

// maxRounds is how often a loop's body is walked before what it changes is
// taken for anything.
const maxRounds = 5

// loop walks a body until the state at its start does not change any more.
func (j *judge) loop(body func() flow) flow {
	j.frames = append(j.frames, frame{forks: j.forks})
	mark := j.out.mark()
	again := j.again
	var f flow
	for round := 0; ; round++ {
		before := j.env.copy()
		f = body()
		j.enter(f.any())
		top := &j.frames[len(j.frames)-1]
		for i := range top.exits {
			j.joinEnv(&top.exits[i])
		}
		top.exits = top.exits[:0]
		j.joinEnv(&before)
		if j.env.equal(&before) || round > maxRounds || j.spent {
			break
		}
		j.again = true
		if round == maxRounds {
			j.havoc(&before)
		}
	}
	j.again = again
	j.frames = j.frames[:len(j.frames)-1]
	j.out.loosen(mark)
	return flow{j.env.dirs, j.env.dirs}
}

// equal reports whether two states are the same but for what only grows.
func (e *env) equal(other *env) bool {
	return slices.Equal(e.dirs, other.dirs) && e.unsure == other.unsure && len(e.funcs) == len(other.funcs) &&
		len(e.aliases) == len(other.aliases) && len(e.files) == len(other.files) &&
		slices.EqualFunc(e.vars, other.vars, func(a, b variable) bool { return a.equal(&b) })
}

// havoc takes everything that a loop changes for anything.
func (j *judge) havoc(before *env) {
	j.env.dirs = addDirs(j.env.dirs, []string{anyText})
	for _, v := range slices.Clone(j.env.vars) {
		if v.equal(before.find(v.name)) {
			continue
		}
		v.val = v.val.join(value{v.val.taint()})
		if v.array {
			v.lists = joinLists(v.lists, [][]string{{anyWords}})
		}
		j.env.set(v)
	}
}

// exit records a way out of the innermost loop.
func (j *judge) exit(dirs []string) { j.exitOf(false, dirs) }

// exitOf records a way out of the innermost loop or function.
func (j *judge) exitOf(function bool, dirs []string) {
	if len(dirs) == 0 {
		return
	}
	for i := len(j.frames) - 1; i >= 0; i-- {
		if (j.frames[i].function != "") == function {
			e := j.env.copy()
			e.dirs = dirs
			j.frames[i].exits = append(j.frames[i].exits, e)
			return
		}
	}
}
