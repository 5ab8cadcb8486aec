package highlight

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	for _, row := range []struct {
		language, line string
		piece          string
		kind           Kind
	}{
		{"go", "func main() {", "func", Keyword},
		{"golang", `x := "a" // why`, `"a"`, Literal},
		{"go", `x := "a" // why`, "// why", Comment},
		{"main.go", "x := 42", "42", Number},
		{"python", "def f(): pass", "def", Keyword},
		{"sh", "for f in a; do echo $f; done", "for", Keyword},
		{"bash", "# all", "# all", Comment},
		{"json", `{"a": 1}`, "1", Number},
		{"c++", "int main() { return 0; }", "return", Keyword},
		{"Dockerfile", "FROM x", "FROM", Keyword},
		{"html", "<b>x</b>", "b", Name},
		{"sql", "SELECT 1", "SELECT", Keyword},
		{"rust", "fn f() {}", "fn", Keyword},
	} {
		text := New(row.language)
		require.NotNil(t, text, row.language)
		pieces := text.Line(row.line)
		require.Contains(t, pieces, Piece{row.piece, row.kind}, row.language)
		require.Equal(t, row.line, join(pieces), "nothing of the line is lost")
	}
	require.Nil(t, New("klingon"))
	require.Nil(t, New(""))
	require.Equal(t, []Piece{{"x", Plain}}, (*Text)(nil).Line("x"))
}

// TestSeveralLines: what begins in one line goes on in the next.
func TestSeveralLines(t *testing.T) {
	text := New("go")
	for _, line := range []string{"/* one", "return two", "three */"} {
		require.Equal(t, []Piece{{line, Comment}}, text.Line(line))
	}
	require.Equal(t, []Piece{{"x", Plain}, {" ", Plain}, {"/* y", Comment}}, text.Line("x /* y"))
	require.Equal(t, []Piece{{"*/", Comment}, {" ", Plain}, {"return", Keyword}}, text.Line("*/ return"))
	require.Equal(t, `"/*"`, text.Line(`"/*"`)[0].Text)
	require.Equal(t, Keyword, text.Line("return")[0].Kind)
	text = New("python")
	text.Line(`"""doc`)
	text.Line("if x:")
	require.Equal(t, Literal, text.Line(`end"""`)[0].Kind)
}

func join(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// TestLexersAreTheLibrarys holds the descriptions to those of the version that is
// linked. Go's is a Go program there.
func TestLexersAreTheLibrarys(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	require.NoError(t, err)
	from := strings.TrimSpace(string(dir))
	own, err := filepath.Glob("lexers/*")
	require.NoError(t, err)
	require.Greater(t, len(own), 30)
	for _, path := range own {
		name := filepath.Base(path)
		there := filepath.Join(from, "lexers", "embedded", name)
		if name == "COPYING" {
			there = filepath.Join(from, name)
		}
		if name == "go.xml" {
			continue
		}
		ours, err := os.ReadFile(path)
		require.NoError(t, err)
		theirs, err := os.ReadFile(there)
		require.NoError(t, err)
		require.True(t, bytes.Equal(ours, theirs), "%s is not that of the library: copy it anew", name)
	}
}

func BenchmarkLine(b *testing.B) {
	text := New("go")
	for b.Loop() {
		text.Line("	x := append(list, \"text\") // and why")
	}
}
