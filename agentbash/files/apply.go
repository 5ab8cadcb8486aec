package files

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/registry"
)

// checkEdited refuses to edit what changed since it was read, but for texts that stand there
// exactly, once. It reports whether what the file holds was read.
func (f *files) checkEdited(shown string, file *atomicfile.File, old []byte, e *edited) (known bool, err error) {
	r, seen := f.lookUpState(file.Path)
	switch {
	case !seen || !r.changed(stampOfFile(file), old):
		return true, nil
	case !e.once:
		return false, fmt.Errorf("%s changed since it was read: read it again, and edit what it holds now", shown)
	}
	e.notes = append(e.notes, "it changed since it was read; the old text is there once")
	return false, nil
}

// edited is what edits make of a content.
type edited struct {
	content []byte
	count   int      // places that changed
	once    bool     // each old text stood there exactly, in one place
	notes   []string // what has to be said
}

func (e *edited) printNotes(call *registry.Call, shown string) {
	for _, note := range e.notes {
		fmt.Fprintf(call.Stderr, "%s: %s\n", shown, note)
	}
}

// applyReplacements makes the edits in a content, each on the result of the one before.
func applyReplacements(old []byte, list []replacement, strict bool, shown string) (e edited, err error) {
	c := codecFor(old, list)
	text, err := c.decode(old)
	if err != nil {
		return e, fmt.Errorf("%s: %w", shown, err)
	}
	text, bom := strings.CutPrefix(text, string(utf8BOM))
	e.once = true
	var p position
	for i, r := range list {
		what := "old_string"
		if r.hunk != nil && len(list) > 1 {
			what = fmt.Sprintf("the old text of edit %d", i+1)
		} else if r.hunk != nil {
			what = "the old text"
		}
		if bom {
			r.old = strings.TrimPrefix(r.old, string(utf8BOM))
		}
		if text, err = r.apply(text, &p, &e, strict, what, shown); err != nil {
			if len(list) > 1 && r.hunk == nil {
				err = fmt.Errorf("edits[%d]: %w", i, err)
			}
			if len(list) > 1 {
				err = fmt.Errorf("%w (no edit was made)", err)
			}
			return edited{}, err
		}
	}
	if bom {
		text = string(utf8BOM) + text
	}
	e.content, err = c.encode(text)
	if err == nil && bytes.Equal(e.content, old) {
		err = fmt.Errorf("%s: the edits leave the file as it is: there is nothing to change", shown)
	}
	return e, err
}

// apply makes one edit. Whole lines end with an end of line also where the text does not.
func (r replacement) apply(text string, p *position, e *edited, strict bool, what, shown string) (string, error) {
	if line := newPlaceholder(r.old, r.new); line != "" && !strict {
		return "", fmt.Errorf("the new text has %q, which stands for lines that are left out: give these lines, or an edit of fewer lines (--strict writes it as it is)", line)
	}
	whole := r.hunk != nil || !strict && strings.HasSuffix(r.old, "\n") && !strings.Contains(text, r.old)
	open := whole && text != "" && !strings.HasSuffix(text, "\n")
	if open {
		text += endingAt(text, len(text), len(text))
	}
	var f standing
	if r.old != "" {
		f = findReplacement(text, r, strict)
	}
	e.once = e.once && f.exact && len(f.places) == 1
	if r.hunk != nil && (r.old == "" || len(f.places) > 0) {
		if err := r.choose(text, &f, *p); err != nil {
			return "", fmt.Errorf("%s: %w", shown, err)
		}
	}
	if err := r.placesError(text, f.places, what, shown); err != nil {
		return "", err
	}
	if size := sizeAfter(text, f.places); size > changeLimit {
		return "", fmt.Errorf("%s would have %s, more than can be changed at once (%s)", shown, countNoun(size, "byte"), countNoun(changeLimit, "byte"))
	}
	if f.note != "" {
		e.notes = append(e.notes, f.note)
	}
	e.count += len(f.places)
	if r.hunk != nil {
		l := f.places[0]
		p.from = l.start + len(l.new)
		p.moved += strings.Count(l.new, "\n") - strings.Count(text[l.start:l.end], "\n")
	}
	text = replacePlaces(text, f.places)
	if open {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text, nil
}

// placesError says why the places of a replacement do not do.
func (r replacement) placesError(text string, places []located, what, shown string) error {
	n := len(places)
	where := func() string { return lineNumbers(text, places, 10) }
	switch {
	case n == 0:
		return errors.New(diagnoseMismatch(text, r, what, shown))
	case r.count > 0 && n != r.count:
		return fmt.Errorf("%s occurs %s in %s (%s), not %d: nothing was changed", what, countTimes(n), shown, where(), r.count)
	case n > 1 && r.hunk != nil:
		return fmt.Errorf("%s occurs %s in %s (%s): add surrounding lines, or a line @@ LINE with one that stands before it", what, countTimes(n), shown, where())
	case n > 1 && !r.all && r.count == 0:
		return fmt.Errorf("%s occurs %s in %s (%s): add surrounding lines, or pass --replace_all", what, countTimes(n), shown, where())
	}
	return nil
}

func countTimes(n int) string {
	if n == 1 {
		return "once"
	}
	return groupThousands(n) + " times"
}
