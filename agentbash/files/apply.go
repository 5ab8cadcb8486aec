package files

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
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
	content       []byte
	before, after []byte            // the text, as it is shown
	encoding      *charset.Encoding // of the content
	count         int               // places that changed
	once          bool              // each old text stood there exactly, in one place
	notes         []string          // what has to be said
}

func (e *edited) printNotes(call *registry.Call, shown string) {
	for _, note := range e.notes {
		fmt.Fprintf(call.Stderr, "%s: %s\n", shown, note)
	}
}

// applyReplacements makes the edits in a content, each on the result of the one before. Where it is not certain
// which encoding the content is in, they must come to the same bytes in all that it may be; an old text beyond
// ASCII that stands there shows it.
func applyReplacements(old []byte, list []replacement, call *registry.Call, shown string) (edited, error) {
	all, alike, certain := candidates(old, call.String("encoding"), list)
	telling := slices.ContainsFunc(list, func(r replacement) bool { return !isASCII(r.old) })
	e, err := agree(all, alike, telling, shown, func(c *charset.Encoding) (edited, error) {
		return applyIn(c, old, list, call.Bool("strict"), shown)
	})
	switch guessed := call.String("encoding") == autoText && e.encoding != nil && !hasMark(e.encoding, old); {
	case guessed && err != nil:
		err = fmt.Errorf("%w (%s is taken for %s, a guess: --encoding NAME takes it for another)", err, shown, e.encoding.Name)
	case guessed && certain:
		e.notes = append(e.notes, "it is in "+e.encoding.Name+" by its bytes, and stays so")
	case guessed:
		e.notes = append(e.notes, "it is not UTF-8 but looks like "+listEncodings(all)+": the edit is right in each")
	}
	return e, err
}

// applyIn makes the edits in a content of a known encoding.
func applyIn(c *charset.Encoding, old []byte, list []replacement, strict bool, shown string) (e edited, err error) {
	text, err := c.Decode(old)
	if err != nil {
		return e, fmt.Errorf("%s: %w", shown, err)
	}
	text, marked := strings.CutPrefix(text, bom)
	ends := strings.NewReplacer()
	onlyCR := !strict && strings.Contains(text, "\r") && !strings.Contains(text, "\n")
	if onlyCR {
		ends = strings.NewReplacer(crlf, "\n", "\r", "\n")
	}
	text = ends.Replace(text)
	e.before, e.once = []byte(text), true
	var p position
	for i, r := range list {
		what := "old_string"
		if r.hunk != nil && len(list) > 1 {
			what = fmt.Sprintf("the old text of edit %d", i+1)
		} else if r.hunk != nil {
			what = "the old text"
		}
		if marked {
			r.old = strings.TrimPrefix(r.old, bom)
		}
		r.old, r.new = ends.Replace(r.old), ends.Replace(r.new)
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
	e.after = []byte(text)
	if onlyCR {
		text = strings.ReplaceAll(text, "\n", "\r")
	}
	if marked {
		text = bom + text
	}
	e.content, err = c.Encode(text)
	switch {
	case err != nil:
		err = fmt.Errorf("%s: new_string cannot be written: %w", shown, err)
	case bytes.Equal(e.content, old):
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
	f, err := r.findPlaces(text, *p, strict, what, shown)
	if err != nil {
		return "", err
	}
	e.once = e.once && f.exact
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

// findPlaces finds where the text to replace stands: in as many places as there are to be.
func (r replacement) findPlaces(text string, p position, strict bool, what, shown string) (f standing, err error) {
	if r.old != "" {
		f = findReplacement(text, r, strict)
	}
	f.exact = f.exact && len(f.places) == 1 // before a hunk chooses among them
	if r.hunk != nil && (r.old == "" || len(f.places) > 0) {
		if err := r.choose(text, &f, p); err != nil {
			return f, fmt.Errorf("%s: %w", shown, err)
		}
	}
	return f, r.placesError(text, f.places, what, shown)
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
