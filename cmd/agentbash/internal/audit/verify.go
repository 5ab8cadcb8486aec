package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Report is what [Verify] found. Its JSON form is an interface that other
// programs build on.
type Report struct {
	OK      bool     `json:"ok"`
	Records int64    `json:"records"`
	Files   []string `json:"files"` // in order; never nil
	Last    string   `json:"last"`  // hash of the last record: note it elsewhere
	Broken  *Break   `json:"broken"`
	Torn    int64    `json:"torn"`            // lines that a crash has cut
	Back    int64    `json:"clock_went_back"` // times that it did
	Lost    int64    `json:"lost,omitempty"`  // actions without a record, as gaps say
	Open    []int64  `json:"no_outcome"`      // actions that run still, or whose end was not recorded; never nil
}

// Break is the first place where the chain does not hold.
type Break struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1; 0 is the file as a whole
	Seq  int64  `json:"seq"`  // of the record there, as far as it says
	Text string `json:"text"` // what is wrong
}

func (b *Break) Error() string {
	if b.Line == 0 {
		return b.File + ": " + b.Text
	}
	return fmt.Sprintf("%s:%d: record %d: %s", b.File, b.Line, b.Seq, b.Text)
}

// Verify reads the whole log of a directory and checks its chain. contains, if
// not "", must be the hash of one of the records. The error is for a log that
// cannot be read; what is wrong in it is in the report.
func Verify(dir, contains string) (Report, error) {
	c := &checker{dir: dir, prev: first, open: map[int64]bool{}, want: contains}
	c.rep.Files = []string{}
	// The head is read first: what is written meanwhile only makes the log longer.
	head, headErr := os.ReadFile(c.headPath())
	err := Each(dir, c.line)
	var broken *Break
	if !errors.As(err, &broken) && err != nil {
		return c.rep, err
	}
	if broken == nil {
		broken = c.end(head, headErr)
	}
	c.rep.Broken, c.rep.OK, c.rep.Last = broken, broken == nil, c.prev
	c.rep.Open = make([]int64, 0, len(c.open))
	for seq := range c.open {
		c.rep.Open = append(c.rep.Open, seq)
	}
	slices.Sort(c.rep.Open)
	return c.rep, nil
}

// checker follows the chain.
type checker struct {
	dir   string
	rep   Report
	prev  string
	seq   int64
	open  map[int64]bool
	want  string
	found bool
	piece *Break // a line that is no record; the next one must say so
}

func (c *checker) headPath() string { return filepath.Join(c.dir, "head") }

func (c *checker) line(file string, n int, line []byte) error {
	if len(c.rep.Files) == 0 || c.rep.Files[len(c.rep.Files)-1] != file {
		c.rep.Files = append(c.rep.Files, file)
	}
	r, whole, err := parseRecord(line)
	if err != nil {
		if c.piece != nil {
			return c.piece
		}
		c.piece = &Break{File: file, Line: n, Seq: c.seq + 1, Text: "it is no record: it was changed"}
		return nil
	}
	text := ""
	switch {
	case !whole:
		text = "it was changed: its hash is not that of its text"
	case c.piece != nil && r.Type != TypeTorn:
		return c.piece
	case r.Seq != c.seq+1 && c.seq == 0:
		text = "the log begins here: what was before is missing"
	case r.Seq > c.seq+1:
		text = fmt.Sprintf("%d before it are missing", r.Seq-c.seq-1)
	case r.Seq != c.seq+1:
		text = fmt.Sprintf("it stands after record %d: the order was changed", c.seq)
	case r.Prev != c.prev:
		text = "the one before it was replaced: it does not have the hash that this one names"
	}
	if text != "" {
		return &Break{File: file, Line: n, Seq: r.Seq, Text: text}
	}
	c.note(&r)
	return nil
}

func (c *checker) note(r *Record) {
	if c.piece != nil {
		c.rep.Torn++
		c.piece = nil
	}
	c.prev, c.seq = r.Hash, r.Seq
	c.rep.Records++
	c.found = c.found || r.Hash == c.want
	c.rep.Lost += r.Lost
	if r.Back {
		c.rep.Back++
	}
	switch {
	case r.Type == TypeIntent && r.Decision == "allow":
		c.open[r.Seq] = true
	case r.Type == TypeOutcome:
		delete(c.open, r.Of)
	}
}

// end compares the chain's end with the head. A piece of a line at the very end
// is what a crash leaves.
func (c *checker) end(head []byte, err error) *Break {
	file := filepath.Join(c.dir, "audit.jsonl")
	if c.piece != nil {
		c.rep.Torn++
	}
	switch {
	case c.want != "" && !c.found:
		return &Break{File: file, Text: "no record has the hash " + c.want + ": the log was made anew, or the hash is another log's"}
	case c.seq == 0 && os.IsNotExist(err):
		return nil // there is no log
	case err != nil || len(head) == 0:
		return &Break{File: c.headPath(), Text: "it is missing, so nobody can tell whether the log's end was cut off"}
	}
	seq, hash, lost, err := readHead(head)
	if c.rep.Lost += lost; err != nil {
		return &Break{File: c.headPath(), Text: "it was changed: it does not name a record"}
	}
	switch {
	case seq > c.seq:
		return &Break{File: file, Text: fmt.Sprintf("the end is missing: there were %d records, and %d are left (cut off, or lost when the power failed)", seq, c.seq)}
	case seq == c.seq && hash != c.prev:
		return &Break{File: file, Text: "the last record was replaced: it does not have the hash that the file head names"}
	}
	return nil
}
