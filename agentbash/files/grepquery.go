package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/agentbash/agentbash/agentbash/internal/ignore"
	"github.com/agentbash/agentbash/agentbash/internal/search"
	"github.com/agentbash/agentbash/agentbash/internal/walk"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// Output modes by their names.
const (
	modeContent = "content"
	modeFiles   = "files"
	modeWithout = "files_without_match"
	modeCount   = "count"
	modeQuiet   = "quiet"
)

// query is what a call of grep asks for.
type query struct {
	call     *registry.Call
	patterns []string
	matcher  *search.Matcher
	mode     string
	before   int
	after    int
	skip     int
	limit    int   // 0: all
	most     int   // matching lines of a file; below 0: all
	largest  int64 // size of a file below a directory; below 0: any
	form     lineForm
	multi    bool
	text     bool // nothing is binary
	binary   bool // binary files are searched
	zero     bool // files without a match are counted too
	unpack   bool
	piped    bool // what is searched came through a pipe, and has gone
	filter   *filter
	gate     *gate
}

func (q *query) hasContext() bool { return q.before > 0 || q.after > 0 }

// printsAll reports whether everything is printed, so that records need not be told apart.
func (q *query) printsAll() bool { return q.skip == 0 && q.limit == 0 }

// wantsOne reports whether the first match decides on a file.
func (q *query) wantsOne() bool { return q.mode != modeContent && q.mode != modeCount }

func newQuery(ctx context.Context, call *registry.Call) (*query, error) {
	q := &query{
		call: call, mode: call.String("output_mode"), skip: call.Int("offset"), limit: call.Int("head_limit"), most: -1, largest: -1,
		before: call.Int("context"), after: call.Int("context"),
		multi: call.Bool("multiline"), text: call.Bool("text"), binary: call.Bool("binary"), zero: call.Bool("include_zero"), unpack: call.Bool("search_zip"), patterns: patternsOf(call),
		form: lineForm{numbers: call.Bool("show_line_numbers"), columns: call.Int("max_columns"), only: call.Bool("only_matching") && !call.Bool("invert"),
			column: call.Bool("column") || call.Bool("vimgrep") && !call.Has("column"), each: call.Bool("vimgrep"), trim: call.Bool("trim"), noPath: !call.Bool("show_path"), replaces: call.Has("replace"), replacement: call.String("replace"), pathEnd: "\n"},
	}
	if call.Has("before") {
		q.before = call.Int("before")
	}
	if call.Has("after") {
		q.after = call.Int("after")
	}
	if call.Bool("null") {
		q.form.pathEnd = "\x00"
	}
	if q.mode != modeContent || q.form.only {
		q.before, q.after = 0, 0
	}
	if q.form.columns > 0 {
		q.form.columns = max(q.form.columns, 20)
	}
	if call.Has("max_count") {
		q.most = call.Int("max_count")
	}
	var err error
	if size := call.String("max_filesize"); size != "" {
		if q.largest, err = parseSize(size); err != nil {
			return nil, registry.Usagef("max_filesize: %v", err)
		}
	}
	if err = q.compile(asRE2); err != nil {
		return nil, registry.Usagef("%v", patternAdvice(err))
	}
	q.filter, err = newFilter(ctx, call)
	return q, err
}

// wordsOf are the values of a parameter that takes one or several.
func wordsOf(call *registry.Call, name string) (list []string) {
	for _, v := range call.Array(name) {
		s, _ := v.(string)
		list = append(list, s)
	}
	if list == nil && call.String(name) != "" {
		list = []string{call.String(name)}
	}
	return list
}

// readRules reads the files of rules that a call gives.
func readRules(ctx context.Context, call *registry.Call) (list []*ignore.Rules, err error) {
	for _, name := range wordsOf(call, "ignore_file") {
		f, err := call.Open(ctx, name)
		if err != nil {
			return nil, registry.Usagef("ignore_file: %v", err)
		}
		data, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		list = append(list, ignore.Parse(data))
	}
	return list, nil
}

// search runs the query; it returns the directories that were searched.
func (q *query) search(ctx context.Context, out *report) (roots []string, err error) {
	list := wordsOf(q.call, "path")
	for _, typed := range list {
		root, err := q.searchPath(ctx, typed, out)
		if root != "" {
			roots = append(roots, root)
		}
		if err != nil && (len(list) == 1 || isFinal(err)) {
			return nil, err
		}
		if err != nil {
			out.problems = append(out.problems, err.Error())
			out.missing = true
		}
		if q.mode == modeQuiet && out.total.matches > 0 || out.err != nil {
			break
		}
	}
	return roots, nil
}

// searchPath searches one path; it returns the directory that was searched, or "".
func (q *query) searchPath(ctx context.Context, typed string, out *report) (root string, err error) {
	if isStdin(q.call, typed) {
		if q.call.Stdin == nil {
			return "", errors.New("there is nothing on stdin: pipe something in, or name a path")
		}
		return "", q.searchInput(ctx, q.call.Stdin, out)
	}
	path := q.call.Path(typed)
	if _, own := registry.DescriptorOf(path); own {
		return "", q.oneFile(ctx, path, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		err = notFound(q.call, path, errors.Unwrap(err))
		if groupName().MatchString(q.call.String("pattern")) {
			err = fmt.Errorf("%w; -r is recursive, as in grep(1): a replacement is --replace %s", err, quote.Word(q.call.String("pattern")))
		}
		return "", err
	}
	if !info.IsDir() {
		return "", q.oneFile(ctx, path, out)
	}
	if q.call.String("sort") == "mtime" {
		return path, q.byTime(ctx, path, out)
	}
	return path, q.searchTree(ctx, path, out)
}

// groupName is what a pattern looks like that was meant for ripgrep's -r.
var groupName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(\d|\{\w+\})`) })

// searchTree searches all files below a directory.
func (q *query) searchTree(ctx context.Context, root string, out *report) error {
	return walkTree(ctx, root, q.filter.options(q.call), newWorkers(ctx, q, out), out.printFindings, out.noteFailure)
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
		return q.searchInput(ctx, src.stream, out)
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

// searchInput searches what comes through a pipe, and prints it as grep(1) prints
// its stdin: nothing but the lines, all of them and whole, as soon as they have come.
// What the call says of that counts.
func (q *query) searchInput(ctx context.Context, in io.Reader, out *report) error {
	q.piped = true
	alone := len(wordsOf(q.call, "path")) == 1
	if alone {
		q.form.numbers = q.form.numbers && q.call.Has("show_line_numbers")
		q.form.noPath = true
		if !q.call.Has("head_limit") {
			q.limit = 0
		}
		if !q.call.Has("max_columns") {
			q.form.columns = 0
		}
	}
	w := newWorkers(ctx, q, out).at(0)
	w.found, w.explicit, w.alone, w.live = &findings{}, true, true, alone
	w.form = q.form
	w.form.path = "(standard input)"
	n, whole, err := readAtLeast(in, w.buf, len(utf8BOM))
	if err != nil {
		return fmt.Errorf("stdin: %w", err)
	}
	if n == 0 {
		fmt.Fprintln(q.call.Stderr, "stdin is empty: --path . searches the files below this directory")
	}
	w.found.searched++
	if err := w.searchContent(w.buf[:n], whole, in); err != nil {
		return err
	}
	out.printFindings(w.found)
	return nil
}

// byTime finds the files that match, and then prints their lines, newest first.
func (q *query) byTime(ctx context.Context, root string, out *report) error {
	first := *q
	first.before, first.after, first.skip, first.limit = 0, 0, 0, 0
	if q.mode != modeWithout {
		first.mode = modeFiles
	}
	list := newReport(&first, nil)
	list.collect = true
	if err := first.searchTree(ctx, root, list); err != nil {
		return err
	}
	list.sortByTime()
	out.total.add(&list.total)
	out.total.matches -= list.total.matches
	out.total.files -= list.total.files
	for _, f := range list.collected {
		if err := q.oneFile(ctx, filepath.Clean(f.path), out); err != nil {
			out.noteFailure(f.path, err)
		}
		out.total.searched-- // counted by the first pass
	}
	return nil
}
