package transcript

import (
	"bytes"
	"encoding/json"
	"sync"
)

// decodeRecords reads the records of a file. whole is the length of its whole lines;
// what comes after was torn off. Lines that are no records are counted: a
// broken disk should not cost the rest of a session.
func decodeRecords(data []byte) (records []Record, whole, unread int) {
	lines, whole := splitLines(data)
	records, unread = decodeLines(withoutRewound(lines))
	return records, whole, unread
}

// splitLines cuts a file into its whole lines, leaving blank ones out.
func splitLines(data []byte) (lines [][]byte, whole int) {
	lines = make([][]byte, 0, bytes.Count(data, []byte{'\n'}))
	whole = bytes.LastIndexByte(data, '\n') + 1
	for line := range bytes.Lines(data[:whole]) {
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line[:len(line)-1])
		}
	}
	return lines, whole
}

// withoutRewound leaves out what was taken back.
func withoutRewound(lines [][]byte) [][]byte {
	var out [][]byte
	for _, i := range standing(lines) {
		out = append(out, lines[i])
	}
	return out
}

// standing are the indexes of the lines that were not taken back.
func standing(lines [][]byte) []int {
	out := make([]int, 0, len(lines))
	for i, line := range lines {
		var r Record
		if typeOf(line) != TypeRewind || json.Unmarshal(line, &r) != nil {
			out = append(out, i)
			continue
		}
		for len(out) > 1 && out[len(out)-1] >= r.To {
			out = out[:len(out)-1]
		}
	}
	return out
}

// decodeLines decodes on two processors where there is much to do, since
// somebody waits for it.
func decodeLines(lines [][]byte) (records []Record, unread int) {
	all := make([]Record, len(lines))
	some := func(from, to int) {
		for i := from; i < to; i++ {
			if json.Unmarshal(lines[i], &all[i]) != nil {
				all[i] = Record{}
			}
		}
	}
	if len(lines) < 256 {
		some(0, len(lines))
	} else {
		var other sync.WaitGroup
		other.Go(func() { some(len(lines)/2, len(lines)) })
		some(0, len(lines)/2)
		other.Wait()
	}
	records = all[:0]
	for _, r := range all {
		if r.Type != "" {
			records = append(records, r)
		}
	}
	return records, len(lines) - len(records)
}

// livingLines leaves out the lines that do not matter to how a conversation goes on:
// what came before it was shortened or cleared, the pieces of replies that are
// there as a whole, and what was only told to the person. Decoding is what
// takes the time when a long session is resumed.
func livingLines(lines [][]byte) [][]byte {
	out := make([][]byte, 0, len(lines))
	kinds := make([]Type, len(lines))
	for i, line := range lines {
		kinds[i] = typeOf(line)
	}
	start, last := -1, -1 // of the conversation; of what came after the last reply
	for i := len(lines) - 1; i >= 0 && start < 0; i-- {
		switch kinds[i] {
		case TypeCompact, TypeClear, TypeAssistant:
			if !json.Valid(lines[i]) {
				continue // what it stands for is still there
			}
			if last = max(last, i); kinds[i] != TypeAssistant {
				start = i
			}
		}
	}
	for i, line := range lines {
		keep := false
		switch kinds[i] {
		case TypeSession, TypeSystem, TypeModel, "":
			keep = true // a model's own replies are told from another's
		case TypeUsage, TypeEnd:
		case TypeText, TypeReasoning, TypeRetry, TypeToolCall:
			keep = i >= last
		default:
			keep = i >= start
		}
		if keep {
			out = append(out, line)
		}
	}
	return out
}

// typeOf reads the type where Append puts it, without decoding; "" where it is
// not there.
func typeOf(line []byte) Type {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return ""
	}
	return Type(rest[:end])
}
