package document

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func show(t *testing.T, name string, data []byte) (text string, images [][]byte) {
	d := Open(name, data[:min(len(data), HeadSize)], bytes.NewReader(data), int64(len(data)))
	require.NotNil(t, d, name)
	for p, err := range d.Pieces {
		require.NoError(t, err)
		if text += p.Text; p.Image != nil {
			images = append(images, p.Image)
		}
	}
	return text, images
}

// The databases were made by SQLite 3.40, with pages of 512 bytes: trees are three deep, and the SQL of a
// table overflows.
func TestTables(t *testing.T) {
	for _, name := range []string{"small.db", "wide.db"} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		text, _ := show(t, name, data)
		for _, want := range []string{
			"--- table users, rows: 700 ---\nCREATE TABLE users(id integer primary key, name text)\n", "--- table kv, rows: 90 ---\nCREATE TABLE kv(k text primary key, v) without rowid\n",
			"--- index by_name ---\nCREATE INDEX by_name on users(name)\n", "--- view v ---\nCREATE VIEW v as select * from users\n", "--- table big, rows: 0 ---\nCREATE TABLE big(c0 text, c1 text,", "c298 text, c299 text)\n",
		} {
			require.Contains(t, text, want, name)
		}
	}
}

// A page of which every entry leads to the same page, of which every entry is the same record.
func TestWideTables(t *testing.T) {
	db := make([]byte, 2<<16)
	copy(db, "SQLite format 3\x00\x00\x01")
	page := func(at int, kind byte, cells, cell int) {
		db[at] = kind
		binary.BigEndian.PutUint16(db[at+3:], uint16(cells))
		for i := range cells {
			binary.BigEndian.PutUint16(db[at+8+i*2:], uint16(cell))
		}
	}
	page(100, 5, 32_000, 65_000)
	binary.BigEndian.PutUint32(db[65_000:], 2)
	page(1<<16, 13, 2_000, 5_000)
	copy(db[1<<16+5_000:], "\x83\xd4\x60\x01") // 60,000 bytes
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := Open("a.db", db[:HeadSize], bytes.NewReader(db), int64(len(db)))
	for _, err := range d.Pieces {
		require.ErrorIs(t, err, errDatabase)
	}
	runtime.ReadMemStats(&after)
	read := after.TotalAlloc - before.TotalAlloc
	require.Greater(t, read, uint64(maxRead/2), "it is as hostile as it should be")
	require.Less(t, read, uint64(2*maxRead))
}

func TestArchives(t *testing.T) {
	at := time.Date(2024, 2, 29, 13, 45, 0, 0, time.UTC)
	var z, plain, packed bytes.Buffer
	w := zip.NewWriter(&z)
	for _, name := range []string{"dir/one.txt", "two\n"} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Modified: at})
		require.NoError(t, err)
		f.Write([]byte("hello"))
	}
	require.NoError(t, w.Close())
	text, _ := show(t, "a.zip", z.Bytes())
	require.Equal(t, "           5  2024-02-29 13:45  dir/one.txt\n           5  2024-02-29 13:45  \"two\\n\"\n", text)

	a := tar.NewWriter(&plain)
	require.NoError(t, a.WriteHeader(&tar.Header{Name: "one", Size: 5, ModTime: at, Mode: 0o644}))
	a.Write([]byte("hello"))
	require.NoError(t, a.WriteHeader(&tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "one", ModTime: at}))
	require.NoError(t, a.WriteHeader(&tar.Header{Name: "odd", Typeflag: tar.TypeSymlink, Linkname: "\x1b[2J\nfake", ModTime: at}))
	require.NoError(t, a.Close())
	g := gzip.NewWriter(&packed)
	g.Write(plain.Bytes())
	require.NoError(t, g.Close())
	for name, data := range map[string][]byte{"a.tar": plain.Bytes(), "a.tgz": packed.Bytes()} {
		text, _ := show(t, name, data)
		require.Equal(t, 3, strings.Count(text, "\n"), text)
		require.Contains(t, text, "2024-02-29", name)
		require.Contains(t, text, "  link -> one\n", name)
		require.Contains(t, text, `  odd -> "\x1b[2J\nfake"`+"\n", name)
	}
	packed.Reset()
	g.Reset(&packed)
	g.Write([]byte("text"))
	require.NoError(t, g.Close())
	require.Nil(t, Open("x.gz", packed.Bytes(), bytes.NewReader(packed.Bytes()), int64(packed.Len())), "one packed file is no archive")
}

const page = `{"nbformat": 4, "cells": [
	{"cell_type": "markdown", "source": ["# Title\n", "text"]},
	{"cell_type": "code", "execution_count": 3, "source": "print(1)", "outputs": [
		{"output_type": "stream", "name": "stdout", "text": ["1\n"]},
		{"output_type": "display_data", "data": {"image/png": "ZG\n90", "text/plain": "<Figure>"}},
		{"output_type": "execute_result", "data": {"text/html": "<b>x</b>", "text/plain": ["x"]}},
		{"output_type": "execute_result", "data": {"application/json": {"a": 1}}},
		{"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\u001b[31mTraceback\u001b[0m", "line"]}]},
	{"cell_type": "code", "execution_count": null, "source": "", "outputs": []}]}`

func TestNotebook(t *testing.T) {
	text, images := show(t, "n.ipynb", []byte(page))
	require.Equal(t, `--- cell 1, markdown ---
# Title
text
--- cell 2, code, run as [3] ---
print(1)
--- output on stdout ---
1
--- output ---
--- output ---
x
--- output ---
{"a": 1}
--- error ---
Traceback
line
ValueError: no
--- cell 3, code ---
`, text)
	require.Equal(t, [][]byte{[]byte("dot")}, images)
	for _, other := range []string{"", "{}", "{\"nbformat\": 3}", "not JSON", page[:100]} {
		require.Nil(t, Open("n.ipynb", []byte(other), strings.NewReader(other), int64(len(other))), other)
	}
}

func TestPages(t *testing.T) {
	data, err := os.ReadFile("../pdftext/testdata/nop.pdf")
	require.NoError(t, err)
	text, _ := show(t, "nop.pdf", data)
	require.True(t, strings.HasPrefix(text, "--- page 1 of 1 ---\nNOP(1) General Commands Manual NOP(1)\n"), text)
}

// What is broken ends, as an error or with less.
func TestBroken(t *testing.T) {
	for _, name := range []string{"testdata/small.db", "../pdftext/testdata/nop.pdf"} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for i := 16; i < len(data); i += 1 + len(data)/300 {
			garbled := bytes.Clone(data)
			copy(garbled[i:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
			for _, broken := range [][]byte{data[:i], garbled, append(bytes.Clone(data[:i]), make([]byte, len(data)-i)...)} {
				if d := Open(name, broken[:min(len(broken), HeadSize)], bytes.NewReader(broken), int64(len(broken))); d != nil {
					for range d.Pieces {
					}
				}
			}
		}
	}
}
