package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Kind says what a tool can do; plan mode lists the read-only ones.
type Kind string

// The kinds, from harmless to unknown reach. The zero value means unknown.
const (
	ReadOnly Kind = "read-only"
	Write    Kind = "write"
	Execute  Kind = "execute"
	Network  Kind = "network"
)

// Kinds are all kinds that a tool can be known to be of.
func Kinds() []Kind { return []Kind{ReadOnly, Write, Execute, Network} }

// Tool is one command that takes kwargs. It is not changed after it has been
// registered; Run may be called from several goroutines at once.
type Tool struct {
	Name     string   // the command's name: "read", "field:memory:create_entities"
	Summary  string   // one line, shown by -h
	Detail   string   // more, shown by --help; may be empty
	Params   *Params  // NewParams() takes none
	Kind     Kind     // "" is unknown
	Category string   // a heading in listings
	Tags     []string // more words to be found by
	Examples []string // whole command lines, shown by --help and by usage errors

	// MakeExamples makes them from the schema when they are needed, if Examples
	// is empty. It may be nil.
	MakeExamples func(*Tool) []string

	// Foreign is a tool that comes from elsewhere, with a JSON Schema of its own. Check
	// judges by the whole of it: values of JSON, and numbers of any size, go to Run as
	// they were written. A JSON object on stdin is the arguments of a call without any.
	Foreign bool

	// Formats are the forms of its result among which -o chooses; the first is the one
	// without -o. nil: there is no -o.
	Formats []string

	// Unix are options of the Unix program of that name which are no parameters here, without
	// their dashes: "--key=value" is what one stands for, or several of them, in which a *
	// is the option's value; "" does nothing here, and any other text says what to type instead.
	Unix map[string]string

	// FromShell makes a router call the tool from inside its shell, also when it
	// is all there is to a command, so that Call.Environ is the shell's.
	FromShell bool

	// WithStdin corrects coerced kwargs for a call that has a stdin. It may be nil.
	WithStdin func(kwargs Kwargs)

	// Check looks at coerced kwargs for what a schema cannot say (one of two
	// parameters, two that exclude each other) and returns one line a problem.
	// It must not do I/O. It may be nil.
	Check func(kwargs Kwargs) []string

	// Uses corrects the uses that UsesOf makes from the roles of the parameters,
	// for a tool whose roles do not tell everything: one flag makes it list only,
	// or a pattern holds a directory. It gets and returns what UsesOf returns. It
	// must not do I/O. It may be nil.
	Uses func(kwargs Kwargs, uses []Use, known bool) ([]Use, bool)

	// Hide takes secrets of the tool's configuration out of a text that says what a call
	// does. It may be nil.
	Hide func(text string) string

	// Run does the work. Content goes to call.Stdout (or is returned as the
	// result's Output), notes for the reader to call.Stderr. A result with
	// Success false is the tool's failure; an error is ours (a lost connection),
	// and may carry its exit status by a method ExitStatus() int.
	Run func(ctx context.Context, call *Call) (ToolResult, error)
}

// Kwargs are a call's named arguments: string, bool, json.Number, []any,
// map[string]any or nil, as the schema says. Those that Parse makes also hold what
// is read from files and stdin until [Call.ReadPending]: see [Kwargs.Arguments].
type Kwargs map[string]any

// Call is everything a tool gets for one run. The streams belong to the caller.
type Call struct {
	Tool   *Tool
	Kwargs Kwargs
	Order  *Order    // of the kwargs' keys; nil: it is not known
	Format string    // what -o chose, once ReadPending has run; "" is the first
	Dir    string    // the directory relative paths start from; absolute
	Stdin  io.Reader // nil: there is none
	Stdout io.Writer // content
	Stderr io.Writer // notes

	// Environ returns the environment of the command that calls, in the form of
	// os.Environ; it fails once that command has ended. nil: the call is the
	// program's own.
	Environ func() ([]string, error)

	// Descriptor opens a descriptor of the command that calls, to be read. nil: it
	// has none but its streams.
	Descriptor func(n int) (*os.File, error)

	// MayRead judges a file that a value is taken from, once it is open. nil: every
	// file may be read.
	MayRead func(ctx context.Context, f *os.File) error

	// Show shows a picture to who reads the result, and reports whether they take it. nil: they
	// take text only.
	Show func(Image) bool

	// View is how the caller sees files: Dir and typed paths are of it.
	View View
}

// Image is a picture that a tool shows beside its output.
type Image struct {
	Name string // as a person reads it
	MIME string // image/png, image/jpeg, image/gif or image/webp
	Data []byte
}

// ToolResult is what came of a call. Its JSON form is success, output, error.
type ToolResult struct {
	Success bool   `json:"success"`
	Output  string `json:"output"`
	Error   string `json:"error"`

	Told bool `json:"-"` // Error stands on the call's stderr already

	Display    string         `json:"-"` // one line for a person; may be empty, and holds file names as they are
	Metadata   map[string]any `json:"-"` // for embedders, in snake_case; each tool documents its keys; may be nil
	ExitStatus int            `json:"-"` // 0 exactly when Success

	// Rest says how to see what follows when so many lines of the output are all that
	// is shown; nil: nobody knows.
	Rest func(lines int) string `json:"-"`

	// Listing says that the output lists what there is: a model is shown its beginning.
	Listing bool `json:"-"`
}

// Success returns a result whose Output is written to the call's stdout as it is.
func Success(output string) ToolResult { return ToolResult{Success: true, Output: output} }

// Failure returns a failed result with exit status 1. The message is lower
// case, does not name the tool (Invoke does) and ends with the next move.
func Failure(format string, args ...any) ToolResult {
	return ToolResult{Error: fmt.Sprintf(format, args...), ExitStatus: 1}
}

// Has reports whether the parameter was given.
func (c *Call) Has(name string) bool { _, ok := c.Kwargs[name]; return ok }

// valueOf is what was given, else the schema's default, else nil.
func (c *Call) valueOf(name string) any {
	if v, ok := c.Kwargs[name]; ok {
		return v
	}
	if c.Tool != nil {
		if p := c.Tool.Params.Find(name); p != nil {
			return p.Default
		}
	}
	return nil
}

// String returns the string parameter, its default, or "".
func (c *Call) String(name string) string {
	s, _ := c.valueOf(name).(string)
	return s
}

// Input is a parameter's value or, where none was given, what is on stdin: up to most bytes, and one that tells
// of more. given is false if there is neither.
func (c *Call) Input(name string, most int64) (text string, given bool, err error) {
	if c.Has(name) || c.Stdin == nil {
		return c.String(name), c.Has(name), nil
	}
	data, err := io.ReadAll(io.LimitReader(c.Stdin, most+1))
	return string(data), len(data) > 0, err
}

// Bool returns the boolean parameter, its default, or false.
func (c *Call) Bool(name string) bool {
	b, _ := c.valueOf(name).(bool)
	return b
}

// Int returns the integer parameter, its default, or 0. A value that does not fit,
// which only a Foreign tool gets, is clamped to the ends of int.
func (c *Call) Int(name string) int {
	switch v := c.valueOf(name).(type) {
	case int:
		return v
	case json.Number:
		n, err := v.Int64()
		switch {
		case err == nil:
			return int(min(max(n, math.MinInt), math.MaxInt))
		case strings.HasPrefix(v.String(), "-"):
			return math.MinInt
		}
		return math.MaxInt
	}
	return 0
}

// Float returns the number parameter, its default, or 0.
func (c *Call) Float(name string) float64 {
	switch v := c.valueOf(name).(type) {
	case int:
		return float64(v)
	case float64:
		return v
	case json.Number:
		f, _ := v.Float64() // a number that is too big is infinite
		return f
	}
	return 0
}

// Array returns the array parameter, its default, or nil.
func (c *Call) Array(name string) []any {
	a, _ := c.valueOf(name).([]any)
	return a
}

// Path makes a path that the caller typed absolute: "~" and "~/x" start at the
// home directory ($HOME), everything else at Dir. It is where the file really is.
func (c *Call) Path(typed string) string {
	if typed == "~" || strings.HasPrefix(typed, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			typed = home + typed[1:]
		}
	}
	if !filepath.IsAbs(typed) {
		typed = filepath.Join(c.Dir, typed)
	}
	return c.View.Real(filepath.Clean(typed))
}

// Rel is how an absolute path is shown: relative to Dir when it lies below it
// (no "./"), else as it is.
func (c *Call) Rel(abs string) string {
	abs = c.View.Shown(abs)
	if abs == c.Dir {
		return "."
	}
	dir := c.Dir
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	if rest, ok := strings.CutPrefix(abs, dir); ok && rest != "" {
		return rest
	}
	return abs
}
