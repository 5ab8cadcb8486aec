package files

import (
	"bufio"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/agentbash/internal/search"
	"github.com/agentbash/agentbash/internal/quote"
)

// grepOptions are options of grep(1) that are no parameters.
func grepOptions() map[string]string {
	options := map[string]string{}
	for names, means := range map[string]string{
		"l files_with_matches": "--output_mode=files",
		"c count":              "--output_mode=count",
		"r R recursive E extended_regexp H with_filename s no_messages": "",
		"v invert_match":        "lines that do not match are grep(1)'s: command grep -rnv PATTERN PATH",
		"o only_matching":       "what matched alone is grep(1)'s: command grep -rno PATTERN PATH",
		"L files_without_match": "files without a match are grep(1)'s: command grep -rL PATTERN PATH",
		"P perl_regexp":         "Perl's expressions are grep(1)'s: command grep -rnP PATTERN PATH",
		"e regexp":              "give one pattern, with alternatives as a|b: --pattern 'a|b'",
		"m max_count":           "write --head_limit N",
		"q quiet silent":        "leave it out: the exit status is 0 where something matched, else 1",
	} {
		for _, name := range strings.Fields(names) {
			options[name] = means
		}
	}
	return options
}

func (q *query) compile(rewrite func(string) string) (*search.Matcher, error) {
	expr, o := q.call.String("pattern"), search.Options{
		Fixed: q.call.Bool("fixed"), IgnoreCase: q.call.Bool("ignore_case"), Word: q.call.Bool("word"), Multiline: q.multi,
	}
	if !o.Fixed {
		expr = rewrite(expr)
	}
	return search.Compile(expr, o)
}

// perlEscapes are escapes of Perl's that choose the same lines as an expression of RE2.
var perlEscapes = map[byte]string{'h': `[ \t]`, 'H': `[^ \t]`, 'K': "", 'Z': `\z`}

// asRE2 writes Perl's escapes as RE2 has them. Those within a class stay, but for \h.
func asRE2(expr string) string {
	var out strings.Builder
	class := -1 // where the class began
	for i := 0; i < len(expr); i++ {
		c := expr[i]
		switch {
		case c == '\\' && i+1 < len(expr):
			i++
			re, ok := perlEscapes[expr[i]]
			switch {
			case ok && class < 0:
				out.WriteString(re)
			case ok && expr[i] == 'h':
				out.WriteString(` \t`)
			default:
				out.WriteString(expr[i-1 : i+1])
			}
			continue
		case class < 0 && c == '[':
			class = i + 1
			if strings.HasPrefix(expr[class:], "^") {
				class++
			}
		case class >= 0 && strings.HasPrefix(expr[i:], "[:"):
			if end := strings.Index(expr[i:], ":]"); end > 0 {
				out.WriteString(expr[i : i+end+1])
				i += end + 1
				c = ']'
			}
		case c == ']' && i > class:
			class = -1
		}
		out.WriteByte(c)
	}
	return out.String()
}

// asBasic writes an expression of grep(1)'s basic syntax as RE2 has it; "" if nothing
// in it is of that syntax alone.
func asBasic(expr string) string {
	plain := strings.ReplaceAll(expr, `\\`, "")
	if !strings.Contains(plain, `\|`) && !strings.Contains(plain, `\<`) && !strings.Contains(plain, `\>`) {
		return ""
	}
	return asRE2(strings.NewReplacer(`\\`, `\\`, `\|`, "|", `\<`, `\b`, `\>`, `\b`, `\(`, "(", `\)`, ")", `\{`, "{", `\}`, "}", `\+`, "+", `\?`, "?").Replace(expr))
}

// searchBasic searches again for a pattern that matched nothing and that grep(1) would
// read otherwise; nil if that finds nothing either.
func (q *query) searchBasic(ctx context.Context) *report {
	basic := ""
	if !q.call.Bool("fixed") {
		basic = asBasic(q.call.String("pattern"))
	}
	if basic == "" {
		return nil
	}
	if q.piped {
		fmt.Fprintf(q.call.Stderr, "a backslash before | < or > makes it literal: grep(1) means --pattern %s\n", quote.Literal(basic))
		return nil
	}
	second := *q
	var err error
	if second.matcher, err = second.compile(asBasic); err != nil {
		return nil
	}
	out := newReport(&second, bufio.NewWriterSize(q.call.Stdout, 64<<10))
	if _, err := second.search(ctx, out); err != nil || out.flush() != nil || out.total.matches == 0 {
		return nil
	}
	fmt.Fprintf(q.call.Stderr, "nothing matches that literally: it was read as grep(1) does, --pattern %s\n", quote.Literal(basic))
	return out
}

// perlEscape is an error of an escape that only Perl's expressions have.
var perlEscape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("escape sequence: `\\\\[GKNRXgkh]") })

// patternAdvice adds to an error of the expression what to type instead.
func patternAdvice(err error) string {
	msg := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	const perl = "; leave it out, or use: command grep -rnP PATTERN PATH"
	switch {
	case strings.Contains(msg, "(?=") || strings.Contains(msg, "(?!") || strings.Contains(msg, "(?<"):
		return msg + ": RE2 has no lookaround" + perl
	case strings.Contains(msg, `\1`) || strings.Contains(msg, `\2`):
		return msg + ": RE2 has no backreferences; use: command grep -E"
	case strings.Contains(msg, "Perl syntax"), perlEscape().MatchString(msg):
		return msg + ": RE2 has nothing like it" + perl
	case strings.Contains(msg, "--multiline"):
		return msg
	}
	return "pattern: " + msg + ": escape it with a backslash, or pass --fixed for literal text"
}
