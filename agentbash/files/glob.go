package files

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/glob"
	"github.com/agentbash/agentbash/agentbash/internal/walk"
	"github.com/agentbash/agentbash/registry"
	"golang.org/x/sys/unix"
)

func globTool() *registry.Tool {
	return &registry.Tool{
		Name:     "glob",
		Summary:  "list the files whose paths match a pattern",
		Kind:     registry.ReadOnly,
		Category: Category,
		Tags:     []string{"file", "find", "search", "list", "ls", "fd"},
		Detail: `One path a line, sorted. * and ? and [a-z] and [!a] match within a name, ** any number of directories, {a,b} either.
A pattern without a slash matches in the directory itself only: '**/*.go' looks below. A pattern that ends with a slash lists
directories. Hidden names are matched by a pattern's name that starts with a dot, what .gitignore names is left out inside a
repository, and .git always. Links are listed and not followed.`,
		Params: registry.NewParams(
			registry.Param{Name: "pattern", Type: registry.String, Required: true, Pattern: true, Description: "The pattern, relative to path, absolute or ~/..."},
			registry.Param{Name: "path", Type: registry.String, Positional: true, Default: ".", Aliases: []string{"dir", "directory"}, Description: "The directory the pattern starts from."},
			registry.Param{Name: "sort", Type: registry.String, Default: "path", Enum: []string{"path", "mtime"},
				Description: "path: by name; mtime: what was changed last comes first."},
			registry.Param{Name: "limit", Type: registry.Integer, Default: 0, Min: registry.Float(0), Aliases: []string{"head_limit", "headLimit"},
				Description: "How many paths to print; 0 prints all."},
			registry.Param{Name: "offset", Type: registry.Integer, Default: 0, Min: registry.Float(0), Description: "How many paths to skip first."},
			hiddenParam("match"), ignoreParam(),
			registry.Param{Name: "null", Type: registry.Boolean, Default: false, Short: "0", Description: "End each path with a NUL byte, for xargs -0."},
		),
		Examples: []string{"glob '**/*.go'", "glob '{src,lib}/**/*_test.py' --sort mtime --limit 20", "glob '*.md' docs"},
		Uses: func(k registry.Kwargs, _ []registry.Use, known bool) ([]registry.Use, bool) {
			pattern, _ := k["pattern"].(string)
			path, ok := k["path"].(string)
			if !ok {
				path = "."
			}
			base, _ := splitStart(pattern, path)
			return []registry.Use{{Role: registry.ReadsTree, Value: base}}, known && !k.Pending("pattern") && !k.Pending("path")
		},
		Run: runGlob,
	}
}

func hiddenParam(verb string) registry.Param {
	return registry.Param{Name: "hidden", Type: registry.Boolean, Default: false, Description: "Also " + verb + " names that start with a dot."}
}

func ignoreParam() registry.Param {
	return registry.Param{Name: "ignore", Type: registry.Boolean, Default: true,
		Description: "Leave out what .gitignore, .ignore and git's other exclude files name; --ignore=false does not."}
}

// globQuery is a pattern and where it starts.
type globQuery struct {
	shown   string // as it was typed
	base    string // absolute
	text    string // what is left of the pattern below base
	pattern *glob.Pattern
}

// splitStart sorts out where a pattern starts, as typed, and what is left of it: its
// leading plain names are part of the directory.
func splitStart(pattern, path string) (base, rest string) {
	if tail, ok := strings.CutPrefix(pattern, "~/"); ok {
		dir, rest := glob.Prefix(tail)
		return "~/" + dir, rest
	}
	dir, rest := glob.Prefix(pattern)
	switch {
	case dir == "":
		return path, rest
	case path == "" || strings.HasPrefix(dir, "/"):
		return dir, rest
	}
	return path + "/" + dir, rest // not joined: that would take ~/.. together
}

func newLookup(call *registry.Call, typed string) (*globQuery, error) {
	base, rest := splitStart(typed, call.String("path"))
	l := &globQuery{shown: typed, base: call.Path(base), text: rest}
	var err error
	if l.pattern, err = glob.Compile(rest); err != nil {
		return nil, registry.Usagef("%v", err)
	}
	return l, nil
}

// found is one path that matched.
type found struct {
	path string
	time int64 // of its last change, in nanoseconds
}

func runGlob(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	l, err := newLookup(call, call.String("pattern"))
	if err != nil {
		return finishRun(err)
	}
	if err := isDirectory(call, l.base); err != nil {
		return finishRun(err)
	}
	p := &printer{out: bufio.NewWriterSize(call.Stdout, 64<<10), skip: call.Int("offset"), limit: call.Int("limit"), end: '\n'}
	if call.Bool("null") {
		p.end = 0
	}
	if call.String("sort") == "mtime" {
		err = l.byTime(ctx, call, p)
	} else {
		err = l.walk(ctx, call, l.options(call), l.pattern, func(list []found) bool {
			for i := range list {
				p.print(list[i].path)
			}
			return p.err == nil
		})
	}
	if err = errors.Join(err, p.err, p.out.Flush()); err != nil {
		return finishRun(err)
	}
	switch {
	case p.seen == 0:
		l.explainNothing(ctx, call)
	case p.printed < p.seen-p.skip:
		fmt.Fprintf(call.Stderr, "paths %d-%d of %s: go on with --offset %d\n", p.skip+1, p.skip+p.printed, groupThousands(p.seen), p.skip+p.printed)
	case p.printed == 0:
		fmt.Fprintf(call.Stderr, "%s matched, none after --offset %d\n", countNoun(p.seen, "path"), p.skip)
	}
	return doneWith(summary{"glob: " + countNoun(p.seen, "path"),
		map[string]any{"path": l.base, "matches": p.seen, "printed": p.printed, "truncated": p.printed < p.seen}}, nil)
}

// isDirectory refuses what cannot be walked.
func isDirectory(call *registry.Call, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return notFound(call, path, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory: give one as path", call.Rel(path))
	}
	return nil
}

func (l *globQuery) options(call *registry.Call) *walk.Options {
	return &walk.Options{Hidden: call.Bool("hidden"), All: !call.Bool("ignore"), Inline: true, Links: true}
}

// walk gives emit what matches the pattern, in order.
func (l *globQuery) walk(ctx context.Context, call *registry.Call, o *walk.Options, p *glob.Pattern, emit func([]found) bool) error {
	o.Include, o.Dirs = p, p.Dirs()
	withTime := call.String("sort") == "mtime"
	work := func(_ int, b *walk.Batch) []found {
		prefix := shownDir(call, b.Dir.Path)
		list := make([]found, 0, len(b.Entries))
		for _, e := range b.Entries {
			f := found{path: prefix + e.Name}
			if e.Type == walk.Link || withTime {
				st, err := b.Dir.Stat(e.Name)
				if e.Type == walk.Link && (err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR) != o.Dirs {
					continue
				}
				f.time = st.Mtim.Nano()
			}
			if o.Dirs {
				f.path += "/"
			}
			list = append(list, f)
		}
		return list
	}
	return walk.Walk(ctx, l.base, o, walk.Client[[]found]{Work: work, Emit: emit, Failed: func(path string, err error) {
		fmt.Fprintf(call.Stderr, "%s: %v\n", call.Rel(path), unwrapPath(err))
	}})
}

// byTime prints what matches, the newest first.
func (l *globQuery) byTime(ctx context.Context, call *registry.Call, p *printer) error {
	var all []found
	err := l.walk(ctx, call, l.options(call), l.pattern, func(list []found) bool {
		all = append(all, list...)
		return true
	})
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.time, a.time) })
	for i := range all {
		p.print(all[i].path)
	}
	return err
}

// printer prints a window of what it is given.
type printer struct {
	out         *bufio.Writer
	end         byte
	skip, limit int // limit 0: all

	seen, printed int
	err           error
}

func (p *printer) print(path string) {
	p.seen++
	if p.seen <= p.skip || p.limit > 0 && p.printed == p.limit {
		return
	}
	p.printed++
	p.out.WriteString(path)
	if err := p.out.WriteByte(p.end); err != nil {
		p.err = err
	}
}

// explainNothing says why nothing matched, as far as that can be found out.
func (l *globQuery) explainNothing(ctx context.Context, call *registry.Call) {
	what := "files"
	if l.pattern.Dirs() {
		what = "directories"
	}
	notes := []string{fmt.Sprintf("0 %s match %s in %s", what, l.shown, call.Rel(l.base))}
	count := func(text string, change func(*walk.Options)) (n int) {
		p, err := glob.Compile(text)
		if err != nil {
			return 0
		}
		o := l.options(call)
		change(o)
		l.walk(ctx, call, o, p, func(list []found) bool {
			n += len(list)
			return n < countAtMost
		})
		return n
	}
	same := func(*walk.Options) {}
	if !strings.Contains(strings.TrimSuffix(l.text, "/"), "/") {
		if n := count("**/"+l.text, same); n > 0 {
			notes = append(notes, fmt.Sprintf("'**/%s' would match %s", l.text, upTo(n)))
		}
	}
	if !call.Bool("hidden") || call.Bool("ignore") {
		if n := count(l.text, func(o *walk.Options) { o.Skipped = true }); n > 0 {
			notes = append(notes, fmt.Sprintf("%s ignored or hidden: pass --ignore=false --hidden", upTo(n)))
		}
	}
	if !l.pattern.Dirs() {
		if n := count(strings.TrimSuffix(l.text, "/")+"/", same); n > 0 {
			notes = append(notes, fmt.Sprintf("%s by that name: end the pattern with / to list directories", countDirectories(n)))
		}
	}
	fmt.Fprintln(call.Stderr, strings.Join(notes, "; "))
}

// countAtMost bounds a count that only serves as a hint.
const countAtMost = 100000

func upTo(n int) string {
	if n >= countAtMost {
		return "more than " + groupThousands(countAtMost)
	}
	return groupThousands(n)
}

func countDirectories(n int) string {
	if n == 1 {
		return "1 directory"
	}
	return upTo(n) + " directories"
}
