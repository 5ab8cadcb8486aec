package term

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/highlight"
)

// style is how text looks: attributes, and at most one colour (ECMA-48, SGR).
type style uint16

const (
	bold style = 1 << iota
	dim
	italic
	underline
	strike
	red
	green
	yellow
	cyan
	keyword
	literal
	comment
	number
	named
	prompted
)

const (
	firstColour = red
	ownPrompt   = bold | prompted
)

// theme has the SGR parameters of each bit of a style.
type theme [15]string

const defaultTheme = "terminal"

// themes are the colours: those that the terminal's owner chose, or fixed ones for a
// dark or a light background.
func themes() map[string]theme {
	return map[string]theme{
		defaultTheme: {"1", "2", "3", "4", "9", "31", "32", "33", "36", "35", "32", "2", "33", "34", "36"},
		"dark": {"1", "2", "3", "4", "9", "38;5;203", "38;5;114", "38;5;221", "38;5;80", "38;5;176", "38;5;150", "38;5;245", "38;5;215", "38;5;111",
			"38;5;255;48;5;237"},
		"light": {"1", "2", "3", "4", "9", "38;5;124", "38;5;28", "38;5;130", "38;5;30", "38;5;90", "38;5;28", "38;5;244", "38;5;130", "38;5;25",
			"38;5;16;48;5;254"},
		"mono": {"1", "2", "3", "4", "9"},
	}
}

func themeNames() []string { return []string{defaultTheme, "dark", "light", "mono"} }

// CheckTheme says what is wrong with the name of a theme; "" is the default.
func CheckTheme(name string) error {
	if name != "" && !slices.Contains(themeNames(), name) {
		return fmt.Errorf("there is no theme %q: it is %s", name, strings.Join(themeNames(), ", "))
	}
	return nil
}

// palette says which styles a terminal gets. The zero palette is none at all.
type palette struct {
	attributes bool // bold, underlined and the like
	colours    bool // NO_COLOR forbids them, and only them (no-color.org)
	theme      *theme
}

// newPalette is that of a terminal.
func newPalette(terminal, colours bool, name string) palette {
	t, known := themes()[name]
	if !known {
		t = themes()[defaultTheme]
	}
	return palette{attributes: terminal, colours: colours, theme: &t}
}

// seq is the sequence that sets exactly this style, whatever was set before.
func (p palette) seq(st style) string {
	if !p.attributes {
		return ""
	}
	b := []byte("\x1b[0")
	for i, code := range p.theme {
		bit := style(1) << i
		if st&bit == 0 || bit >= firstColour && !p.colours || code == "" {
			continue
		}
		b = append(append(b, ';'), code...)
	}
	return string(append(b, 'm'))
}

// paint puts a text into a style and ends it.
func (p palette) paint(text string, st style) string {
	if !p.attributes || text == "" {
		return text
	}
	return p.seq(st) + text + p.seq(0)
}

// codeStyle is how a piece of a program looks.
func codeStyle(k highlight.Kind) style {
	return [...]style{highlight.Plain: 0, highlight.Keyword: keyword, highlight.Literal: literal, highlight.Number: number,
		highlight.Comment: comment, highlight.Name: named}[k]
}
