package charset

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

var texts = []struct{ encoding, text string }{
	{"gbk", "第一行\n结束 end\n"}, {"gbk", "// 初始化配置\nint main() { return 0; } // 返回\n"}, {"shift_jis", "日本語テスト end\n"}, {"shift_jis", "表A\n"},
	{"koi8-r", "вторая строка end\n"}, {"koi8-r", "Привет, мир! Это проверка.\n"}, {"windows-1251", "вторая строка end\n"}, {"windows-1251", "Привет, мир! Это проверка.\n"},
	{"windows-1252", "café one\n"}, {"windows-1252", "grün\n"}, {"windows-1252", "Élan vital, où êtes-vous ?\n"}, {"windows-1252", "“quoted” – it’s 5 €\n"}, {"windows-1252", "naïve façade, mañana, Größe\n"},
	{"windows-1250", "Příliš žluťoučký kůň\n"}, {"iso-8859-2", "Zażółć gęślą jaźń\n"}, {"windows-1253", "Καλημέρα κόσμε\n"}, {"big5", "繁體中文的測試檔案，內容很短。\n"},
	{"euc-jp", "これは日本語のテキストです。\n"}, {"gb18030", "第一行 𠀀 结束\n"}, {"windows-1256", "مرحبا بالعالم\n"}, {"euc-kr", "안녕하세요. 이것은 한국어 텍스트입니다.\n"},
	{"big5", "[\n~ end } 我們的 2"},
	{"iso-8859-5", "Привет, мир! Это проверка.\n"}, {"ibm866", "Привет, мир\n"}, {"utf-16le", "hi there\n"}, {"utf-16be", "日本語の文章\n"}, {"utf-16be", bomUTF8 + "x"}, {"utf-32le", bomUTF8 + "hi"},
	{"utf-32le", "hi there, 日本\n"}, {"utf-32be", "grün\n\n"},
}

// rare are texts that others explain as well, so that they are not taken for what they are.
var rare = []struct{ encoding, text string }{
	{"macintosh", "schön\n"}, {"macintosh", "Élan vital, où êtes-vous ?\n"}, {"macintosh", "El niño comió piñas en la montaña, ¿verdad? ¡Sí!\n"}, {"macintosh", "© 2020 Müller & Söhne\n"},
	{"macintosh", "não há informação disponível; coração\n"}, {"macintosh", "smörgåsbord är gott på svenska\n"}, {"macintosh", "crème brûlée à la carte, déjà vu\n"},
	{"ibm866", "ошибка: файл не найден\n"}, {"ibm866", "ПРИВЕТ МИР\n"}, {"ibm866", "Имя файла: данные.txt\n"}, {"gb18030", "鎔鑄鑽𠮷\n"}, {"gb18030", "𠀀 café\n"},
}

func TestDetect(t *testing.T) {
	for _, test := range texts {
		b, err := ByName(test.encoding).Encode(test.text)
		require.NoError(t, err)
		best := Detect(b, false).Best()
		require.NotNil(t, best, test.text)
		text, err := best.Decode(b)
		require.NoError(t, err)
		require.Equal(t, test.text, text, best.Name)
		read, err := io.ReadAll(iotest.OneByteReader(best.Reader(bytes.NewReader(b))))
		require.NoError(t, err)
		require.Equal(t, strings.TrimPrefix(text, bomUTF8), string(read))
	}
	for _, b := range []string{"", "ascii\n", "é\n", "日本\n", "é\xff one\n", "日本語\xe9 x\n"} {
		require.Equal(t, Guess{}, Detect([]byte(b), false), "%q", b)
	}
	require.Equal(t, Guess{}, Detect([]byte("日本\xe8"), true), "a character may be cut")
	for _, b := range []string{"abc\x00def", "a needle\x00\nneedle\n.", "\x00\x01abc\x02", "x\x00\x00\x00y\x00\x00\x00", "one\x00two\x00three\x00\x00"} {
		require.Equal(t, Guess{Binary: true}, Detect([]byte(b), false), "%q", b)
	}
	for _, lib := range []string{"/bin/ls", "/bin/bash"} {
		b, err := os.ReadFile(lib)
		require.NoError(t, err)
		require.True(t, Detect(b, false).Binary, lib)
	}
}

// TestCertain takes every run of words of the texts for a file: what is certain is right.
func TestCertain(t *testing.T) {
	certain := 0
	for _, test := range slices.Concat(texts, rare) {
		words := strings.Fields(test.text)
		for i := range words {
			for j := i + 1; j <= len(words); j++ {
				text := strings.Join(words[i:j], " ")
				b, err := ByName(test.encoding).Encode(text)
				require.NoError(t, err)
				g := Detect(b, false)
				if !g.Certain {
					continue
				}
				certain++
				got, err := g.Best().Decode(b)
				require.NoError(t, err)
				require.Equal(t, text, got, "%s taken for %s", test.encoding, g.Best().Name)
			}
		}
	}
	require.Greater(t, certain, 40)
}
