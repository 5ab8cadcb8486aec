package term

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarksMoveWithWhatIsShown(t *testing.T) {
	in := "a\x1bb rm\u202e x"
	text, marks, escapes := revealMarked(in, []Span{{1, 2}, {4, 6}, {-5, 1}, {7, 100}, {9, 3}, {200, 300}})
	require.Equal(t, `a\x1bb rm\u202e x`, text)
	var got []string
	for _, m := range marks {
		got = append(got, text[m.From:m.To])
	}
	require.Equal(t, []string{`\x1b`, "rm", "a", `\u202e x`}, got)
	require.Equal(t, []Span{{1, 5}, {9, 15}}, escapes)
}

func TestAQuestionsTextIsFoldedButNotItsMarks(t *testing.T) {
	lines := strings.Repeat("line\n", 50) + "danger\n" + strings.Repeat("line\n", 50)
	q := &Question{Text: lines, Mark: []Span{{250, 256}}}
	rows := strings.Join(block{width: 80}.text(q, false, "Ctrl-O"), "\n")
	require.Contains(t, rows, "    ... 26 rows more: Ctrl-O shows all\n    danger\n    ^^^^^^\n    ... 44 rows more: Ctrl-O shows all\n    line\n")
	require.NotContains(t, strings.Join(block{width: 80}.text(q, true, ""), "\n"), "more")
}

func TestAQuestionIsNeverCutOff(t *testing.T) {
	command := "echo " + strings.Repeat("你好x ", 40) + "; rm -rf /"
	for _, width := range []int{1, 20, 33, 80} {
		var all string
		for _, r := range (block{width: width}).text(&Question{Text: command}, true, "") {
			require.LessOrEqual(t, textColumns(r), max(width, 12))
			all += strings.TrimPrefix(r, "    ")
		}
		require.Equal(t, command, all, "width %d", width)
	}
}

func TestAQuestionShowsDiffsAndMarksInColours(t *testing.T) {
	b := block{newPalette(true, true, ""), 80}
	rows := b.text(&Question{Text: "--- a\n+++ a\n@@ -1 +1 @@\n-one\n+two\n"}, false, "")
	require.Equal(t, "    \x1b[0;31m-one\x1b[0m", rows[3])
	require.Equal(t, "    \x1b[0;32m+two\x1b[0m", rows[4])
	rows = b.text(&Question{Text: "ls; rm x", Mark: []Span{{4, 8}}}, false, "")
	require.Equal(t, []string{"    ls; \x1b[0;1;4;31mrm x\x1b[0m"}, rows)
}

func TestAnswers(t *testing.T) {
	yesNo := []Choice{{Key: "y", Label: "yes"}, {Key: "n", Label: "no"}}
	for name, row := range map[string]struct {
		q       Question
		line    string
		want    *Reply
		problem string
	}{
		"key":                 {Question{Choices: yesNo}, "y", &Reply{Key: "y"}, ""},
		"another case":        {Question{Choices: yesNo}, " Y ", &Reply{Key: "y"}, ""},
		"case tells":          {Question{Choices: []Choice{{Key: "a"}, {Key: "A"}}}, "A", &Reply{Key: "A"}, ""},
		"label":               {Question{Choices: yesNo}, "No", &Reply{Key: "n"}, ""},
		"none":                {Question{Choices: yesNo}, "", nil, "type one of y, n"},
		"default":             {Question{Choices: yesNo, Default: "n"}, "", &Reply{Key: "n"}, ""},
		"something else":      {Question{Choices: yesNo}, "yikes", nil, "type one of y, n"},
		"free":                {Question{Choices: yesNo, Free: true}, "yikes", &Reply{Text: "yikes"}, ""},
		"free, and nothing":   {Question{Choices: yesNo, Free: true}, "", nil, "type one of y, n"},
		"text":                {Question{}, " a b ", &Reply{Text: " a b "}, ""},
		"no text":             {Question{}, "", &Reply{}, ""},
		"default text":        {Question{Default: "d"}, "", &Reply{Text: "d"}, ""},
		"wants a text":        {Question{Choices: []Choice{{Key: "n", Text: true}}}, "n", nil, ""},
		"default of no key":   {Question{Choices: yesNo, Default: "x"}, "", nil, "type one of y, n"},
		"no empty key":        {Question{Choices: []Choice{{Label: "l"}}}, "", nil, "type one of "},
		"keys are made safe":  {Question{Choices: []Choice{{Key: "\x1b"}}}, "x", nil, `type one of \x1b`},
		"a word is a key too": {Question{Choices: []Choice{{Key: "once"}}}, "ONCE", &Reply{Key: "once"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			reply, problem := (&answering{q: &row.q}).take(row.line)
			require.Equal(t, row.want, reply)
			require.Equal(t, row.problem, problem)
		})
	}
	a := answering{q: &Question{Choices: []Choice{{Key: "n", Label: "no"}, {Key: "never"}, {Key: "y", Label: "yes"}}}}
	require.Nil(t, a.immediate("n"), "never begins so too")
	require.Equal(t, "y", a.immediate("y").Key)
	a.q.Free = true
	require.Nil(t, a.immediate("y"), "a text may begin so")
}

// TestOnlyWhatIsRiskyIsPointedAt: what is kept in view is no danger, also where there are no styles.
func TestOnlyWhatIsRiskyIsPointedAt(t *testing.T) {
	const text = "rm x\nallow rm ...\n"
	q := &Question{Text: text, Mark: []Span{{0, 2}}, Keep: []Span{{5, 17}}}
	require.Equal(t, []string{"    rm x", "    ^^", "    allow rm ..."}, block{width: 80}.text(q, false, "?"))
	long := &Question{Text: strings.Repeat("a line\n", 100) + text, Keep: []Span{{705, 717}}}
	require.Contains(t, strings.Join(block{width: 80}.text(long, false, "?"), "\n"), "allow rm ...")
}
