package registry

import (
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
)

// UsageError says what is wrong with a call's words, all of it at once. Exit
// status 2.
type UsageError struct {
	Tool     string
	Problems []string // one line each, each with what to type instead
	Next     string   // the closing advice
}

func (e *UsageError) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		if e.Tool != "" {
			p = e.Tool + ": " + p
		}
		lines = append(lines, p)
	}
	if e.Next != "" {
		lines = append(lines, e.Next)
	}
	return strings.Join(lines, "\n")
}

// ExitStatus is 2.
func (e *UsageError) ExitStatus() int { return 2 }

// Usagef returns a *UsageError that a tool's Run may return for a problem that
// shows only while it runs.
func Usagef(format string, args ...any) error {
	return &UsageError{Problems: []string{fmt.Sprintf(format, args...)}}
}

// Advice closes a usage error: an example of a right call, or where to look.
func (t *Tool) Advice() string {
	if examples := t.examples(); len(examples) > 0 {
		return "example: " + examples[0] + "   (all parameters: " + t.Name + " --help)"
	}
	return "see: " + t.Name + " --help"
}

// unknownProblem is the problem of a name that is not declared.
func (p *Params) unknownProblem(prefix, key string) string {
	var names []string
	for _, q := range p.List() {
		names = append(names, q.Name)
	}
	hint := ""
	if near := Closest(Fold(key), names, 1); near != nil {
		hint = "; did you mean " + prefix + near[0] + "?"
	}
	list := "it takes none"
	if len(names) > 0 {
		list = "its parameters: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("unknown parameter %s%s%s (%s)", prefix, key, hint, list)
}

// missingProblem is the problem of a required value that is not there.
func (q *Param) missingProblem(prefix string) string {
	pipe := ""
	if q.Stdin {
		pipe = ", or give it on stdin"
	}
	if prefix == "--" {
		return fmt.Sprintf("missing %s: write %s%s", quote.Word("--"+q.Name), q.Option(q.placeholder()), pipe)
	}
	return fmt.Sprintf("missing %s%s: write %[1]s%[2]s %s%s", prefix, q.Name, q.placeholder(), pipe)
}

// Option is how a value is given to the parameter, which stands as it is; the name is
// quoted where bash would read something else.
func (q *Param) Option(value string) string {
	if q.Name == "help" { // --help alone asks for help
		return "--help=" + value
	}
	return quote.Word("--"+q.Name) + " " + value
}

// quoteCut shows what was got: in quotes, cut at 60 bytes.
func quoteCut(s string) string {
	if len(s) > 60 {
		return fmt.Sprintf("%q...", strings.ToValidUTF8(s[:60], ""))
	}
	return fmt.Sprintf("%q", s)
}
