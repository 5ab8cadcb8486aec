package search

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// run is an automaton as far as one goroutine has seen it: a table of states
// by classes, filled in when an entry is first needed.
type run struct {
	a      *automaton
	width  int     // of a row: the classes, the end of a line, and a column that is never filled in
	table  []int32 // next state's row, or one of the marks below
	states []state // by row / width
	rows   map[string]int32
	bytes  [256]uint8 // column of a byte; the last for those that need a closer look
	set    *sparse
	key    []byte

	served    int  // bytes scanned since the table was empty
	strikes   int  // how often in a row that was little
	tooBig    bool // so often that the automaton does not pay
	stoppedAt int  // the start of the line in which that showed
}

// Marks in the table.
const (
	notYet  int32 = -1
	isMatch int32 = -2
)

const (
	maxStates  = 4000
	maxStrikes = 4
	payingRate = 20 // bytes that a state has to serve, on average
)

func (a *automaton) newRun() *run {
	r := &run{a: a, width: a.end + 2, set: newSparse(len(a.prog.Inst))}
	for c := range r.bytes {
		r.bytes[c] = uint8(a.end + 1) // the column that is never filled in
		if c < utf8.RuneSelf && (c != '\r' || a.keepsCR) {
			r.bytes[c] = a.ascii[c]
		}
	}
	r.clear()
	return r
}

// clear throws all states away but that at the start of a line, which has row 0.
func (r *run) clear() {
	r.table, r.states, r.rows, r.served = r.table[:0], r.states[:0], map[string]int32{}, 0
	r.row(state{places: []uint32{uint32(r.a.prog.Start)}, before: lineStart})
}

// row returns the row of a state, a new one if need be; -1 when the table is full.
func (r *run) row(s state) int32 {
	r.key = append(r.key[:0], byte(s.before))
	for _, p := range s.places {
		r.key = binary.LittleEndian.AppendUint32(r.key, p)
	}
	if at, ok := r.rows[string(r.key)]; ok {
		return at
	}
	if len(r.states) == maxStates {
		return -1
	}
	at := int32(len(r.table))
	for range r.width {
		r.table = append(r.table, notYet)
	}
	r.states = append(r.states, s)
	r.rows[string(r.key)] = at
	return at
}

// fill computes an entry of the table; ok is false when the table is full.
func (r *run) fill(at int32, class int) (next int32, ok bool) {
	s, matched := r.a.step(&r.states[int(at)/r.width], class, r.set)
	switch {
	case matched:
		next = isMatch
	case class == r.a.end:
		next = 0
	default:
		if next = r.row(s); next < 0 {
			return 0, false
		}
	}
	r.table[int(at)+class] = next
	return next, true
}

// find scans whole lines from the start of one and returns a place in the
// first that matches, or -1. When the automaton proves too big it returns -1 and stoppedAt
// says where to go on without it.
func (r *run) find(buf []byte, from int) int {
	at, begin := int32(0), from
	for i := from; i < len(buf); {
		var next int32
		if i, at, next = r.fast(buf, i, at); next >= 0 {
			break
		}
		class, size := r.slow(buf, i)
		if next = r.table[int(at)+class]; next == notYet {
			var ok bool
			if next, ok = r.fill(at, class); !ok {
				r.served += i - begin
				i, at = bytes.LastIndexByte(buf[begin:i], '\n')+1+begin, 0
				if begin = i; r.full() {
					r.stoppedAt = i
					return -1
				}
				continue
			}
		}
		if next == isMatch {
			r.served += i - begin
			return i
		}
		at = next
		i += size
	}
	r.served += len(buf) - begin
	return r.last(buf, at)
}

// full empties a full table and reports whether it paid too little to go on.
func (r *run) full() bool {
	if r.served < maxStates*payingRate {
		r.strikes++
	} else {
		r.strikes = 0
	}
	r.tooBig = r.strikes == maxStrikes
	r.clear()
	return r.tooBig
}

// fast follows the table until an entry is a mark, and returns the place, the
// row and the mark; at the end of the buffer the mark is a row.
func (r *run) fast(buf []byte, i int, at int32) (int, int32, int32) {
	table, classes := r.table, &r.bytes
	for ; i < len(buf); i++ {
		next := table[int(at)+int(classes[buf[i]])]
		if next < 0 {
			return i, at, next
		}
		at = next
	}
	return i, at, at
}

// slow says which class stands at i, and how many bytes it takes.
func (r *run) slow(buf []byte, i int) (class, size int) {
	switch c := buf[i]; {
	case c == '\r' && !r.a.keepsCR && (i+1 == len(buf) || buf[i+1] == '\n'):
		return r.a.end, min(2, len(buf)-i)
	case c < utf8.RuneSelf:
		return int(r.a.ascii[c]), 1
	}
	ch, size := utf8.DecodeRune(buf[i:])
	return int(r.a.classOf(ch)), size
}

// last decides the line at the end of the buffer, if it has no newline.
func (r *run) last(buf []byte, at int32) int {
	if n := len(buf); n == 0 || buf[n-1] == '\n' || buf[n-1] == '\r' && !r.a.keepsCR {
		return -1 // no line is left
	}
	if _, matched := r.a.step(&r.states[int(at)/r.width], r.a.end, r.set); matched {
		return len(buf)
	}
	return -1
}

// line decides one line, given without its newline; ok is false when the automaton proved too big.
func (r *run) line(line []byte) (hit, ok bool) {
	if len(line) == 0 {
		_, hit = r.a.step(&r.states[0], r.a.end, r.set)
		return hit, true
	}
	hit = r.find(line, 0) >= 0
	return hit, !r.tooBig
}
