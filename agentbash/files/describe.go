package files

import (
	"bytes"
	"fmt"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
)

// magicBytes are the first bytes by which common binary files are known.
func magicBytes() []struct{ start, name string } {
	return []struct{ start, name string }{
		{"\x89PNG\r\n\x1a\n", "PNG image"}, {"\xff\xd8\xff", "JPEG image"}, {"GIF8", "GIF image"}, {"BM", "BMP image"},
		{"II*\x00", "TIFF image"}, {"MM\x00*", "TIFF image"}, {"\x00\x00\x01\x00", "icon"}, {"%PDF-", "PDF document"},
		{"PK\x03\x04", "ZIP archive"}, {"\x1f\x8b", "gzip data"}, {"BZh", "bzip2 data"}, {"\xfd7zXZ\x00", "xz data"},
		{"\x28\xb5\x2f\xfd", "zstd data"}, {"7z\xbc\xaf\x27\x1c", "7z archive"}, {"Rar!", "RAR archive"}, {"!<arch>\n", "ar archive"},
		{"\x7fELF", "ELF binary"}, {"MZ", "Windows executable"}, {"\xcf\xfa\xed\xfe", "Mach-O binary"}, {"\xca\xfe\xba\xbe", "Java class or Mach-O binary"},
		{"\x00asm", "WebAssembly module"}, {"SQLite format 3\x00", "SQLite database"}, {"OggS", "Ogg media"}, {"ID3", "MP3 audio"},
		{"fLaC", "FLAC audio"}, {"wOFF", "WOFF font"}, {"wOF2", "WOFF2 font"}, {"\x00\x01\x00\x00", "TrueType font"}, {"OTTO", "OpenType font"},
	}
}

// describeBinary says what a binary file is: its type, its size and an image's dimensions.
func describeBinary(head []byte, src *source) string {
	kind := "unknown type"
	for _, m := range magicBytes() {
		if bytes.HasPrefix(head, []byte(m.start)) {
			kind = m.name
			break
		}
	}
	if len(head) >= 12 && string(head[:4]) == "RIFF" {
		kind = map[string]string{"WEBP": "WebP image", "WAVE": "WAV audio", "AVI ": "AVI video"}[string(head[8:12])]
	}
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		kind = "MP4 media"
	}
	if w, h := imageDimensions(kind, io.NewSectionReader(src, 0, src.stat.Size), head); w > 0 {
		kind += fmt.Sprintf(", %dx%d pixels", w, h)
	}
	if src.stat.Size == 0 { // made as it is read, as in /proc
		return kind
	}
	return kind + ", " + countNoun(int(src.stat.Size), "byte")
}

func imageDimensions(kind string, r io.Reader, head []byte) (w, h int) {
	switch kind {
	case "PNG image":
		c, _ := png.DecodeConfig(r)
		return c.Width, c.Height
	case "JPEG image":
		c, _ := jpeg.DecodeConfig(r)
		return c.Width, c.Height
	case "GIF image":
		c, _ := gif.DecodeConfig(r)
		return c.Width, c.Height
	}
	return 0, 0
}
