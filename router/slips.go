package router

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/quote"
	"mvdan.cc/sh/v3/syntax"
)

// refuseSlip is why a text is not run at all, since what bash would make of it is of use to nobody; nil: it runs.
func (p *Plan) refuseSlip() error {
	if strings.Contains(p.Raw, "<<") {
		if err := p.unclosedError(); err != nil {
			return err
		}
	}
	if forTerminals().MatchString(p.Raw) {
		return p.terminalError()
	}
	return nil
}

// unclosedError is the error of a here-document without an end, for which bash would take all that follows.
func (p *Plan) unclosedError() error {
	var parse syntax.ParseError
	if !errors.As(p.Syntax().Err, &parse) {
		return nil
	}
	end, ok := strings.CutPrefix(parse.Text, "unclosed here-document ")
	if end, err := strconv.Unquote(end); ok && err == nil {
		name := ""
		if p.Name != "" {
			name = p.Name + ": "
		}
		return &statusError{name + fmt.Sprintf("the here-document has no end, nothing of this line ran: put a line after its text that holds %s alone, without blanks before it; what runs next stands in the line after", end), exitUsage}
	}
	return nil
}

const exitUsage = 2

// terminalPrograms are programs that draw on a terminal, what has them not do it, and what to type in their place.
var terminalPrograms = []struct{ names, unless, say string }{
	{"vi vim nvim", `^(-[eE]s|-s|-l|--headless|--version|--help|-h)$|(^|[+:| ])(w?qa?(ll)?|xa(ll)?|cq)!?$|[+:| ]x!?$`, "change files with edit or write, and see them with read"},
	{"nano pico micro joe", `^--?(version|help|V|h)$`, "change files with edit or write, and see them with read"},
	{"emacs", `^(--?batch|--?script|-x|--version|--help|--(fg-|bg-)?daemon.*)`, "change files with edit or write, and see them with read"},
	{"top", `^-.*b|^-[hvl]`, "top -bn1 prints once, ps aux --sort=-%cpu | head too"},
	{"htop btop", `^--?(version|help|[hvV])$`, "ps aux --sort=-%cpu | head prints once"},
	{"tig lazygit nmtui", `^--?(version|help|h|v|V|config|logs|print-config-dir)$`, "use commands that print: ls, git log --oneline"},
	{"mc", `^--?(version|help|h|V)$|^[a-z]+$`, "use commands that print: ls, cp, mv"}, // with a word it is MinIO's
}

var forTerminals = sync.OnceValue(func() *regexp.Regexp {
	var names []string
	for _, t := range terminalPrograms {
		names = append(names, strings.Fields(t.names)...)
	}
	return regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
})

// terminalError is the error of a text that runs a program for terminals.
func (p *Plan) terminalError() (err error) {
	eachCommand(p.Syntax(), func(call *syntax.CallExpr) {
		name := argOf(call.Args[0]).text
		for _, t := range terminalPrograms {
			if err != nil || !slices.Contains(strings.Fields(t.names), name) {
				continue
			}
			unless := regexp.MustCompile(t.unless)
			if slices.ContainsFunc(call.Args[1:], func(w *syntax.Word) bool { return unless.MatchString(argOf(w).text) }) {
				continue
			}
			say := t.say
			if offer := p.router.offerTerminal(p.Raw); offer != "" {
				say += "; " + offer
			}
			err = &statusError{fmt.Sprintf("%s needs a terminal, and there is none here; nothing ran: %s", name, say), exitUsage}
		}
	})
	return err
}

// knownSlips are what models write in place of bash outside quotes, and what to say of it.
var knownSlips = sync.OnceValue(func() []slip {
	return []slip{
		{regexp.MustCompile(`&(gt|lt|amp|quot|#39);`), failed, "the command holds HTML escapes, which bash does not know: send > for &gt;, < for &lt;, & for &amp;"},
		{regexp.MustCompile(`[“”‘’]`), failed, `“ ” ‘ ’ are letters to bash and quote nothing: quote with " or '`},
		{regexp.MustCompile(`(?m)\A\s*(import \w[\w., ]*$|from \w+ import |def \w+\(|class \w+[:(]|print\()`), failed, "this is Python, not bash: python3 - <<'EOF', the program, and a line with EOF alone"},
		{regexp.MustCompile(`[^\s\\]\\n[a-z]+( |$)`), always, `\n outside quotes is the letter n, no line break: send a real line break`},
		{regexp.MustCompile(`(?s)^\s*#[^\n]*(\n\s*(#[^\n]*)?)*$`), always, "this is only a comment: nothing ran"},
		{regexp.MustCompile(`^\s*[A-Z][a-z']+( [\w',.-]+){2,}[:.]?\s*(\n|$)`), notFoundFirst, "the first line is prose, which bash ran as a command: send commands alone, or words after #"},
	}
})

type slip struct {
	words *regexp.Regexp
	after func(stderr *capture, status int) bool
	say   string
}

func always(*capture, int) bool { return true }

func failed(stderr *capture, status int) bool {
	return status != 0 || stderr.holds("command not found")
}

func notFoundFirst(stderr *capture, _ int) bool { return stderr.holds("command not found") }

// quotedParts are what stands in quotes, and a here-document with all that follows.
var quotedParts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\$?'(\\.|[^'])*'|"(\\.|[^"\\])*"|<<-?\s*["'\\]?\w+["']?.*?\n.*$`)
})

// printSlips says what was likely meant, one line each.
func (r *Router) printSlips(p *Plan, stderr *capture, status int) {
	bare := quotedParts().ReplaceAllString(p.Raw, "''")
	for _, s := range knownSlips() {
		if s.words.MatchString(bare) && s.after(stderr, status) {
			fmt.Fprintln(stderr, "hint: "+s.say)
		}
	}
	if stderr.holds("unexpected character after line continuation") && strings.Contains(p.Raw, `\n`) {
		fmt.Fprintln(stderr, `hint: \n in these quotes is a backslash and an n, no line break: break the lines themselves, or use python3 - <<'EOF'`)
	}
	if stderr.holds("No such file or directory") {
		r.explainStart(stderr)
	}
}

var missingPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)[ '‘]([\w.@+-][\w./@+-]*)['’]?: No such file or directory$`)
})

// explainStart says of a path that is not there that it is below the directory where the session began.
func (r *Router) explainStart(stderr *capture) {
	start, now := r.opts.Dir, r.Dir()
	for _, m := range missingPath().FindAllStringSubmatch(stderr.start(), 8) {
		path := filepath.Join(start, m[1])
		if _, err := os.Lstat(path); start == now || err != nil {
			continue
		}
		if _, err := os.Lstat(filepath.Join(now, m[1])); err != nil {
			fmt.Fprintf(stderr, "hint: this bash is in %s now; there is a %s below %s, where it began: type %s\n", now, m[1], start, quote.Word(path))
			return
		}
	}
}
