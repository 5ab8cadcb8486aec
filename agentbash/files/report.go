package files

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentbash/agentbash/registry"
)

// report prints findings in the order in which they are added, within the
// window that the query asks for, and keeps the counts.
type report struct {
	q       *query
	w       *bufio.Writer
	total   tally
	dirs    map[string]int // matches by directory
	seen    int            // records, printed or not
	printed int
	full    atomic.Bool // nothing more will be printed: counting is enough
	err     error       // of writing

	collect   bool // keep the files for a later pass instead of printing
	collected []hitFile

	spare sync.Pool // findings that were printed

	mu       sync.Mutex // guards what follows
	problems []string   // what could not be read
	missing  bool       // a path that was named could not be searched
	secrets  int        // files that must not be
	cut      []string   // what was searched in part
	decoded  []string   // what is not UTF-8, and what it was taken for
}

func newReport(q *query, w *bufio.Writer) *report { return &report{q: q, w: w, dirs: map[string]int{}} }

// recordLimit is how many records of one file can be printed at most; 0: all.
func (r *report) recordLimit() int {
	if r.q.limit == 0 {
		return 0
	}
	return r.q.skip + r.q.limit
}

// newFindings returns empty findings, with the memory of printed ones if there are any.
func (r *report) newFindings() *findings {
	if f, ok := r.spare.Get().(*findings); ok {
		return &findings{text: f.text[:0], hits: f.hits[:0], dirs: f.dirs[:0]}
	}
	return &findings{}
}

// printFindings prints what is in the window; it reports whether more is wanted. The
// findings are used again.
func (r *report) printFindings(f *findings) bool {
	defer r.spare.Put(f)
	r.total.add(&f.tally)
	for _, d := range f.dirs {
		r.dirs[d.dir] += d.matches
	}
	if r.q.mode == modeQuiet {
		return r.total.matches == 0
	}
	if r.collect {
		r.collected = append(r.collected, f.matched...)
		return true
	}
	if f.bulk > 0 || f.more && len(f.hits) == 0 {
		r.markGap(!f.more)
		r.printed += f.bulk
		r.err = cmp.Or(r.err, f.printAll(r.w))
		return r.err == nil
	}
	start := 0
	for _, h := range f.hits {
		if r.seen++; r.seen > r.q.skip && !r.full.Load() {
			r.markGap(h.gap)
			_, err := r.w.Write(f.text[start:h.end])
			r.err = cmp.Or(r.err, err)
			if r.printed++; r.printed == r.q.limit {
				r.full.Store(true)
			}
		}
		start = h.end
	}
	return r.err == nil
}

// flush passes on what was printed.
func (r *report) flush() error {
	r.err = cmp.Or(r.err, r.w.Flush())
	return r.err
}

// markGap marks that lines are missing before the next record.
func (r *report) markGap(missing bool) {
	if missing && r.printed > 0 && r.q.hasContext() {
		io.WriteString(r.w, gapLine)
	}
}

const gapLine = "--\n"

// leftOut counts a file that must not be read.
func (r *report) leftOut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets++
}

// noteFailure notes what could not be read.
func (r *report) noteFailure(path string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, fmt.Sprintf("%s: %v", r.q.call.Rel(path), unwrapPath(err)))
}

// sortByTime puts the newest files first.
func (r *report) sortByTime() {
	slices.SortStableFunc(r.collected, func(a, b hitFile) int { return cmp.Compare(b.time, a.time) })
}

// printNotes says what was not printed and what could not be read.
func (r *report) printNotes() {
	r.total.failed += len(r.problems)
	r.printList(r.problems, "could not be read")
	if r.secrets > 0 {
		fmt.Fprintf(r.q.call.Stderr, "%s left out: on the list of secrets\n", countNoun(r.secrets, "file"))
	}
	r.printList(r.cut, "were searched in part")
	r.printList(r.decoded, "are not UTF-8")
	total := r.total.matches
	what := map[string]string{modeContent: "matching line", modeWithout: "file"}[r.q.mode]
	if what == "" {
		what = "matching file"
	}
	if r.q.mode == modeContent && r.q.form.only {
		what = "matching place"
	}
	switch {
	case total == 0, r.q.mode == modeQuiet:
	case r.printed == 0 && r.q.skip > 0:
		fmt.Fprintf(r.q.call.Stderr, "%s, none after --offset %d\n", countNoun(total, what), r.q.skip)
	case r.printed > 0 && r.q.skip+r.printed < total-r.total.hidden:
		in := ""
		if r.q.mode == modeContent {
			in = " in " + countNoun(r.total.files, "file")
		}
		fmt.Fprintf(r.q.call.Stderr, "%s %d-%d of %s%s: go on with --offset %d, or narrow the search%s\n",
			strings.TrimPrefix(what, "matching ")+"s", r.q.skip+1, r.q.skip+r.printed, groupThousands(total), in, r.q.skip+r.printed, r.where())
	}
}

// mostDirs is how many directories are named of those in which something matched.
const mostDirs = 8

// where says in which directories how much matched, the most first.
func (r *report) where() string {
	if len(r.dirs) < 2 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(r.dirs), func(a, b string) int { return cmp.Or(r.dirs[b]-r.dirs[a], cmp.Compare(a, b)) })
	var counts []string
	for _, name := range names[:min(len(names), mostDirs)] {
		counts = append(counts, fmt.Sprintf("%s %s", name, groupThousands(r.dirs[name])))
	}
	if more := len(names) - mostDirs; more > 0 {
		counts = append(counts, fmt.Sprintf("and %s more", groupThousands(more)))
	}
	return " (--path DIR, --glob, --type); by directory: " + strings.Join(counts, ", ")
}

// result is what the search came to, with the exit status of grep(1).
func (r *report) result() registry.ToolResult {
	t := r.total
	var path any = "stdin"
	if list := wordsOf(r.q.call, "path"); len(list) > 1 {
		path = list
	} else if list[0] != "-" {
		path = r.q.call.Path(list[0])
	}
	res := registry.ToolResult{Success: t.matches > 0, Display: "grep: no matches", Metadata: map[string]any{
		"path": path, "matches": t.matches, "files": t.files, "searched": t.searched, "printed": r.printed, "truncated": r.printed < t.matches,
	}}
	switch {
	case r.missing:
		res.Success, res.ExitStatus = false, 2
	case t.matches == 0 && t.failed > 0:
		res.ExitStatus = 2
	case t.matches == 0:
		res.ExitStatus = 1
	case r.q.mode == modeContent && t.matches == 1:
		res.Display = "grep: 1 match in 1 file"
	case r.q.mode == modeContent:
		res.Display = fmt.Sprintf("grep: %s matches in %s", groupThousands(t.matches), countNoun(t.files, "file"))
	default:
		res.Display = "grep: matches in " + countNoun(t.matches, "file")
	}
	return res
}

// printList prints some notes and how many there are beyond.
func (r *report) printList(notes []string, what string) {
	slices.Sort(notes)
	for i, n := range notes {
		if i == 5 {
			fmt.Fprintf(r.q.call.Stderr, "and %s more %s\n", groupThousands(len(notes)-i), what)
			break
		}
		fmt.Fprintln(r.q.call.Stderr, n)
	}
}

// noteCut notes that a file was not searched as a whole.
func (r *report) noteCut(shown, how string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if note := shown + ": " + how; !slices.Contains(r.cut, note) {
		r.cut = append(r.cut, note)
	}
}

// turnsBinary notes a file that holds a NUL byte behind its start.
func (r *report) turnsBinary(shown string, line int) {
	r.noteCut(shown, fmt.Sprintf("searched up to line %d, where it turns binary", line))
}
