//go:build linux

package files

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
)

// see runs read for a reader who takes pictures.
func (s *shell) see(words ...string) (result, []registry.Image) {
	p, err := s.tools["read"].Parse(words, false)
	require.NoError(s.t, err)
	var out, notes bytes.Buffer
	var list []registry.Image
	show := func(img registry.Image) bool { list = append(list, img); return true }
	call := &registry.Call{Kwargs: p.Kwargs, Dir: s.dir, Stdout: &out, Stderr: &notes, Show: show}
	if words[0] == "-" {
		call.Stdin = strings.NewReader(s.get("stdin"))
	}
	res := s.tools["read"].Invoke(context.Background(), call)
	return result{out.String(), notes.String(), res.ExitStatus}, list
}

// painted has no two rows alike, so that it does not pack well.
func painted(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	seed := uint32(1)
	for i := range img.Pix {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = byte(seed >> 24)
	}
	return img
}

func TestReadShowsImages(t *testing.T) {
	s := newShell(t, nil)
	files := map[string]*bytes.Buffer{"a.png": {}, "wide.png": {}, "noise.png": {}, "a.jpg": {}, "a.bmp": {}}
	require.NoError(t, png.Encode(files["a.png"], image.NewGray(image.Rect(0, 0, 31, 17))))
	require.NoError(t, png.Encode(files["wide.png"], image.NewGray(image.Rect(0, 0, 3136, 10))))
	require.NoError(t, png.Encode(files["noise.png"], painted(1200, 1000)))
	require.NoError(t, jpeg.Encode(files["a.jpg"], image.NewGray(image.Rect(0, 0, 40, 20)), nil))
	require.NoError(t, bmp.Encode(files["a.bmp"], painted(20, 10)))
	for name, b := range files {
		s.put(name, b.String())
	}
	for _, test := range []struct{ name, want, mime string }{
		{"a.png", "PNG image, 31x17 pixels, %d bytes: shown as an image", "image/png"},
		{"wide.png", "PNG image, 3136x10 pixels, %d bytes: shown as an image of 1568x5", "image/png"},
		{"noise.png", "PNG image, 1200x1000 pixels, %s bytes: shown as an image of 1200x1000", "image/jpeg"},
		{"a.jpg", "JPEG image, 40x20 pixels, %d bytes: shown as an image", "image/jpeg"},
		{"a.bmp", "BMP image, 20x10 pixels, %d bytes: shown as an image of 20x10", "image/png"},
	} {
		r, list := s.see(test.name)
		want := strings.ReplaceAll(strings.ReplaceAll(test.want, "%d", "%s"), "%s", groupThousands(files[test.name].Len()))
		require.Equal(t, result{test.name + ": " + want + "\n", "", 0}, r)
		require.Len(t, list, 1)
		require.Equal(t, test.name, list[0].Name)
		require.Equal(t, test.mime, list[0].MIME)
		require.LessOrEqual(t, len(list[0].Data), imageBytes)
		if strings.HasSuffix(want, "an image") {
			require.Equal(t, s.get(test.name), string(list[0].Data))
		}
		c, _, err := image.DecodeConfig(bytes.NewReader(list[0].Data))
		require.NoError(t, err)
		require.LessOrEqual(t, max(c.Width, c.Height), imageSide)
		require.Contains(t, s.fails("read", test.name), "it is shown only to a model that takes images")
		require.Equal(t, s.get(test.name), s.ok("read", test.name, "--encoding", "raw"))
	}
	s.put("stdin", s.get("noise.png"))
	r, list := s.see("-")
	require.Equal(t, 0, r.status, r.err)
	require.Contains(t, r.out, "stdin: PNG image, 1200x1000 pixels")
	require.Len(t, list, 1)
	s.put("broken.png", files["a.png"].String()[:20])
	r, list = s.see("broken.png")
	require.Equal(t, 1, r.status)
	require.Empty(t, list)
	s.put("broken.png", files["a.png"].String()[:files["a.png"].Len()-20])
	r, list = s.see("broken.png")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.err, "31x17 pixels")
	require.Contains(t, r.err, "it is broken")
	require.Empty(t, list)
	files["long.png"] = &bytes.Buffer{}
	require.NoError(t, png.Encode(files["long.png"], image.NewGray(image.Rect(0, 0, imageLong+1, 1))))
	s.put("long.png", files["long.png"].String())
	r, _ = s.see("long.png")
	require.Contains(t, r.err, "it is too big to be shown")
	files["broad.png"] = &bytes.Buffer{}
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(files["broad.png"], image.NewGray(image.Rect(0, 0, 8000, 8000))))
	s.put("broad.png", files["broad.png"].String())
	r, _ = s.see("broad.png")
	require.Contains(t, r.err, "8000x8000 pixels")
	require.Contains(t, r.err, "it is too big to be shown (52,428,800 pixels and 128 MB are the most)")
	done, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, _, err := shrinkImage(done, files["noise.png"].Bytes())
	require.Error(t, err)
	s.put("BMW.txt", "BMW is a car\n")
	require.Equal(t, "BMW is a car\n", s.ok("read", "BMW.txt"))
}

// A transparent picture is seen on white.
func TestShrinkImage(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 2000, 4))
	img.Set(0, 0, color.Black)
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	data, w, h, err := shrinkImage(context.Background(), b.Bytes())
	require.NoError(t, err)
	require.Equal(t, []int{1568, 3}, []int{w, h})
	small, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	red, _, _, alpha := small.At(1500, 2).RGBA()
	require.Equal(t, []uint32{0xffff, 0xffff}, []uint32{red, alpha})
}

func TestReadShowsDocuments(t *testing.T) {
	s := newShell(t, nil)
	for _, from := range []string{"document/testdata/small.db", "pdftext/testdata/nop.pdf"} {
		b, err := os.ReadFile("../internal/" + from)
		require.NoError(t, err)
		s.put(from[strings.LastIndexByte(from, '/')+1:], string(b))
	}
	r := s.run("read", "small.db", "--limit", "2")
	require.Equal(t, "--- table users, rows: 700 ---\nCREATE TABLE users(id integer primary key, name text)\n", r.out)
	require.Contains(t, r.err, "small.db: lines 1-2 of ")
	require.Contains(t, r.err, "go on with --offset 3")
	require.Contains(t, r.err, "small.db: shown as its schema and counts of rows (sqlite3 small.db 'SELECT ...' asks it)")
	require.Equal(t, "NOP(1) General Commands Manual NOP(1)\n", s.ok("read", "nop.pdf", "--offset", "2", "--limit", "1"))
	require.Equal(t, s.get("nop.pdf"), s.ok("read", "nop.pdf", "--encoding", "raw"))
	s.put("broken.pdf", s.get("nop.pdf")[:5000])
	require.Contains(t, s.fails("read", "broken.pdf"), "look into it with: pdftotext broken.pdf -; --encoding raw gives its bytes")

	s.put("n.ipynb", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "plot()", "outputs": [{"output_type": "display_data", "data": {"image/png": "`+dotPNG+`"}}]}]}`)
	const text = "--- cell 1, code ---\nplot()\n--- output ---\n(PNG image, 1x1 pixels, 67 bytes: %s)\n"
	require.Equal(t, fmt.Sprintf(text, "not shown"), s.ok("read", "n.ipynb"))
	r, list := s.see("n.ipynb")
	require.Equal(t, fmt.Sprintf(text, "shown as an image"), r.out)
	require.Len(t, list, 1)
	require.Equal(t, "n.ipynb, cell 1", list[0].Name)
	s.put("no.ipynb", "text\n")
	require.Equal(t, "text\n", s.ok("read", "no.ipynb"))
}

const dotPNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

func TestReadListsADirectory(t *testing.T) {
	s := newShell(t, nil)
	s.put("dir/sub/x", "")
	s.put("dir/b.txt", "")
	s.put("dir/.hidden", "")
	require.Equal(t, result{".hidden\nb.txt\nsub/\n", "dir is a directory with 3 entries\n", 0}, s.run("read", "dir"))
	r := s.run("read", "dir/", "--limit", "1")
	require.Equal(t, ".hidden\n", r.out)
	require.Contains(t, r.err, "lines 1-1 of 3: go on with --offset 2")
	require.Equal(t, 0, s.run("read", "dir/sub/..", "-n").status)
	s.put("odd/b\nc\x1b[2J", "")
	s.put("odd/日本 a", "")
	require.Equal(t, "\"b\\nc\\x1b[2J\"\n日本 a\n", s.ok("read", "odd"))
}

type readerAtFunc func([]byte, int64) (int, error)

func (f readerAtFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

// What is packed is looked through until the call ends, not longer.
func TestReadOfADocumentEndsWithItsCall(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	require.NoError(t, tar.NewWriter(z).WriteHeader(&tar.Header{Name: "big", Size: 1 << 30}))
	require.NoError(t, z.Close())
	var zeros bytes.Buffer
	z.Reset(&zeros)
	z.Write(make([]byte, 16<<20))
	require.NoError(t, z.Close())
	for range 1 << 30 / (16 << 20) {
		packed.Write(zeros.Bytes())
	}
	ctx, cancel := context.WithCancel(t.Context())
	data, late := bytes.NewReader(packed.Bytes()), 0
	at := readerAtFunc(func(p []byte, off int64) (int, error) {
		if ctx.Err() != nil {
			late++
		} else if off > data.Size()/10 {
			cancel()
		}
		return data.ReadAt(p, off)
	})
	done, err := (&request{shown: "a.tgz", first: 1}).readOther(ctx, &registry.Call{Stdout: io.Discard, Stderr: io.Discard}, "a.tgz", 0, &content{at: at, size: data.Size(), close: func() {}})
	require.True(t, done)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, late)
}
