package document

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// notebook is the nbformat of Jupyter, version 4.
type notebook struct {
	Format int `json:"nbformat"`
	Cells  []struct {
		Type    string   `json:"cell_type"`
		Source  text     `json:"source"`
		Count   int      `json:"execution_count"`
		Outputs []output `json:"outputs"`
	} `json:"cells"`
}

type output struct {
	Type      string                     `json:"output_type"`
	Name      string                     `json:"name"`
	Text      text                       `json:"text"`
	Data      map[string]json.RawMessage `json:"data"`
	Error     string                     `json:"ename"`
	Value     string                     `json:"evalue"`
	Traceback []string                   `json:"traceback"`
}

// text is written as one string or as a list of lines.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var lines []string
	if json.Unmarshal(b, &lines) == nil {
		*t = text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// cells are the cells of a notebook with their outputs; nil: it is none.
func cells(r io.Reader, size int64) iter.Seq2[Piece, error] {
	data, err := readWhole(r, size)
	var n notebook
	if err != nil || json.Unmarshal(data, &n) != nil || n.Format < 4 {
		return nil
	}
	return func(yield func(Piece, error) bool) {
		for i, c := range n.Cells {
			head := fmt.Sprintf("--- cell %d, %s", i+1, PlainName(c.Type))
			if c.Count > 0 {
				head += fmt.Sprintf(", run as [%d]", c.Count)
			}
			if !yield(Piece{Text: head + " ---\n" + wholeLines(string(c.Source))}, nil) {
				return
			}
			for _, o := range c.Outputs {
				p := o.piece()
				p.Name = fmt.Sprintf("cell %d", i+1)
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]") })

// piece is what an output shows: a picture, else the plainest text that there is.
func (o output) piece() Piece {
	kind, shown := "output", string(o.Text)
	switch {
	case o.Type == "error":
		kind, shown = "error", strings.Join(append(slices.Clone(o.Traceback), o.Error+": "+o.Value), "\n")
	case o.Type == "stream":
		kind += " on " + PlainName(o.Name)
	}
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		var encoded text
		if json.Unmarshal(o.Data[mime], &encoded) != nil {
			continue
		}
		if data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(encoded)), "")); err == nil {
			return Piece{Text: "--- output ---\n", Image: data}
		}
	}
	for _, mime := range []string{"text/plain", "text/markdown", "text/latex", "text/html", "image/svg+xml", "application/json"} {
		raw, ok := o.Data[mime]
		if !ok {
			continue
		}
		var t text
		if json.Unmarshal(raw, &t) != nil {
			t = text(raw)
		}
		shown = string(t)
		break
	}
	return Piece{Text: "--- " + kind + " ---\n" + wholeLines(colours().ReplaceAllString(shown, ""))}
}

func wholeLines(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}
