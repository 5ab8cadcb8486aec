package batch

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"text/template"
)

// Row is what came of one task.
type Row struct {
	Task     string   `json:"task"`
	State    string   `json:"state"` // done, again, never; missing: there is no result
	Status   *int     `json:"exit_status"`
	Cost     *float64 `json:"cost"` // dollars; nil: not known
	Tokens   int      `json:"tokens"`
	Requests int      `json:"requests"`
	Calls    int      `json:"tool_calls"`
	Seconds  float64  `json:"seconds"`
	Session  string   `json:"session"`
	Error    string   `json:"error"`
}

// Collect reads the result files of a directory. tasks may name those that there should be;
// without them, what is there is all. A file that is no result is a row that says why.
func Collect(dir string, tasks []Task) ([]Row, error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: name the directory of the result files", err)
	}
	rows := []Row{}
	found := map[string]bool{}
	for _, n := range names {
		task, isJSON := strings.CutSuffix(n.Name(), ".json")
		if !isJSON || strings.HasPrefix(task, ".") {
			continue
		}
		row, err := readRow(filepath.Join(dir, n.Name()))
		if err != nil {
			row = Row{State: "missing", Error: fmt.Sprintf("%s is no result: %v", n.Name(), err)}
		}
		row.Task = cmp.Or(row.Task, task)
		found[row.Task] = true
		rows = append(rows, row)
	}
	for _, t := range tasks {
		if !found[t.ID] {
			rows = append(rows, Row{Task: t.ID, State: "missing"})
		}
	}
	return rows, nil
}

func readRow(name string) (Row, error) {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return Row{}, errors.New("it is no regular file")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return Row{}, err
	}
	var r struct {
		Type     string
		Success  bool
		Duration int64 `json:"duration_ms"`
		Usage    struct{ Prompt, Completion int }
		Row
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return Row{}, err
	}
	if r.Type != "result" || r.Status == nil || r.Success != (*r.Status == 0) {
		return Row{}, errors.New("agentbash -p writes another form")
	}
	r.State, r.Tokens, r.Seconds = State(*r.Status), r.Usage.Prompt+r.Usage.Completion, float64(r.Duration)/1000
	return r.Row, nil
}

var header = []string{"task", "state", "exit_status", "cost", "tokens", "requests", "tool_calls", "seconds", "session", "error"}

// cells are a row's texts below the header.
func (r *Row) cells() []string {
	status, cost := "", ""
	if r.Status != nil {
		status = strconv.Itoa(*r.Status)
	}
	if r.Cost != nil {
		cost = strconv.FormatFloat(*r.Cost, 'f', 4, 64)
	}
	return []string{r.Task, r.State, status, cost, strconv.Itoa(r.Tokens), strconv.Itoa(r.Requests), strconv.Itoa(r.Calls), strconv.FormatFloat(r.Seconds, 'f', 1, 64), r.Session, r.Error}
}

// table is rows as cells below the header, each made safe for where it will stand.
func table(rows []Row, clean func(string) string) [][]string {
	out := [][]string{slices.Clone(header)}
	for i := range rows {
		cells := rows[i].cells()
		for i, c := range cells {
			cells[i] = clean(c)
		}
		out = append(out, cells)
	}
	return out
}

// noFormula keeps a spreadsheet from computing a cell that a run wrote.
func noFormula(cell string) string {
	if cell != "" && strings.Contains("=+-@\t\r", cell[:1]) {
		return "'" + cell
	}
	return cell
}

// Summary says how many are done, and what all have cost.
func Summary(rows []Row) string {
	counts := map[string]int{}
	tokens, seconds, cost, unknown := 0, 0.0, 0.0, 0
	for _, r := range rows {
		counts[r.State]++
		tokens += r.Tokens
		seconds += r.Seconds
		if r.Cost != nil {
			cost += *r.Cost
		} else {
			unknown++
		}
	}
	text := fmt.Sprintf("%d tasks: %d done", len(rows), counts["done"])
	for _, c := range []struct{ state, means string }{{"again", "to be started again"}, {"never", "to be mended first"}, {"missing", "without a result"}} {
		if n := counts[c.state]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, c.means)
		}
	}
	text += fmt.Sprintf("; %d tokens, $%.4f", tokens, cost)
	if unknown > 0 {
		text += fmt.Sprintf(" (of %d not known)", unknown)
	}
	return text + fmt.Sprintf(", %.1f s", seconds)
}

const page = `<!DOCTYPE html>
<meta charset="utf-8"><title>{{html .Title}}</title>
<style>body{font:14px system-ui}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}.done{background:#e6f4e6}.again{background:#fff4d6}.never,.missing{background:#fbe3e3}</style>
<p>{{html .Summary}}</p>
<table>
<tr>{{range index .Table 0}}<th>{{.}}</th>{{end}}</tr>
{{range slice .Table 1}}<tr class="{{index . 1}}">{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table>
`

// Write writes rows in a format: text, csv, html or json.
func Write(w io.Writer, rows []Row, title, format string, clean func(string) string) error {
	switch format {
	case "json":
		text, err := toJSON(rows)
		fmt.Fprintln(w, text)
		return err
	case "csv":
		return csv.NewWriter(w).WriteAll(table(rows, noFormula))
	case "html":
		return template.Must(template.New("page").Parse(page)).Execute(w, map[string]any{"Title": title, "Summary": Summary(rows), "Table": table(rows, template.HTMLEscapeString)})
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, cells := range table(rows, clean) {
		fmt.Fprintln(out, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, Summary(rows))
	return err
}
