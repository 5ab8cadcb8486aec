package files

import (
	"bufio"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/agentbash/agentbash/agentbash/internal/search"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// grepOptions are options of grep(1) and of ripgrep that are no parameters.
func grepOptions() map[string]string {
	options := map[string]string{}
	for names, means := range map[string]string{
		"l files_with_matches":  "--output_mode=files",
		"L files_without_match": "--output_mode=files_without_match",
		"c count":               "--output_mode=count",
		"count_matches":         "--output_mode=count --only_matching=true",
		"q silent":              "--output_mode=quiet",
		"quiet":                 "--output_mode=quiet",
		"e regexp":              "--patterns=*\n", // -e '' is a pattern, a file without a line has none
		"f file":                "--patterns@=*",
		"H with_filename":       "--show_path=true",
		"h I no_filename":       "--show_path=false",
		"N no_line_number":      "--show_line_numbers=false",
		"Z":                     "--null=true",
		"exclude":               "--glob=!*",
		"exclude_dir":           "--glob=!*/",
		"T type_not":            "--type=!*",
		"case_sensitive":        "--ignore_case=false --smart_case=false",
		".":                     "--hidden=true",
		"binary_files":          "write --text",
		"P perl_regexp pcre2":   "Perl's expressions are grep(1)'s: command grep -rnP PATTERN PATH",
		"b byte_offset":         "offsets are grep(1)'s: command grep -b PATTERN FILE; --column prints columns",
		"d max_depth maxdepth":  "write --glob 'DIR/*', with as many * as names",
		"u unrestricted":        "write --ignore=false, and --hidden for -uu",
		"E r R s color colors colour crlf dereference_recursive extended_regexp heading line_buffered mmap multiline_dotall no_heading no_pcre2 no_messages no_mmap recursive sort_files threads": "",
	} {
		for _, name := range strings.Fields(names) {
			options[name] = means
		}
	}
	return options
}

// patternsOf are the expressions of a call, as they were given.
func patternsOf(call *registry.Call) (list []string) {
	if call.Has("pattern") {
		list = append(list, call.String("pattern"))
	}
	if call.String("patterns") != "" {
		list = append(list, strings.Split(strings.TrimSuffix(call.String("patterns"), "\n"), "\n")...)
	}
	return list
}

// compile compiles the query's expressions, written as RE2 has them.
func (q *query) compile(rewrite func(string) string) (err error) {
	o := search.Options{
		Fixed: q.call.Bool("fixed"), IgnoreCase: q.call.Bool("ignore_case"), Word: q.call.Bool("word"), Line: q.call.Bool("line"), Invert: q.call.Bool("invert"), Multiline: q.multi,
	}
	if q.call.Bool("smart_case") && !slices.ContainsFunc(q.patterns, func(p string) bool { return hasCapital(p, o.Fixed) }) {
		o.IgnoreCase = true
	}
	list := slices.Clone(q.patterns)
	if list == nil {
		list, o.Fixed = []string{`[^\x00-\x{10FFFF}]`}, false // it matches nothing
	}
	for i, expr := range list {
		if !o.Fixed {
			list[i] = rewrite(expr)
		} else if len(list) > 1 {
			list[i] = regexp.QuoteMeta(expr)
		}
	}
	if len(list) == 1 {
		q.matcher, err = search.Compile(list[0], o)
	} else {
		for _, expr := range list { // each by itself, for its own error
			if q.matcher, err = search.Compile(expr, o); err != nil {
				return err
			}
		}
		o.Fixed = false
		q.matcher, err = search.Compile("(?:"+strings.Join(list, ")|(?:")+")", o)
	}
	q.form.matcher = q.matcher
	return err
}

// notLiteral are the parts of an expression whose letters stand for no text.
var notLiteral = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[pP]\{[^}]*\}|\\[pP]?.|\(\?P?<\w+>`) })

// hasCapital reports whether a pattern asks for a capital letter.
func hasCapital(pattern string, fixed bool) bool {
	if !fixed {
		pattern = notLiteral().ReplaceAllString(pattern, "")
	}
	return strings.ContainsFunc(pattern, unicode.IsUpper)
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
	if list := q.patterns; len(list) == 1 && !q.call.Bool("fixed") && !q.call.Bool("invert") && q.mode != modeWithout {
		basic = asBasic(list[0])
	}
	if basic == "" {
		return nil
	}
	if q.piped {
		fmt.Fprintf(q.call.Stderr, "a backslash before | < or > makes it literal: grep(1) means --pattern %s\n", quote.Literal(basic))
		return nil
	}
	second := *q
	if err := second.compile(asBasic); err != nil {
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
