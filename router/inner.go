package router

import (
	"path"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// runner says where the arguments of a command hold another: after its options and operands.
type runner struct {
	takes    string // options whose value is the next word
	operands int    // words before the command
	assigns  bool   // NAME=value may stand before it
	stops    string // options with which it runs nothing
	after    string // it stands after each of these options instead
	needs    string // the option that makes it a text; other operands are no command
	text     bool   // it is a text, unless there are several words
}

var shell = runner{takes: "-o +o -O +O --rcfile --init-file", needs: "-c", text: true}

var runners = map[string]runner{
	"command": {stops: "-v -V"}, "nohup": {}, "setsid": {},
	"exec":     {takes: "-a"},
	"env":      {takes: "-u -C --unset --chdir", assigns: true},
	"time":     {takes: "-f -o --format --output"},
	"timeout":  {takes: "-k -s --kill-after --signal", operands: 1},
	"nice":     {takes: "-n --adjustment"},
	"ionice":   {takes: "-c -n --class --classdata", stops: "-p -P -u --pid --pgid --uid"},
	"stdbuf":   {takes: "-i -o -e --input --output --error"},
	"flock":    {takes: "-w -E --wait --timeout --conflict-exit-code", operands: 1},
	"xargs":    {takes: "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-chars"},
	"parallel": {takes: "-a -d -E -I -j -L -n -N -P -S --arg-file --colsep --delay --delimiter --jobs --joblog --max-args --results --retries --timeout"},
	"find":     {after: "-exec -execdir -ok -okdir"},
	"bash":     shell, "sh": shell, "dash": shell,
	"eval": {text: true},
	"trap": {stops: "-l -p", text: true},
}

// maxTexts is how deep texts within texts are followed.
const maxTexts = 6

// keepInner looks for a tool's name in the arguments of a command: as a word (xargs), or in a text (bash -c).
func (f *finder) keepInner(words []*syntax.Word, fed flow) {
	word, ok := literalWord(words[0])
	if !ok || f.defined[word.Value] {
		return
	}
	r, ok := runners[path.Base(word.Value)]
	if !ok {
		return
	}
	if r.after != "" {
		for i, w := range words {
			if hasOption(r.after, w.Lit()) {
				rest := words[i+1:]
				if end := slices.IndexFunc(rest, endsExec); end >= 0 {
					rest = rest[:end]
				}
				f.keepWords(rest, fed)
			}
		}
		return
	}
	typed := words[1:]
	if words = r.command(typed); len(words) == 0 {
		return
	}
	if options := typed[:len(typed)-len(words)]; r.needs != "" && slices.ContainsFunc(options, isLogin) {
		defer func(was bool) { f.login = was }(f.login)
		f.login = true
	}
	if _, ok := literalWord(words[0]); word.Value == "eval" { // "concatenated together into a single command"
		f.keepText(words, fed, f.inner || slices.ContainsFunc(words, func(w *syntax.Word) bool { return slices.ContainsFunc(w.Parts, expands) }))
	} else if r.text && (!ok || r.needs != "") {
		f.keepText(words[:1], flow{around: true}, true)
	} else {
		f.keepWords(words, fed)
	}
}

// keepWords keeps words that call a tool or run a command that does.
func (f *finder) keepWords(words []*syntax.Word, fed flow) {
	if len(words) > 0 && !f.keepSite(words, fed, true) {
		f.keepInner(words, fed)
	}
}

// command cuts off what stands before the command or text, and is empty if there is none.
func (r *runner) command(words []*syntax.Word) []*syntax.Word {
	left, options, found := r.operands, true, r.needs == ""
	for i := 0; i < len(words); i++ {
		w := argOf(words[i]).text
		switch {
		case options && w == "--":
			options = false
		case options && len(w) > 1 && (w[0] == '-' || w[0] == '+' && r.needs != ""):
			if hasOption(r.stops, w) {
				return nil
			}
			found = found || hasLetter(w, r.needs)
			if r.takesNext(w) {
				i++
			}
		case r.assigns && strings.Contains(w, "="):
		case left > 0:
			left--
		case !found:
			return nil
		default:
			return words[i:]
		}
	}
	return nil
}

// takesNext reports whether the next word is an option's value.
func (r *runner) takesNext(option string) bool {
	if strings.HasPrefix(option, "--") {
		return hasOption(r.takes, option)
	}
	for i := 1; i < len(option); i++ {
		if hasOption(r.takes, option[:1]+option[i:i+1]) {
			return i == len(option)-1
		}
	}
	return false
}

// expands reports whether bash puts something else in the place of a part of a word.
func expands(part syntax.WordPart) bool {
	switch p := part.(type) {
	case *syntax.Lit:
		return false
	case *syntax.SglQuoted:
		return p.Dollar
	case *syntax.DblQuoted:
		return slices.ContainsFunc(p.Parts, expands)
	}
	return true
}

func hasOption(options, w string) bool {
	return w != "" && slices.Contains(strings.Fields(options), w)
}

// hasLetter reports whether a cluster such as -xc has an option in it.
func hasLetter(cluster, option string) bool {
	return option != "" && !strings.HasPrefix(cluster, "--") && strings.Contains(cluster[1:], option[1:])
}

// isLogin reports whether an option makes a shell a login shell.
func isLogin(w *syntax.Word) bool {
	text := argOf(w).text
	return text == "--login" || strings.HasPrefix(text, "-") && hasLetter(text, "-l")
}

// endsExec reports whether a word ends the command of find -exec.
func endsExec(w *syntax.Word) bool {
	text := argOf(w).text
	return text == ";" || text == "+"
}

// keepText keeps the calls of a text that a command runs, such as that of bash -c,
// as far as it stands in words as it is. The text of eval is one of the shell's own;
// with inner only what cannot be meant otherwise counts.
func (f *finder) keepText(words []*syntax.Word, fed flow, inner bool) {
	text, places := f.literalText(words)
	if f.texts == maxTexts || !f.names.occurs(text) {
		return
	}
	own := finder{names: f.names, text: text, places: places, inner: inner, texts: f.texts + 1, login: f.login}
	if own.walk(bashtext.Parse(text), fed) {
		f.found = append(f.found, slices.DeleteFunc(own.found, func(c candidate) bool { return own.defined[c.site.name] })...)
	}
}

// A place is where in the whole a byte of a text stands. For n backslashes before the
// byte in the text it takes times*n+more there, by the quotes around it.
type place struct{ at, times, more int }

// within is a place in a text whose own place is p.
func (p place) within(times, more int) place {
	return place{p.at, p.times * times, p.times*more + p.more}
}

// literalText is what words say, with spaces between them, and where each byte of that
// stands in the whole. What bash expands in it is an expansion in the text, too.
func (f *finder) literalText(words []*syntax.Word) (text string, places []place) {
	var b strings.Builder
	add := func(s string, at, step, times, more int) {
		for i := range len(s) {
			b.WriteByte(s[i])
			places = append(places, f.place(min(at+i*step, len(f.text)-1)).within(times, more))
		}
	}
	literal := func(lit *syntax.Lit, escaped string, bare int) { // in double quotes a backslash quotes only these
		at, end := int(lit.Pos().Offset()), min(int(lit.End().Offset()), len(f.text))
		for ; at < end; at++ {
			more := bare
			if f.text[at] == '\\' && at+1 < end && (escaped == "" || strings.IndexByte(escaped, f.text[at+1]) >= 0) {
				if at++; f.text[at] == '\n' {
					continue
				}
				more = 0
			}
			add(f.text[at:at+1], at, 1, 2, more)
		}
	}
	const expansion = "${x}"
	for i, w := range words {
		if i > 0 {
			add(" ", int(w.Pos().Offset()), 0, 1, 0)
		}
		for _, part := range w.Parts {
			at := int(part.Pos().Offset())
			switch p := part.(type) {
			case *syntax.Lit:
				literal(p, "", 1)
			case *syntax.SglQuoted:
				if p.Dollar {
					add(expansion, at, 0, 1, 0)
					continue
				}
				add(f.text[min(at+1, len(f.text)):min(int(p.Right.Offset()), len(f.text))], at+1, 1, 1, 0)
			case *syntax.DblQuoted:
				for _, q := range p.Parts {
					if lit, ok := q.(*syntax.Lit); ok {
						literal(lit, "\"\\$`\n", -1)
					} else {
						add(expansion, int(q.Pos().Offset()), 0, 1, 0)
					}
				}
			default:
				add(expansion, at, 0, 1, 0)
			}
		}
	}
	return b.String(), places
}
