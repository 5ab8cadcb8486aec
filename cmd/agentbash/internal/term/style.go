package term

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
)

const firstColour = red

// palette says which styles a terminal gets. The zero palette is none at all.
type palette struct {
	attributes bool // bold, underlined and the like
	colours    bool // NO_COLOR forbids them, and only them (no-color.org)
}

// styleCodes are the SGR parameters of each bit of a style.
func styleCodes() [9]string {
	return [...]string{"1", "2", "3", "4", "9", "31", "32", "33", "36"}
}

// seq is the sequence that sets exactly this style, whatever was set before.
func (p palette) seq(st style) string {
	if !p.attributes {
		return ""
	}
	b := []byte("\x1b[0")
	for i, code := range styleCodes() {
		bit := style(1) << i
		if st&bit == 0 || bit >= firstColour && !p.colours {
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
