package pdftext

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"regexp"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/ledongthuc/pdf"
)

// The reader follows what a document says of itself, in circles and through streams that unpack to
// gigabytes, and reads all the while: so reading is bounded.
const (
	maxTime   = 30 * time.Second // of opening, and of a page: milliseconds are usual
	maxMemory = 256 << 20        // bytes
)

var errTooMuch = errors.New("it takes too much time or memory")

// bounded is a document that is read until it takes too much.
type bounded struct {
	data []byte
	stop func() error
	end  time.Time
	most uint64 // bytes in use
	err  error  // it took too much, or was stopped
}

// begin allows for a part of the document.
func (b *bounded) begin() { b.end, b.most = time.Now().Add(maxTime), memoryInUse()+maxMemory }

func memoryInUse() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func (b *bounded) ReadAt(p []byte, off int64) (int, error) {
	if b.err == nil && (time.Now().After(b.end) || memoryInUse() > b.most) {
		b.err = errTooMuch
	}
	if b.err = cmp.Or(b.err, b.stop()); b.err != nil {
		return 0, b.err
	}
	if off < 0 || off >= int64(len(b.data)) {
		return 0, io.EOF
	}
	n := copy(p, b.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// hugeTable matches a number, of objects or bytes of a row, for which the reader would make a table that no memory holds.
var hugeTable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:/(?:Size|Index|W|Columns|N)\b|\bxref\b)[\s\[\]\d+fn]*?(?:\b[1-9]\d{8,}|\d{11,})`)
})

// nestsStreams reports whether an object stream is said to stand in another, which is not allowed
// (ISO 32000-1, 7.5.7): the reader would look for it in itself until the stack overflows.
func nestsStreams(r *pdf.Reader) bool {
	table := reflect.ValueOf(r).Elem().FieldByName("xref")
	for i := range table.Len() {
		if e := table.Index(i); e.FieldByName("inStream").Bool() {
			in := int(e.FieldByName("stream").FieldByName("id").Uint())
			if in < table.Len() && table.Index(in).FieldByName("inStream").Bool() {
				return true
			}
		}
	}
	return false
}
