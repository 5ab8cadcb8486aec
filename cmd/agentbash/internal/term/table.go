package term

import "strings"

// narrowest is the smallest column that a table is squeezed to. Below it, each
// row is shown as a list.
const narrowest = 6

// endTable shows the table whose rows have been gathered.
func (m *markdown) endTable() {
	rows := m.table
	m.table = nil
	if len(rows) == 0 {
		return
	}
	cells := make([][]string, 0, len(rows))
	header := len(rows) > 1 && isDelimiter(rows[1])
	for i, row := range rows {
		if !(i == 1 && header) {
			cells = append(cells, splitRow(row))
		}
	}
	widths := m.tableWidths(cells)
	if widths == nil {
		m.tableAsList(cells, header)
		return
	}
	for i, row := range cells {
		st := style(0)
		if i == 0 && header {
			st = bold
		}
		m.tableRow(row, widths, st)
		if i == 0 && header {
			var line []string
			for _, w := range widths {
				line = append(line, strings.Repeat("-", w))
			}
			m.l.literal(strings.Join(line, "--"), dim)
			m.l.newline()
		}
	}
}

// isDelimiter is the second row: |---|:-:|.
func isDelimiter(row string) bool {
	return strings.Trim(row, "|-: \t") == "" && strings.Contains(row, "-")
}

// splitRow takes the cells of | a | b \| c |. A | in `code` needs the backslash too (GFM).
func splitRow(row string) []string {
	row = strings.TrimPrefix(strings.TrimSpace(row), "|")
	if strings.HasSuffix(row, "|") && !strings.HasSuffix(row, `\|`) {
		row = row[:len(row)-1]
	}
	var out []string
	var cell strings.Builder
	for i := 0; i < len(row); i++ {
		switch {
		case row[i] == '\\' && i+1 < len(row) && row[i+1] == '|':
			cell.WriteByte('|')
			i++
		case row[i] == '|':
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(row[i])
		}
	}
	return append(out, strings.TrimSpace(cell.String()))
}

// tableWidths are the columns' widths, two spaces between them, squeezed to the
// terminal's, or nil when that is too narrow.
func (m *markdown) tableWidths(cells [][]string) []int {
	var widths []int
	for _, row := range cells {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			lines := m.cell(c, 1<<20, 0)
			widths[i] = max(widths[i], lines[0].width)
		}
	}
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; total > m.l.room(); total-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest]--; widths[widest] < narrowest {
			return nil
		}
	}
	return widths
}

// cellLine is a row of a cell.
type cellLine struct {
	text  string // styled
	width int
}

// cell renders a cell into rows of a width.
func (m *markdown) cell(s string, width int, st style) []cellLine {
	l := layouter{palette: m.l.palette, width: func() int { return width + 1 }}
	var in inline
	in.feed(&l, s, st, true)
	l.newline()
	var out []cellLine
	for _, line := range strings.Split(strings.TrimSuffix(l.take(), "\n"), "\n") {
		out = append(out, cellLine{line, textColumns(cleanText(line))})
	}
	return out
}

func (m *markdown) tableRow(row []string, widths []int, st style) {
	var cells [][]cellLine
	height := 0
	for i := range min(len(row), len(widths)) {
		cells = append(cells, m.cell(row[i], widths[i], st))
		height = max(height, len(cells[i]))
	}
	for y := range height {
		var b strings.Builder
		pad := 0
		for i, c := range cells {
			if y < len(c) && c[y].width > 0 {
				b.WriteString(strings.Repeat(" ", pad) + c[y].text)
				pad = max(0, widths[i]-c[y].width) + 2
			} else {
				pad += widths[i] + 2
			}
		}
		m.l.b.WriteString(b.String())
		m.l.newline()
	}
}

// tableAsList is for a narrow terminal: "header: cell", a line each.
func (m *markdown) tableAsList(cells [][]string, header bool) {
	for i, row := range cells {
		if i == 0 && header {
			continue
		}
		for j, c := range row {
			var in inline
			if header && j < len(cells[0]) {
				in.feed(&m.l, cells[0][j]+":", bold, true)
				m.l.text(" ", 0)
			}
			m.l.indent = "  "
			in.feed(&m.l, c, 0, true)
			m.l.newline()
		}
		m.l.newline()
	}
}
