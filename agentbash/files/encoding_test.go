//go:build linux

package files

import (
	"strings"
	"testing"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
	"github.com/stretchr/testify/require"
)

func encoded(t *testing.T, name, text string) string {
	b, err := charset.ByName(name).Encode(text)
	require.NoError(t, err, name)
	return string(b)
}

// TestEditKeepsTheEncoding edits a file of every encoding: it is right, or refused with the candidates and
// what to type; with --encoding it is right.
func TestEditKeepsTheEncoding(t *testing.T) {
	const refused, missing = "refused", "missing"
	for _, test := range []struct{ encoding, file, old, new, want string }{
		{"gbk", "第一行\n结束 end\n", "end", "结尾", ""}, {"gbk", "第一行\n结束 end\n", "结束", "终止", ""}, {"gbk", "第一行\n结束 end\n", "end", "END", ""},
		{"gbk", "第一行\n结束 end\n", "第一行\n结束", "一\n二", ""}, {"gbk", "第一行\n结束 end\n", "end", "😀", refused},
		{"gbk", "名称\nkey = end\n", "end", "café", refused}, {"gbk", "名称\nkey = end\n", "end", "stop", ""}, {"gbk", "名称\nkey = end\n", "名称", "标题", ""},
		{"gbk", "中文\n", "中文", "汉字", ""}, {"gbk", "长 x 長 y\n", "L", "/", refused}, {"gbk", "这个長字在中文里\n", "L", "/", missing}, {"gbk", "長\n", "L", "/", refused}, {"gbk", "// 返回 é\nint x;\n", "int x", "int y", ""},
		{"gb18030", "第一行 𠀀 结束\n", "结束", "𠀀", ""}, {"gb18030", "第一行 𠀀 结束\n", "行", "列", ""},
		{"shift_jis", "日本語テスト end\n", "end", "終わり", ""}, {"shift_jis", "日本語テスト end\n", "日本語", "英語", ""}, {"shift_jis", "日本語テスト end\n", "end", "é", refused},
		{"shift_jis", "表A\n", `\`, "/", refused}, {"shift_jis", "これは表Aです\n", `\`, "/", missing}, {"shift_jis", "ソース = 1\n", "1", "2", ""}, {"shift_jis", "ﾃｽﾄ データ\n", "データ", "表", ""},
		{"euc-jp", "日本語テスト end\n", "テスト", "試験", refused}, {"euc-jp", "日本語テスト end\n", "end", "fin", ""}, {"euc-jp", "日本語テスト end\n", "end", "終", refused}, {"euc-jp", "これは日本語のテキストです。\n", "これ", "それ", ""},
		{"euc-kr", "두 번째 줄 end\n", "번째", "번", ""}, {"euc-kr", "두 번째 줄 end\n", "end", "é", refused}, {"euc-kr", "두 번째 줄 end\n", "end", "fin", ""}, {"euc-kr", "안녕하세요. 이것은 한국어 텍스트입니다.\n", "한국어", "우리말", ""},
		{"big5", "中文測試 end\n", "測試", "試驗", ""}, {"big5", "中文測試 end\n", "end", "fin", ""}, {"big5", "繁體中文的測試檔案，內容很短。\n", "很短", "很長", ""}, {"big5", "成功\n功能\n", `\`, "/", refused},
		{"koi8-r", "вторая строка end\n", "end", "é", refused}, {"koi8-r", "вторая строка end\n", "вторая", "первая", ""}, {"koi8-r", "вторая строка end\n", "end", "конец", refused},
		{"koi8-r", "Привет, мир! Это проверка. end\n", "end", "конец", ""}, {"koi8-r", "Привет, мир! Это проверка. end\n", "end", "é", refused}, {"koi8-r", "вторая строка end\n", "end", "fin", ""},
		{"windows-1251", "вторая строка end\n", "end", "конец", ""}, {"windows-1251", "вторая строка end\n", "строка", "глава", ""}, {"windows-1251", "вторая строка end\n", "end", "é", refused}, {"windows-1251", "Привет, мир\n", "Привет", "Прощай", ""},
		{"iso-8859-5", "Привет, мир! Это проверка.\n", "мир", "друг", ""}, {"ibm866", "Привет, мир\n", "мир", "друг", ""}, {"ibm866", "Привет, мир end\n", "end", "fin", ""},
		{"windows-1252", "café one\n", "one", "two", ""}, {"windows-1252", "café one\n", "café", "thé", ""}, {"windows-1252", "café one\n", "one", "été", ""}, {"windows-1252", "café one\n", "one", "中", refused},
		{"windows-1252", "un élan vital\n", "lan", "LAN", ""}, {"windows-1252", "“quoted”\n", "“quoted”", "„q”", ""}, {"windows-1252", "Größe, Maß und Übermut\n", "Maß", "Fuß", ""}, {"windows-1252", "La première ligne end\n", "end", "été", ""},
		{"latin1", "grün\n", "grün", "blau", ""}, {"latin1", "grün\n", "ü", "ö", ""}, {"iso-8859-15", "5 € café\n", "café", "thé", ""}, {"iso-8859-15", "5 € café\n", "5 €", "6 €", ""},
		{"windows-1250", "Příliš žluťoučký kůň\n", "kůň", "pes", ""}, {"windows-1250", "Příliš žluťoučký kůň end\n", "end", "konečně", ""}, {"iso-8859-2", "Zażółć gęślą jaźń\n", "jaźń", "myśl", ""},
		{"iso-8859-2", "úpěl ďábelské kůň\n", "kůň", "příliš", refused}, {"iso-8859-2", "úpěl ďábelské kůň\n", "kůň", "příl", ""}, {"latin1", "naïf\n", "naïf", "5 €", refused},
		{"euc-kr", "두번째\nL B\n", "B", "이름", refused}, {"big5", "[\n~ end } 我們的 2", "[", "長江", refused}, {"windows-874", "2LA บรรทัด\n] ; key โลก A 2\n", "L", "світ", refused},
		{"macintosh", "schön 1 Straße 1 2 Käse\r\n2 müssen über\r\n", "1 2", "안", refused},
		{"windows-1253", "Καλημέρα κόσμε\n", "κόσμε", "φίλε", ""}, {"windows-1253", "Καλημέρα κόσμε end\n", "end", "fin", ""}, {"windows-1253", "Καλημέρα κόσμε end\n", "end", "τέλος", refused},
		{"windows-1254", "İstanbul'da yağmur yağıyor\n", "yağmur", "kar", ""}, {"windows-1255", "שלום עולם\n", "שלום", "היי", ""}, {"windows-1256", "مرحبا بالعالم\n", "مرحبا", "سلام", ""}, {"windows-874", "สวัสดีชาวโลก\n", "สวัสดี", "ลาก่อน", ""},
		{"utf-16le", bom + "grün\r\n日本 😀\r\n", "grün", "blau", ""}, {"utf-16be", bom + "grün\n日本\n", "日本", "中国", ""}, {"utf-16le", "hi there\nyou\n", "you", "é", ""}, {"utf-16be", "hi there\nyou\n", "hi", "ho", ""},
		{"utf-16le", "日本語の文章\n二行目\n", "二行", "三行", ""}, {"utf-32le", bom + "hi\n", "hi", "é", ""}, {"utf-16le", bom + "a\r\nb\r\n", "a\nb", "A\nB", ""}, {"utf-16le", "hithere", "hi", "ho", refused},
		{"", "a\rb\rc\r", "a\nb", "A\nB", ""}, {"", "a\rb\rc", "b", "x\ny", ""}, {"", "a\rb\rc", "b\r", "B\r", ""}, {"gbk", "第一行\r结束行\r", "结束行", "最后\n行", ""},
		{"", "é\r\nb\r\n", "b", "c\nd", ""}, {"", bom + "é\nb\n", "é", "e", ""},
	} {
		t.Run(test.encoding+" "+test.file+" "+test.old+" "+test.new, func(t *testing.T) {
			encode := func(text string) ([]byte, error) { return charset.ByName(test.encoding).Encode(text) }
			ends := "\n"
			if strings.Contains(test.file, "\r\n") {
				ends = "\r\n"
			} else if !strings.Contains(test.file, "\n") {
				ends = "\r"
			}
			fit := strings.NewReplacer("\n", ends)
			want, wantErr := encode(strings.Replace(test.file, fit.Replace(test.old), fit.Replace(test.new), 1))
			content, err := encode(test.file)
			require.NoError(t, err)
			s := newShell(t, nil)
			s.put("f", string(content))
			edit := []string{"edit", "f", "--old_string=" + test.old, "--new_string=" + test.new}
			r := s.run(edit...)
			if test.want != "" {
				require.Equal(t, 1, r.status, r.out)
				require.Equal(t, string(content), s.get("f"))
				require.True(t, test.want == missing && strings.Contains(r.err, "is not in f") || test.want == refused && strings.Contains(r.err, "--encoding "), r.err)
			} else {
				require.Zero(t, r.status, r.err)
				require.Equal(t, string(want), s.get("f"))
			}
			if test.encoding == "" {
				return
			}
			s.put("f", string(content))
			if r = s.run(append(edit, "--encoding", test.encoding)...); wantErr != nil || test.want == missing || string(want) == string(content) {
				require.Equal(t, 1, r.status, r.out)
				want = content
			} else {
				require.Zero(t, r.status, r.err)
				require.NotContains(t, r.out, "\ufffd")
				require.Contains(t, r.out, "+", "the diff is text")
			}
			require.Equal(t, string(want), s.get("f"))
		})
	}
}

func TestWriteKeepsTheEncoding(t *testing.T) {
	for _, test := range []struct {
		encoding, file string
		args           []string
		want           string // "": refused
	}{
		{"koi8-r", "Привет, мир! Это проверка.\n", []string{"--append", "--content", "ж\n"}, "Привет, мир! Это проверка.\nж\n"},
		{"koi8-r", "вторая строка\n", []string{"--append", "--content", "ж\n"}, ""},
		{"koi8-r", "вторая строка\n", []string{"--append", "--content", "ж\n", "--encoding", "koi8-r"}, "вторая строка\nж\n"},
		{"koi8-r", "вторая строка\n", []string{"--append", "--content", "end\n"}, "вторая строка\nend\n"},
		{"utf-16le", bom + "one\n", []string{"--append", "--content", "zwö\n"}, bom + "one\nzwö\n"},
		{"utf-16be", "one two\n", []string{"--append", "--content", "drei\n"}, "one two\ndrei\n"},
		{"utf-16le", bom + "one\n", []string{"--force", "--content", "zwö\n"}, bom + "zwö\n"},
		{"gbk", "第一行\n结束 end\n", []string{"--force", "--content", "第二行\n"}, "第二行\n"},
		{"gbk", "名称\n", []string{"--force", "--content", "第二行\n"}, ""},
		{"gbk", "第一行\n结束 end\n", []string{"--force", "--content", "é😀\n"}, ""},
		{"windows-1252", "café one\n", []string{"--append", "--content", "thé\n"}, "café one\nthé\n"},
		{"windows-1252", "café one\n", []string{"--append", "--content", "中\n"}, ""},
		{"utf-16le", "", []string{"--content", "zwö\n", "--encoding", "utf-16le"}, bom + "zwö\n"},
		{"gbk", "", []string{"--content", "结束\n", "--encoding", "gbk"}, "结束\n"},
	} {
		t.Run(test.encoding+strings.Join(test.args, " "), func(t *testing.T) {
			s := newShell(t, nil)
			content := encoded(t, test.encoding, test.file)
			s.put("f", content)
			r := s.run(append([]string{"write", "f"}, test.args...)...)
			if test.want == "" {
				require.Equal(t, 1, r.status, r.out)
				require.Contains(t, r.err, "--encoding ")
				require.Equal(t, content, s.get("f"))
				return
			}
			require.Zero(t, r.status, r.err)
			require.Equal(t, encoded(t, test.encoding, test.want), s.get("f"))
		})
	}
	s := newShell(t, nil)
	s.put("f", encoded(t, "gbk", "第一行\n结束 end\n"))
	s.ok("write", "f", "--force", "--content", "第二行é\n", "--encoding", "utf-8")
	require.Equal(t, "第二行é\n", s.get("f"))
}

func TestApplyPatchKeepsTheEncoding(t *testing.T) {
	s := newShell(t, nil)
	s.put("a", encoded(t, "gbk", "第一行\n结束 end\n"))
	s.put("b", encoded(t, "utf-16le", bom+"one\r\ntwo\r\n"))
	s.put("c", encoded(t, "gbk", "名称\nkey\n"))
	s.ok("apply_patch", "--patch", "*** Begin Patch\n*** Update File: a\n@@\n-结束 end\n+终止\n*** Update File: b\n@@\n one\n-two\n+zwö\n*** End Patch\n")
	require.Equal(t, encoded(t, "gbk", "第一行\n终止\n"), s.get("a"))
	require.Equal(t, encoded(t, "utf-16le", bom+"one\r\nzwö\r\n"), s.get("b"))
	patch := "*** Begin Patch\n*** Update File: c\n@@\n-key\n+标题\n*** End Patch\n"
	require.Contains(t, s.fails("apply_patch", "--patch", patch), "Say which: --encoding gbk")
	s.ok("apply_patch", "--patch", patch, "--encoding", "gbk")
	require.Equal(t, encoded(t, "gbk", "名称\n标题\n"), s.get("c"))
}

func TestReadAndGrepFindOutTheEncoding(t *testing.T) {
	s := newShell(t, nil)
	text := "第一行\n结束 end\n"
	for name, encoding := range map[string]string{"gbk.txt": "gbk", "u16": "utf-16le", "u16be": "utf-16be"} {
		s.put(name, encoded(t, encoding, text))
		require.Equal(t, text, s.ok("read", name), name)
		require.Equal(t, "结束 end\n", s.ok("read", name, "--offset", "2"), name)
		require.Equal(t, text, s.ok("read", name, "--encoding", encoding), name)
		r := s.run("grep", "--pattern", "结束", "--path", name)
		require.Equal(t, result{name + ":2:结束 end\n", name + " is not UTF-8: searched as " + encoding + "\n", 0}, r)
		require.Equal(t, result{name + ":2:结束 end\n", "", 0}, s.run("grep", "--pattern", "结束", "--path", name, "--encoding", encoding))
		require.Equal(t, text, s.pipe(strings.NewReader(s.get(name)), "read", "-").out, name)
		require.Equal(t, "结束 end\n", s.pipe(strings.NewReader(s.get(name)), "grep", "结束").out, name)
	}
	r := s.run("grep", "结束")
	require.Equal(t, "gbk.txt:2:结束 end\nu16:2:结束 end\nu16be:2:结束 end\n", r.out)
	require.Contains(t, r.err, "gbk.txt is not UTF-8: searched as gbk\n")
	s.put("many", encoded(t, "gbk", strings.Repeat("第一行文字\n", 100_000)+"结束\n"))
	require.Equal(t, "many:100001:结束\n", s.ok("grep", "--pattern", "结束", "--path", "many"))
	require.Equal(t, "结束\n", s.ok("read", "many", "--offset=-1"))
	s.put("big/f", s.get("many")+strings.Repeat("end of line\n", 700_000))
	for pattern, found := range map[string]string{"结束": "", "^end": "", "文字": ""} {
		r = s.run("grep", "--pattern", pattern, "--path", "big", "-l")
		if pattern == "^end" {
			found = "big/f\n"
		}
		require.Equal(t, found, r.out)
		require.Contains(t, r.err, "big/f is not UTF-8, and too big to be searched as gbk unasked: --encoding gbk does it\n", pattern)
	}
	require.Equal(t, "big/f\n", s.ok("grep", "--pattern", "结束", "--path", "big", "-l", "--encoding", "gbk"))
	require.NotContains(t, s.run("grep", "--pattern", "nothing", "--path", "big").err, "not UTF-8")
	s.put("short", encoded(t, "euc-kr", "두 번째 줄\n"))
	r = s.run("read", "short", "--encoding", "euc-kr")
	require.Equal(t, result{"두 번째 줄\n", "", 0}, r)
	require.Contains(t, s.run("read", "short").err, "euc-kr")
	require.Contains(t, s.run("grep", "--pattern", "x", "--path", "short").err, "it may be ")
	require.Equal(t, 2, s.run("grep", "--pattern", "x", "--path", "short", "--encoding", "ebcdic").status)
}
