package pdftext

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func goOn() error { return nil }

// nop.pdf is a manual page of Graphviz (EPL 1.0) as its package has it.
func TestPage(t *testing.T) {
	data, err := os.ReadFile("testdata/nop.pdf")
	require.NoError(t, err)
	d, err := Open(data, goOn)
	require.NoError(t, err)
	require.Equal(t, 1, d.Pages())
	text, err := d.Page(1)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(text, "NOP(1) General Commands Manual NOP(1)\n\nNAME\nnop − pretty-print graph file\nSYNOPSIS\n"), text)
	require.Contains(t, text, "\nnop reads a stream of graphs and prints each in pretty-printed (canonical) format on stdout. If no files are\ngiven, it reads from stdin.\n")
	require.Contains(t, text, "\nnon-zero exit value is returned. Otherwise, zero is returned.\nSEE ALSO\n")
}

// What is broken is an error, or no text.
func TestBroken(t *testing.T) {
	data, err := os.ReadFile("testdata/nop.pdf")
	require.NoError(t, err)
	for i := 0; i < len(data); i += 97 {
		for _, broken := range [][]byte{data[:i], bytes.Replace(data, data[i:min(i+20, len(data))], []byte(strings.Repeat("(", 20)), 1)} {
			if d, err := Open(broken, goOn); err == nil {
				for n := range d.Pages() {
					d.Page(n + 1)
				}
			}
		}
	}
	_, err = Open([]byte("no PDF"), goOn)
	require.ErrorContains(t, err, "not a PDF file")
}

// document is a document of one page: its resources, and what stands in its stream's dictionary and stream.
func document(t *testing.T, resources, dict, stream string) *Document {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	table := "xref\n0 5\n0000000000 65535 f \n"
	for i, o := range []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 9/Kids[2 0 R 2 0 R 3 0 R]/Parent 2 0 R>>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<<" + resources + ">>>>",
		fmt.Sprintf("<</Length %d%s>>stream\n%s\nendstream", len(stream), dict, stream),
	} {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	fmt.Fprintf(&b, "%strailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table, b.Len())
	d, err := Open(b.Bytes(), goOn)
	require.NoError(t, err)
	require.Greater(t, d.Pages(), maxDepth)
	return d
}

// A tree of pages that leads in circles, one page with more operators than anybody reads, and one of a
// string that unpacks to more than there is memory end; so do widths from far below nought.
func TestHostile(t *testing.T) {
	_, err := document(t, "", "", strings.Repeat("q ", maxSteps+1)).Page(1)
	require.ErrorContains(t, err, "it is too long")

	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	for range maxStream >> 10 {
		z.Write(bytes.Repeat([]byte("("), 1<<10))
	}
	fmt.Fprint(z, "(")
	require.NoError(t, z.Close())
	_, err = document(t, "", "/Filter/FlateDecode", packed.String()).Page(1)
	require.ErrorContains(t, err, "it is too long")

	font := "/Font<</F<</Type/Font/Subtype/Type0/DescendantFonts[<</W[-9000000000000000000 65535 500]>>]>>>>"
	text, err := document(t, font, "", "BT /F 12 Tf (AB) Tj ET").Page(1)
	require.NoError(t, err)
	require.NotEmpty(t, text)
}

// streams is a document of which the table of objects is a stream, with these entries.
func streams(entries string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 3 0 R>>\nendobj\n")
	xref := b.Len()
	fmt.Fprintf(&b, "5 0 obj\n<</Type/XRef/Size 5/W[1 2 1]/Root 1 0 R/Length %d>>stream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", len(entries), entries, xref)
	return b.Bytes()
}

func TestHostileTables(t *testing.T) {
	data, err := os.ReadFile("testdata/nop.pdf")
	require.NoError(t, err)
	for _, numbers := range []string{"/Size 4000000000", "/Size\n0099000000000", "/Index[ 0 1 4000000000 1]", "/W [1 99999999999 1]"} {
		_, err := Open(bytes.Replace(data, []byte("/Size"), []byte(numbers+"/Size"), 1), goOn)
		require.ErrorContains(t, err, "more objects than it can", numbers)
	}
	_, err = Open([]byte("%PDF-1.4\nxref\n4000000000 1\n0000000000 65535 f \ntrailer<</Size 1>>\nstartxref\n9\n%%EOF\n"), goOn)
	require.ErrorContains(t, err, "more objects than it can")

	_, err = Open(streams("\x00\x00\x00\xff\x01\x00\x09\x00\x02\x00\x03\x00\x02\x00\x02\x00\x00\x00\x00\x00"), goOn)
	require.ErrorContains(t, err, "object streams in object streams")

	var held []byte
	_, err = Open(data, func() error { // as a stream that unpacks to gigabytes does
		if held == nil {
			held = make([]byte, maxMemory+64<<20)
			runtime.GC()
		}
		return nil
	})
	require.ErrorIs(t, err, errTooMuch)
	runtime.KeepAlive(held)
	late := &bounded{data: data, stop: goOn, end: time.Now().Add(-1), most: math.MaxUint64}
	_, err = late.ReadAt(make([]byte, 1), 0)
	require.ErrorIs(t, err, errTooMuch)

	calls := 0
	_, err = Open([]byte("%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Prev 9>>\n"+strings.Repeat("%\n", 50)+"startxref\n9\n%%EOF\n"), func() error {
		if calls++; calls > 1000 {
			return context.Canceled
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
}
