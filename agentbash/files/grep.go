package files

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agentbash/agentbash/registry"
)

func (f *files) grepTool() *registry.Tool {
	return &registry.Tool{
		Name:     "grep",
		Summary:  "search files for lines that match a regular expression",
		Kind:     registry.ReadOnly,
		Category: Category,
		Tags:     []string{"search", "find", "text", "regexp", "rg", "content"},
		Detail: `Searches files, or all files below directories, in a fixed order, and prints path:line:text (path-line-text for
context); of what is piped in the lines alone, and all of them. RE2 syntax: no backreferences, no lookaround; $ matches before \r\n too. Left out are hidden names, what .gitignore names
inside a repository, .git and binary files; when nothing is found, what was left out is searched as well and reported. Exits 0
when something matched, 1 when nothing did, 2 on an error.`,
		Params: grepParams(),
		Examples: []string{
			"grep 'func \\w+Handler' --glob '*.go'",
			"grep -i todo src lib/x.py -C 2",
			"grep --fixed 'a[0]' --output_mode files",
		},
		Check:     checkGrep,
		Unix:      grepOptions(),
		WithStdin: searchInput,
		Uses:      notStdin,
		Run:       f.grep,
	}
}

func grepParams() *registry.Params {
	pattern := textParam("pattern", "", "The regular expression (RE2 syntax), or literal text with --fixed.")
	pattern.Required, pattern.Unless, pattern.Pattern = true, "patterns", true
	patterns := textParam("patterns", "", "More of them, one a line; --patterns@=FILE takes them from a file.")
	patterns.Join, patterns.Pattern = "\n", true
	globs := textParam("glob", "g", "Only files that match, such as *.go or src/**/*.{ts,tsx}, relative to path; !*_test.go leaves files out. Several are separated by spaces.", "include")
	globs.Join, globs.Pattern = " ", true
	types := textParam("type", "t", "Only files of a language, such as go, py, ts, js, rust, md; !go leaves its files out. Several are separated by commas.")
	types.Join = ","
	shown := flagParam("show_line_numbers", "n", "Print line numbers; --no-show_line_numbers does not.", "line_number", "line_numbers")
	paths := flagParam("show_path", "", "Print the path before each line; --no-show_path does not.")
	shown.Default, paths.Default = true, true
	where := pathsParam("path", registry.ReadsTree, "The files and directories to search; - is stdin, which is searched without a path too if something is piped in.")
	where.Positional, where.Default, where.Aliases = true, ".", []string{"paths", "file_path", "dir"}
	return registry.NewParams(
		pattern, patterns,
		where,
		globs, types,
		flagParam("ignore_case", "i", "Let letters match without regard to case.", "ignoreCase", "case_insensitive"),
		flagParam("smart_case", "S", "The same, if the pattern has no capital letter."),
		flagParam("fixed", "F", "Take the pattern literally.", "fixed_strings", "literal"),
		flagParam("word", "w", "Match whole words only.", "word_regexp"),
		flagParam("line", "x", "Match whole lines only.", "line_regexp"),
		flagParam("invert", "v", "Find the lines that do not match.", "invert_match"),
		flagParam("multiline", "U", "Let a match span lines: . matches their ends too."),
		registry.Param{Name: "output_mode", Type: registry.String, Default: "content", Enum: []string{"content", "files", "files_without_match", "count", "quiet"}, Aliases: []string{"outputMode", "mode"},
			Synonyms:    map[string]string{"files_with_matches": "files", "files-with-matches": "files", "files-without-match": "files_without_match", "lines": "content"},
			Description: "content: matching lines; files: paths of files with a match; files_without_match: of the others; count: path:N; quiet: nothing but the exit status."},
		flagParam("only_matching", "o", "Print each match alone, and count matches rather than lines."),
		textParam("replace", "", "Print this in the place of each match; $1, $name and ${1} are its groups."),
		countParam("before", "B", 1000, 0, "Lines of context before each match.", "before_context"),
		countParam("after", "A", 1000, 0, "Lines of context after each match.", "after_context"),
		countParam("context", "C", 1000, 0, "Lines of context before and after each match."),
		countParam("head_limit", "", 0, 250, "How many matching lines (or files, or counts) to print; 0 prints all.", "headLimit", "limit", "max_results"),
		countParam("offset", "", 0, 0, "How many of them to skip first."),
		registry.Param{Name: "max_count", Type: registry.Integer, Min: registry.Float(0), Short: "m", Description: "How many matching lines of each file to find."},
		hiddenParam("search"), ignoreParam(),
		pathsParam("ignore_file", registry.ReadsFile, "Files of rules as in .gitignore, relative to the current directory; others win over them."),
		flagParam("text", "a", "Search binary files as text."),
		flagParam("binary", "", "Search binary files too; their lines are counted and not shown."),
		flagParam("search_zip", "z", "Search what is in compressed files (gzip, bzip2, xz, lzma, zstd)."),
		textParam("max_filesize", "", "Leave out files of a directory that are bigger, such as 500K, 10M, 1G."),
		countParam("max_columns", "", 0, 500, "Cut lines to about this many characters around the match; 0 never does."),
		encodingParam("What the files are written in; auto finds it out, and says what it takes one for that is not UTF-8."),
		registry.Param{Name: "sort", Type: registry.String, Default: "path", Enum: []string{"path", "mtime"},
			Description: "path: by name; mtime: files that were changed last come first."},
		shown, flagParam("column", "", "Print the column of the first match, in bytes from 1."), paths,
		flagParam("vimgrep", "", "Print a line once for each match in it, with its column."),
		flagParam("trim", "", "Leave out the blanks that lines start with."),
		flagParam("include_zero", "", "Count files without a match too."),
		flagParam("null", "0", "End each path with a NUL byte, for xargs -0."),
	)
}

func flagParam(name, short, description string, aliases ...string) registry.Param {
	return registry.Param{Name: name, Type: registry.Boolean, Default: false, Short: short, Description: description, Aliases: aliases}
}

func textParam(name, short, description string, aliases ...string) registry.Param {
	return registry.Param{Name: name, Type: registry.String, Short: short, Description: description, Aliases: aliases}
}

// countParam is a number from 0 to most, or any if that is 0.
func countParam(name, short string, most, usual int, description string, aliases ...string) registry.Param {
	q := registry.Param{Name: name, Type: registry.Integer, Default: usual, Min: registry.Float(0), Short: short, Description: description, Aliases: aliases}
	if most > 0 {
		q.Max = registry.Float(float64(most))
	}
	return q
}

// pathsParam is one path or several.
func pathsParam(name string, role registry.Role, description string) registry.Param {
	return registry.Param{Name: name, Role: role, Description: description,
		AnyOf: []registry.Param{{Type: registry.String}, {Type: registry.Array, Items: &registry.Param{Type: registry.String, Role: role}}}}
}

func checkGrep(k registry.Kwargs) (problems []string) {
	if t, ok := k["type"].(string); ok {
		if _, _, err := typeGlobs(t); err != nil {
			problems = append(problems, err.Error())
		}
	}
	if size, ok := k["max_filesize"].(string); ok {
		if _, err := parseSize(size); err != nil {
			problems = append(problems, "--max_filesize: "+err.Error())
		}
	}
	return problems
}

// searchInput is what a call means if something is piped in: without a path that is
// searched, as by grep(1), unless something is said of the files to search.
func searchInput(kwargs registry.Kwargs) {
	if !slices.ContainsFunc([]string{"path", "glob", "type", "hidden", "ignore", "ignore_file", "max_filesize", "sort"}, func(name string) bool {
		_, given := kwargs[name]
		return given || kwargs.Pending(name)
	}) {
		kwargs["path"] = "-"
	}
}

// grepError is a failure of grep itself: exit status 2, as of grep(1).
type grepError struct{ error }

func (grepError) ExitStatus() int { return 2 }
func (e grepError) Unwrap() error { return e.error }

func (f *files) grep(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	q, err := newQuery(ctx, call)
	if err != nil {
		return finishRun(err)
	}
	q.gate = f.newGate(ctx)
	out := newReport(q, bufio.NewWriterSize(call.Stdout, 64<<10))
	roots, err := q.search(ctx, out)
	if err = cmp.Or(err, out.err, out.w.Flush()); err != nil {
		return finishRun(asGrepError(err))
	}
	if out.total.matches == 0 {
		if second := q.searchBasic(ctx); second != nil {
			out = second
		}
	}
	out.printNotes()
	res := out.result()
	if out.total.matches == 0 && roots != nil && q.mode != modeWithout && q.mode != modeQuiet {
		q.explainNothing(ctx, roots, out)
	}
	return res, nil
}

func asGrepError(err error) error {
	if isFinal(err) {
		return err
	}
	return grepError{err}
}

// isFinal reports whether an error ends a call whatever else it searches.
func isFinal(err error) bool {
	var usage *registry.UsageError
	var denied *Denied
	return errors.As(err, &usage) || errors.As(err, &denied) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// shownDir is how the directory part of results is shown.
func shownDir(call *registry.Call, dir string) string {
	switch shown := call.Rel(dir); shown {
	case ".":
		return ""
	case "/":
		return "/"
	default:
		return shown + "/"
	}
}

// parseSize reads a number of bytes such as 500K or 10M.
func parseSize(s string) (int64, error) {
	var n int64
	var unit string
	if got, _ := fmt.Sscanf(s, "%d%s", &n, &unit); got > 0 && n >= 0 {
		if shift, ok := map[string]int{"": 0, "k": 10, "K": 10, "M": 20, "m": 20, "G": 30, "g": 30}[unit]; ok && n<<shift>>shift == n {
			return n << shift, nil
		}
	}
	return 0, fmt.Errorf("%q is no size: write one such as 500K, 10M or 1G", s)
}
