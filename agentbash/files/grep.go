package files

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentbash/agentbash/agentbash/internal/search"
	"github.com/agentbash/agentbash/agentbash/internal/walk"
	"github.com/agentbash/agentbash/registry"
)

func (f *files) grepTool() *registry.Tool {
	flag := func(name, short, description string, aliases ...string) registry.Param {
		return registry.Param{Name: name, Type: registry.Boolean, Default: false, Short: short, Description: description, Aliases: aliases}
	}
	lines := func(name, short, description string) registry.Param {
		return registry.Param{Name: name, Type: registry.Integer, Default: 0, Min: registry.Float(0), Max: registry.Float(1000), Short: short, Description: description}
	}
	return &registry.Tool{
		Name:     "grep",
		Summary:  "search files for lines that match a regular expression",
		Kind:     registry.ReadOnly,
		Category: category,
		Tags:     []string{"search", "find", "text", "regexp", "rg", "content"},
		Detail: `Searches a file, or all files below a directory, in a fixed order, and prints path:line:text (path-line-text for
context); of what is piped in the lines alone, and all of them. RE2 syntax: no backreferences, no lookaround; $ matches before \r\n too. Left out are hidden names, what .gitignore names
inside a repository, .git and binary files; when nothing is found, what was left out is searched as well and reported. Exits 0
when something matched, 1 when nothing did, 2 on an error.`,
		Params: registry.NewParams(
			registry.Param{Name: "pattern", Type: registry.String, Required: true, Pattern: true, Description: "The regular expression (RE2 syntax), or literal text with --fixed."},
			registry.Param{Name: "path", Type: registry.String, Positional: true, Default: ".", Role: registry.ReadsTree, Aliases: []string{"file_path", "dir"},
				Several:     "one file or directory is searched: for several leave it out and pass --glob '{DIR/**,FILE}', or use: command grep -rn PATTERN DIR FILE",
				Description: "The file or directory to search; - is stdin, which is searched without a path too if something is piped in."},
			registry.Param{Name: "glob", Type: registry.String, Pattern: true, Aliases: []string{"include"},
				Description: "Only files that match, such as *.go or src/**/*.{ts,tsx}, relative to path; !*_test.go leaves files out. Several are separated by spaces."},
			registry.Param{Name: "type", Type: registry.String, Description: "Only files of a language, such as go, py, ts, js, rust, md; several are separated by commas."},
			flag("ignore_case", "i", "Let letters match without regard to case.", "ignoreCase", "case_insensitive"),
			flag("fixed", "F", "Take the pattern literally.", "fixed_strings", "literal"),
			flag("word", "w", "Match whole words only.", "word_regexp"),
			flag("multiline", "U", "Let a match span lines: . matches their ends too."),
			registry.Param{Name: "output_mode", Type: registry.String, Default: "content", Enum: []string{"content", "files", "count"}, Aliases: []string{"outputMode", "mode"},
				Synonyms:    map[string]string{"files_with_matches": "files", "files-with-matches": "files", "lines": "content"},
				Description: "content: matching lines; files: paths of files with a match; count: path:N."},
			lines("before", "B", "Lines of context before each match."),
			lines("after", "A", "Lines of context after each match."),
			lines("context", "C", "Lines of context before and after each match."),
			registry.Param{Name: "head_limit", Type: registry.Integer, Default: 250, Min: registry.Float(0), Aliases: []string{"headLimit", "limit", "max_results"},
				Description: "How many matching lines (or files, or counts) to print; 0 prints all."},
			registry.Param{Name: "offset", Type: registry.Integer, Default: 0, Min: registry.Float(0), Description: "How many of them to skip first."},
			hiddenParam("search"), ignoreParam(),
			registry.Param{Name: "max_columns", Type: registry.Integer, Default: 500, Min: registry.Float(0),
				Description: "Cut lines to about this many characters around the match; 0 never does."},
			encodingParam("What the files are written in; auto finds it out, and says what it takes one for that is not UTF-8."),
			registry.Param{Name: "sort", Type: registry.String, Default: "path", Enum: []string{"path", "mtime"},
				Description: "path: by name; mtime: files that were changed last come first."},
			registry.Param{Name: "show_line_numbers", Type: registry.Boolean, Default: true, Short: "n", Aliases: []string{"line_number", "line_numbers"},
				Description: "Print line numbers; --no-show_line_numbers does not."},
		),
		Examples: []string{
			"grep 'func \\w+Handler' --glob '*.go'",
			"grep -i todo src --type py -C 2",
			"grep --fixed 'a[0]' --output_mode files",
		},
		Check: func(k registry.Kwargs) []string {
			if t, ok := k["type"].(string); ok {
				if _, err := typeGlobs(t); err != nil {
					return []string{err.Error()}
				}
			}
			return nil
		},
		Unix:      grepOptions(),
		WithStdin: searchInput,
		Uses:      notStdin,
		Run:       f.grep,
	}
}

// searchInput is what a call means if something is piped in: without a path that is
// searched, as by grep(1), unless something is said of the files to search.
func searchInput(kwargs registry.Kwargs) {
	if !slices.ContainsFunc([]string{"path", "glob", "type", "hidden", "ignore", "sort"}, func(name string) bool {
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

// query is what a call of grep asks for.
type query struct {
	call    *registry.Call
	matcher *search.Matcher
	mode    string
	before  int
	after   int
	skip    int
	limit   int // 0: all
	columns int // 0: whole lines
	numbers bool
	multi   bool
	piped   bool // what is searched came through a pipe, and has gone
	filter  *filter
	gate    *gate
}

func (q *query) hasContext() bool { return q.before > 0 || q.after > 0 }

// printsAll reports whether everything is printed, so that records need not be told apart.
func (q *query) printsAll() bool { return q.skip == 0 && q.limit == 0 }

func newQuery(call *registry.Call) (*query, error) {
	q := &query{
		call: call, mode: call.String("output_mode"), skip: call.Int("offset"), limit: call.Int("head_limit"), columns: call.Int("max_columns"),
		before: max(call.Int("before"), call.Int("context")), after: max(call.Int("after"), call.Int("context")),
		numbers: call.Bool("show_line_numbers"), multi: call.Bool("multiline"),
	}
	if q.mode != "content" {
		q.before, q.after = 0, 0
	}
	if q.columns > 0 {
		q.columns = max(q.columns, 20)
	}
	var err error
	q.matcher, err = q.compile(asRE2)
	if err != nil {
		return nil, registry.Usagef("%v", patternAdvice(err))
	}
	q.filter, err = newFilter(call)
	return q, err
}

func (f *files) grep(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	q, err := newQuery(call)
	if err != nil {
		return finishRun(err)
	}
	q.gate = f.newGate(ctx)
	out := newReport(q, bufio.NewWriterSize(call.Stdout, 64<<10))
	root, err := q.search(ctx, out)
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
	if !res.Success && root != "" {
		q.explainNothing(ctx, root, out)
	}
	return res, nil
}

func asGrepError(err error) error {
	var usage *registry.UsageError
	var denied *Denied
	if errors.As(err, &usage) || errors.As(err, &denied) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return grepError{err}
}

// search runs the query; it returns the directory that was searched, or "".
func (q *query) search(ctx context.Context, out *report) (root string, err error) {
	typed := q.call.String("path")
	if isStdin(q.call, typed) {
		if q.call.Stdin == nil {
			return "", errors.New("there is nothing on stdin: pipe something in, or name a path")
		}
		return "", q.searchStream(ctx, q.call.Stdin, out)
	}
	path := q.call.Path(typed)
	if _, own := registry.DescriptorOf(path); own {
		return "", q.oneFile(ctx, path, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", notFound(q.call, path, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return "", q.oneFile(ctx, path, out)
	}
	if q.call.String("sort") == "mtime" {
		return path, q.byTime(ctx, path, out)
	}
	return path, q.searchTree(ctx, path, q.filter.options(q.call), out)
}

// searchTree searches all files below a directory.
func (q *query) searchTree(ctx context.Context, root string, o *walk.Options, out *report) error {
	return walkTree(ctx, root, o, newWorkers(ctx, q, out), out.printFindings, out.noteFailure)
}

func walkTree(ctx context.Context, root string, o *walk.Options, w *workers, emit func(*findings) bool, failed func(string, error)) error {
	return walk.Walk(ctx, root, o, walk.Client[*findings]{
		Work:   func(i int, b *walk.Batch) *findings { return w.at(i).searchBatch(b) },
		Emit:   emit,
		Weigh:  func(f *findings) int { return cap(f.text) + 16*cap(f.hits) },
		Failed: failed,
	})
}

func (q *query) oneFile(ctx context.Context, path string, out *report) error {
	src, err := openSource(ctx, q.gate, q.call, path)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.stream != nil {
		return q.searchStream(ctx, src.stream, out)
	}
	w := newWorkers(ctx, q, out).at(0)
	w.found = &findings{}
	w.explicit, w.alone = true, true
	if err := w.searchFile(src.fd, q.call.Rel(path)); err != nil {
		return fmt.Errorf("%s: %w", q.call.Rel(path), err)
	}
	out.printFindings(w.found)
	return nil
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

// byTime finds the files that match, and then prints their lines, newest first.
func (q *query) byTime(ctx context.Context, root string, out *report) error {
	first := *q
	first.mode, first.before, first.after, first.skip, first.limit = "files", 0, 0, 0, 0
	list := newReport(&first, nil)
	list.collect = true
	if err := first.searchTree(ctx, root, q.filter.options(q.call), list); err != nil {
		return err
	}
	list.sortByTime()
	out.total = list.total
	out.total.matches, out.total.files = 0, 0
	for _, f := range list.collected {
		if err := q.oneFile(ctx, filepath.Clean(f.path), out); err != nil {
			out.noteFailure(f.path, err)
		}
		out.total.searched-- // counted by the first pass
	}
	return nil
}
