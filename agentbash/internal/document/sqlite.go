package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
)

// database is a file as https://www.sqlite.org/fileformat2.html has it.
type database struct {
	at     io.ReaderAt
	page   int64 // bytes
	usable int64 // of a page
	text   *charset.Encoding
	left   int64 // bytes that may still be looked at
}

// The pages of a broken database may lead in a circle, and those of a big one are not all counted.
const (
	maxRead  = 256 << 20 // bytes: of a leaf the header is enough
	maxDepth = 20
)

var errDatabase = errors.New("it is no SQLite database, or broken")

// tables are the tables of a database with their rows counted, indexes and views.
func tables(r io.ReaderAt) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		var head [100]byte
		if _, err := r.ReadAt(head[:], 0); err != nil {
			yield(Piece{}, errDatabase)
			return
		}
		d := &database{at: r, page: int64(binary.BigEndian.Uint16(head[16:])), left: maxRead}
		if d.page == 1 {
			d.page = 65536
		}
		d.usable = d.page - int64(head[20])
		d.text = charset.ByName(map[uint32]string{2: "utf-16le", 3: "utf-16be"}[binary.BigEndian.Uint32(head[56:])])
		if d.page < 512 || d.usable < 480 {
			yield(Piece{}, errDatabase)
			return
		}
		err := d.rows(1, maxDepth, func(record []byte) bool {
			row := d.columns(record)
			if len(row) < 5 {
				return true
			}
			kind, name, root, sql := row[0].text, row[1].text, row[3].number, row[4].text
			line := fmt.Sprintf("--- %s %s", PlainName(kind), PlainName(name))
			if kind == "table" && root > 0 {
				n, err := d.count(root, maxDepth)
				line += fmt.Sprintf(", rows: %d", n)
				if err != nil {
					line += " or more"
				}
			}
			return yield(Piece{Text: line + " ---\n" + wholeLines(sql)}, nil)
		})
		if err != nil && err != errStopped {
			yield(Piece{}, err)
		}
	}
}

var errStopped = errors.New("stopped")

// readPage reads the header of a b-tree page: its kind, how many cells it has, and where it starts.
func (d *database) readPage(n int64, size int64) (page []byte, kind byte, cells int, start int64, err error) {
	if d.left -= min(size, d.page); d.left < 0 || n < 1 {
		return nil, 0, 0, 0, errDatabase
	}
	page = make([]byte, min(size, d.page))
	if got, err := d.at.ReadAt(page, (n-1)*d.page); err != nil && got < len(page) {
		return nil, 0, 0, 0, errDatabase
	}
	if n == 1 {
		start = 100
	}
	return page, page[start], int(binary.BigEndian.Uint16(page[start+3:])), start, nil
}

// The kinds of pages.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// children calls do with the pages below an inner page.
func (d *database) children(page []byte, cells int, start int64, do func(int64) error) error {
	for i := range cells {
		at := start + 12 + int64(i)*2
		if at+2 > int64(len(page)) {
			return errDatabase
		}
		cell := int64(binary.BigEndian.Uint16(page[at:]))
		if cell+4 > int64(len(page)) {
			return errDatabase
		}
		if err := do(int64(binary.BigEndian.Uint32(page[cell:]))); err != nil {
			return err
		}
	}
	return do(int64(binary.BigEndian.Uint32(page[start+8:])))
}

// count counts the rows below a page.
func (d *database) count(n int64, depth int) (rows int64, err error) {
	if depth == 0 {
		return 0, errDatabase
	}
	_, kind, cells, start, err := d.readPage(n, 108)
	if err != nil {
		return 0, err
	}
	switch kind {
	case tableLeaf, indexLeaf:
		return int64(cells), nil
	case indexInner: // a table WITHOUT ROWID has rows there too
		rows = int64(cells)
	case tableInner:
	default:
		return 0, errDatabase
	}
	page, _, _, _, err := d.readPage(n, d.page)
	if err != nil {
		return rows, err
	}
	err = d.children(page, cells, start, func(child int64) error {
		below, err := d.count(child, depth-1)
		rows += below
		return err
	})
	return rows, err
}

// rows calls do with the records of a table, until it returns false.
func (d *database) rows(n int64, depth int, do func(record []byte) bool) error {
	if depth == 0 {
		return errDatabase
	}
	page, kind, cells, start, err := d.readPage(n, d.page)
	if err != nil {
		return err
	}
	if kind == tableInner {
		return d.children(page, cells, start, func(child int64) error { return d.rows(child, depth-1, do) })
	}
	if kind != tableLeaf {
		return errDatabase
	}
	for i := range cells {
		at := start + 8 + int64(i)*2
		if at+2 > int64(len(page)) {
			return errDatabase
		}
		record, err := d.record(page, int64(binary.BigEndian.Uint16(page[at:])))
		if err != nil {
			return err
		}
		if !do(record) {
			return errStopped
		}
	}
	return nil
}

// record is the payload of a cell of a table's leaf, with what overflows to other pages.
func (d *database) record(page []byte, at int64) ([]byte, error) {
	if at >= int64(len(page)) {
		return nil, errDatabase
	}
	size, n := varint(page[at:])
	_, m := varint(page[at+n:])
	at += n + m
	if size < 0 || size > 1<<24 {
		return nil, errDatabase
	}
	here := size
	if most := d.usable - 35; size > most {
		least := (d.usable-12)*32/255 - 23
		if here = least + (size-least)%(d.usable-4); here > most {
			here = least
		}
	}
	if d.left -= here; at+here > int64(len(page)) || d.left < 0 {
		return nil, errDatabase
	}
	out := append([]byte(nil), page[at:at+here]...)
	if here == size {
		return out, nil
	}
	if at+here+4 > int64(len(page)) {
		return nil, errDatabase
	}
	for next := int64(binary.BigEndian.Uint32(page[at+here:])); int64(len(out)) < size; {
		more, _, _, _, err := d.readPage(next, d.page)
		if err != nil {
			return nil, err
		}
		next = int64(binary.BigEndian.Uint32(more))
		out = append(out, more[4:4+min(d.usable-4, size-int64(len(out)))]...)
	}
	return out, nil
}

type column struct {
	text   string
	number int64
}

// columns are the values of a record.
func (d *database) columns(record []byte) (row []column) {
	size, n := varint(record)
	if size > int64(len(record)) {
		return nil
	}
	head, body := record[min(n, size):max(size, 0)], record[max(size, 0):]
	for len(head) > 0 {
		kind, n := varint(head)
		head = head[n:]
		length := []int64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}[min(max(kind, 0), 11)]
		if kind >= 12 {
			length = (kind - 12) / 2
		}
		if length > int64(len(body)) {
			return nil
		}
		value := body[:length]
		body = body[length:]
		c := column{}
		switch {
		case kind >= 13:
			if c.text = string(value); d.text != nil {
				c.text, _ = d.text.Decode(value)
			}
		case kind == 9:
			c.number = 1
		case kind <= 6:
			for _, b := range value {
				c.number = c.number<<8 | int64(b)
			}
		}
		row = append(row, c)
	}
	return row
}

// varint reads an integer of up to 9 bytes, and says how many there were.
func varint(b []byte) (v, n int64) {
	for i, c := range b {
		if i == 8 {
			return v<<8 | int64(c), 9
		}
		v = v<<7 | int64(c&0x7f)
		if c < 0x80 {
			return v, int64(i) + 1
		}
	}
	return v, int64(len(b))
}
