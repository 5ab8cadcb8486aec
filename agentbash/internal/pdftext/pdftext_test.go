package pdftext

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nop.pdf is a manual page of Graphviz (EPL 1.0) as its package has it.
func TestPage(t *testing.T) {
	data, err := os.ReadFile("testdata/nop.pdf")
	require.NoError(t, err)
	d, err := Open(data)
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
			if d, err := Open(broken); err == nil {
				for n := range min(d.Pages(), 3) + 2 {
					d.Page(n)
				}
			}
		}
	}
	_, err = Open([]byte("no PDF"))
	require.ErrorContains(t, err, "not a PDF file")
}
