package files

import (
	"bytes"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
)

// fileType is a kind of binary file: its first bytes, its name, and what looks into one.
type fileType struct{ start, name, opens string }

func binaryTypes() []fileType {
	const media, font = "ffprobe FILE", "fc-scan FILE"
	return []fileType{
		{"\x89PNG\r\n\x1a\n", "PNG image", ""}, {"\xff\xd8\xff", "JPEG image", ""}, {"GIF8", "GIF image", ""}, {"BM", "BMP image", ""},
		{"II*\x00", "TIFF image", ""}, {"MM\x00*", "TIFF image", ""}, {"\x00\x00\x01\x00", "icon", ""}, {"%PDF-", "PDF document", "pdftotext FILE -"},
		{"PK\x03\x04", "ZIP archive", "unzip -l FILE"}, {"\x1f\x8b", "gzip data", "zcat FILE"}, {"BZh", "bzip2 data", "bzcat FILE"}, {"\xfd7zXZ\x00", "xz data", "xz -dc FILE (tar -tJf FILE)"},
		{"\x28\xb5\x2f\xfd", "zstd data", "zstd -dc FILE (tar --zstd -tf FILE)"}, {"7z\xbc\xaf\x27\x1c", "7z archive", "7z l FILE"}, {"Rar!", "RAR archive", "unrar l FILE"}, {"!<arch>\n", "ar archive", "ar t FILE"},
		{"\x7fELF", "ELF binary", "readelf -hd FILE, nm FILE or strings FILE"}, {"MZ", "Windows executable", "objdump -x FILE or strings FILE"}, {"\xcf\xfa\xed\xfe", "Mach-O binary", "nm FILE or strings FILE"},
		{"\xca\xfe\xba\xbe", "Java class or Mach-O binary", "javap -c FILE"}, {"\x00asm", "WebAssembly module", "wasm-objdump -x FILE"}, {"SQLite format 3\x00", "SQLite database", "sqlite3 FILE .schema"},
		{"OggS", "Ogg media", media}, {"ID3", "MP3 audio", media}, {"fLaC", "FLAC audio", media}, {"wOFF", "WOFF font", font}, {"wOF2", "WOFF2 font", font},
		{"\x00\x01\x00\x00", "TrueType font", font}, {"OTTO", "OpenType font", font}, {"RIFF", "RIFF media", media}, {"\x93NUMPY", "NumPy array", "python3 -c 'import numpy; print(numpy.load(\"FILE\"))'"},
		{"PAR1", "Parquet table", "python3 -c 'import pandas; print(pandas.read_parquet(\"FILE\"))'"}, {"\xd0\xcf\x11\xe0", "old Office document", "libreoffice --headless --convert-to txt FILE"},
	}
}

// typeOf tells a binary file by its head.
func typeOf(head []byte) fileType {
	if len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return fileType{name: "WebP image"}
	}
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		return fileType{name: "MP4 media", opens: "ffprobe FILE"}
	}
	for _, t := range binaryTypes() {
		if bytes.HasPrefix(head, []byte(t.start)) {
			return t
		}
	}
	return fileType{name: "unknown type", opens: "file FILE, strings FILE or xxd FILE | head"}
}

// describe says what a binary file is, why a picture is not shown, and what looks into it.
func (t fileType) describe(shown, dimensions, why string, size int64) string {
	said := t.name
	if dimensions != "" {
		said += ", " + dimensions
	}
	if size > 0 { // otherwise it is made as it is read, as in /proc
		said += ", " + countNoun(int(size), "byte")
	}
	said += ": "
	switch {
	case dimensions != "":
		said += why + ": "
	case t.opens != "":
		said += "look into it with: " + strings.ReplaceAll(t.opens, "FILE", quote.Word(shown)) + "; "
	}
	return shown + " is binary: " + said + "--encoding raw gives its bytes"
}
