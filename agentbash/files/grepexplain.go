package files

import (
	"context"
	"fmt"
	"strings"
)

// explainNothing says why nothing matched in directories: how much was searched, and
// what matches in what was left out.
func (q *query) explainNothing(ctx context.Context, roots []string, out *report) {
	notes := []string{"0 in " + countNoun(out.total.searched, "file")}
	if out.total.binary > 0 {
		notes = append(notes, countNoun(out.total.binary, "binary file")+" left out")
	}
	hidden, ignore := q.call.Bool("hidden"), q.call.Bool("ignore")
	if !hidden || ignore {
		if n, where := q.leftOut(ctx, roots); n > 0 {
			notes = append(notes, fmt.Sprintf("%s in ignored or hidden files (%s): pass --ignore=false --hidden", groupThousands(n), where))
		}
	}
	if out.total.searched == 0 && q.filter.narrow() {
		notes = append(notes, "no file fits --glob and --type")
	}
	fmt.Fprintln(q.call.Stderr, strings.Join(notes, "; "))
}

// leftOut searches the files that were left out; it returns how many lines
// match and where the first are.
func (q *query) leftOut(ctx context.Context, roots []string) (int, string) {
	second := *q
	second.form.numbers, second.form.noPath, second.form.only, second.form.column = true, false, false, false
	second.mode, second.before, second.after, second.skip, second.limit, second.form.columns = modeContent, 0, 0, 0, 3, 20
	list := newReport(&second, nil)
	o := q.filter.options(q.call)
	o.Skipped = true
	var places []string
	files := 0
	workers := newWorkers(ctx, &second, list)
	emit := func(f *findings) bool {
		list.total.add(&f.tally)
		start := 0
		for _, h := range f.hits {
			if len(places) < 3 {
				line := string(f.text[start:h.end])
				places = append(places, linePlace(line))
			}
			start = h.end
		}
		files += f.searched
		list.spare.Put(f)
		return files < leftOutFiles
	}
	for _, root := range roots {
		walkTree(ctx, root, o, workers, emit, nil)
	}
	where := strings.Join(places, ", ")
	if list.total.matches > len(places) {
		where += ", ..."
	}
	return list.total.matches, where
}

// leftOutFiles bounds the second search: a directory of dependencies can be
// many times as big as what it belongs to.
const leftOutFiles = 100000

// linePlace is the path:N of a path:N:text.
func linePlace(line string) string {
	path, rest, _ := strings.Cut(line, ":")
	number, _, _ := strings.Cut(rest, ":")
	return path + ":" + number
}
