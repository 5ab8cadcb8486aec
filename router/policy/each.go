package policy

import (
	"slices"
	"strings"
)

// each runs words with each input where they say place, or at their end. What is too much is one input that is not known.
func each(words []word, place string, inputs [][]word, run func([]word)) {
	const most = 64
	if len(inputs) > most {
		inputs = append(inputs[:most:most], []word{{text: anyText}})
	}
	for _, in := range inputs {
		all := slices.Clone(words)
		for i := range all {
			w := &all[i]
			if place == "{}" {
				w.text = placeholders.Replace(w.text)
			}
			if place != "" && strings.Contains(w.text, place) {
				w.text, w.glob = strings.ReplaceAll(w.text, place, in[0].text), w.glob || in[0].glob
			}
		}
		if place == "" {
			all = append(all, in...)
		}
		run(all)
	}
}

// placeIn returns {} if fd's or parallel's words say where an input stands.
func placeIn(words []word) string {
	if strings.Contains(placeholders.Replace(joined(words)), "{}") {
		return "{}"
	}
	return ""
}

var placeholders = strings.NewReplacer("{.}", "{}", "{/}", "{}", "{//}", "{}", "{/.}", "{}", "{1}", "{}", "{2}", "{}")

// search runs an option's command, as find -exec does, for what is found in the operands; fd's first is a pattern.
func (u *usage) search(words []word, at span) {
	if len(words) == 0 {
		return
	}
	roots, place, fd := u.operands, "{}", u.name != "find" && u.name != "gfind"
	if fd {
		roots, place = roots[min(1, len(roots)):], placeIn(words)
	}
	if len(roots) == 0 {
		roots = []word{u.simpleCommand.here()}
	}
	var inputs [][]word
	for _, in := range roots {
		if in.multi {
			in = u.made(anyText)
		}
		if !fd && u.findsAll(at) { // the root itself is found too
			inputs = append(inputs, []word{in})
		}
		name := "/found"
		if !u.j.ours(in) && !u.named() {
			name = "/.found" // it may be .git
		}
		in.text = strings.TrimSuffix(in.text, "/") + name + aName
		inputs = append(inputs, []word{in})
	}
	each(words, place, inputs, func(run []word) { u.inner(u.name+" runs", run) })
}

// everything lists options before which no option of find leaves anything out.
func (u *usage) everything(add func(found)) {
	u.flags(func(hit found) {
		if u.findsAll(hit.at) {
			add(hit)
		}
	})
}

func (u *usage) findsAll(before span) bool {
	return !slices.ContainsFunc(u.opts, func(o option) bool {
		return o.at.start < before.start && programs().has("find-filter", o.name) && !(o.has && strings.Trim(o.value.text, "*.") == "")
	})
}

// xargs runs a command with words from its stdin.
func (u *usage) xargs() {
	place, part, stdin := "", false, u.j.stdin
	for _, o := range u.opts {
		switch o.name {
		case "-I", "-i", "--replace":
			if place = "{}"; o.has {
				place = o.value.text
			}
		case "-a", "--arg-file":
			stdin = u.j.content(o.value)
		default:
			part = part || programs().has("xargs-part", o.name)
		}
	}
	if len(u.operands) == 0 {
		u.part.set |= reads
		u.out = stdin
		return
	}
	each(u.operands, place, u.inputs(stdin, place != "", part), func(run []word) {
		u.j.nested(func() {
			u.j.stdin = value{""}
			u.inner("xargs", run)
		})
	})
}

// inputs are the words of each text that stdin may be, or the whole; in parts, which come together is not followed.
func (u *usage) inputs(stdin value, whole, part bool) (inputs [][]word) {
	if len(stdin) == 0 {
		stdin = value{anyText}
	}
	for _, text := range stdin {
		switch {
		case whole:
			inputs = append(inputs, []word{u.made(strings.TrimRight(text, "\n"))})
			continue
		case known(text):
			inputs = append(inputs, u.words(text))
		}
		if part || !known(text) || strings.ContainsAny(text, "'\"\\") {
			inputs = append(inputs, []word{{text: taint(text), multi: true, at: u.at}})
		}
	}
	return inputs
}

// words splits a text at blanks; what is too much are words that are not known.
func (u *usage) words(text string) (out []word) {
	for _, w := range strings.FieldsFunc(strings.ReplaceAll(text, `\_`, " "), func(r rune) bool { return r <= ' ' }) {
		if len(out) == 64 {
			return append(out, word{text: anyText, multi: true, at: u.at})
		}
		out = append(out, u.made(strings.Trim(w, `'"`)))
	}
	return out
}

// parallel runs bash text for each input: what stands after :::, or stdin.
func (u *usage) parallel() {
	inputs := u.inputs(u.j.stdin, true, false)
	end := slices.IndexFunc(u.operands, func(f word) bool { return strings.HasPrefix(f.text, ":::") })
	words := u.operands
	if end >= 0 {
		words, inputs = u.operands[:end], nil
		for _, f := range u.operands[end+1:] {
			inputs = append(inputs, []word{f})
		}
	}
	each(words, placeIn(words), inputs, func(run []word) {
		text := joined(run)
		u.ran(text, u.at)
		u.j.innerText(text, u.made(text), "parallel", true)
	})
	u.part.set |= executes
}
