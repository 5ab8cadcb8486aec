package pdftext

import (
	"io"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// matrix is [a b c d e f] of ISO 32000-1, 8.3.3.
type matrix [6]float64

var unit = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) mul(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// state is the graphics state, as far as it moves text.
type state struct {
	ctm                              matrix
	font                             *font
	size, lead, charSpace, wordSpace float64
}

// writer carries out the operators of a page (ISO 32000-1, 9.4) and keeps the text.
type writer struct {
	page  page
	fonts map[string]*font
	state
	saved    []state
	tm, line matrix
	text     strings.Builder
	x, y     float64 // where the last text ended
	steps    int
}

// The operators of a page, and the bytes that a stream unpacks to, are bounded: a small one may be gigabytes.
const (
	maxSteps  = 1_000_000
	maxStream = 32 << 20
)

// checkSize unpacks the streams of a value, or panics if they are too long to be looked at.
func checkSize(v pdf.Value) {
	parts := []pdf.Value{v}
	if v.Kind() == pdf.Array {
		parts = nil
		for i := range v.Len() {
			parts = append(parts, v.Index(i))
		}
	}
	left := int64(maxStream)
	for _, p := range parts {
		if p.Kind() != pdf.Stream {
			continue
		}
		n, _ := io.Copy(io.Discard, io.LimitReader(p.Reader(), left+1))
		if left -= n; left < 0 {
			panic("it is too long")
		}
	}
}

// operands are those of an operator; one that is missing is 0, or an empty text.
type operands []pdf.Value

func popOperands(stack *pdf.Stack) operands {
	o := make(operands, stack.Len())
	for i := len(o) - 1; i >= 0; i-- {
		o[i] = stack.Pop()
	}
	return o
}

func (o operands) at(i int) (v pdf.Value) {
	if i >= 0 && i < len(o) {
		v = o[i]
	}
	return v
}

func (o operands) number(i int) float64 { return o.at(i).Float64() }

func (o operands) matrix() (m matrix) {
	for i := range m {
		m[i] = o.number(i)
	}
	return m
}

func (w *writer) operate(stack *pdf.Stack, op string) {
	if w.steps++; w.steps > maxSteps {
		panic("it is too long")
	}
	args := popOperands(stack)
	num := args.number
	switch op {
	case "q":
		w.saved = append(w.saved, w.state)
	case "Q":
		if n := len(w.saved); n > 0 {
			w.state, w.saved = w.saved[n-1], w.saved[:n-1]
		}
	case "cm":
		w.ctm = args.matrix().mul(w.ctm)
	case "BT":
		w.tm, w.line = unit, unit
	case "Tf":
		if len(args) == 2 {
			w.font, w.size = w.fontNamed(args[0].Name()), num(1)
		}
	case "TL":
		w.lead = num(0)
	case "Tc":
		w.charSpace = num(0)
	case "Tw":
		w.wordSpace = num(0)
	case "TD":
		w.lead = -num(1)
		fallthrough
	case "Td":
		w.move(num(0), num(1))
	case "T*":
		w.move(0, -w.lead)
	case "Tm":
		w.tm, w.line = args.matrix(), args.matrix()
	case "'", "\"":
		w.move(0, -w.lead)
		fallthrough
	case "Tj":
		w.show(args.at(len(args) - 1).RawString())
	case "TJ":
		w.showSpaced(args.at(0))
	}
}

func (w *writer) move(x, y float64) {
	w.line = matrix{1, 0, 0, 1, x, y}.mul(w.line)
	w.tm = w.line
}

// showSpaced writes texts, and what stands between them.
func (w *writer) showSpaced(list pdf.Value) {
	for i := range list.Len() {
		if v := list.Index(i); v.Kind() == pdf.String {
			w.show(v.RawString())
		} else {
			w.tm = matrix{1, 0, 0, 1, -v.Float64() / 1000 * w.size, 0}.mul(w.tm)
		}
	}
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// show writes text, after what the way from the last one says: a space, a line, a paragraph.
func (w *writer) show(raw string) {
	if w.font == nil || raw == "" {
		return
	}
	at := w.tm.mul(w.ctm)
	size := math.Max(math.Hypot(at[2], at[3])*math.Abs(w.size), 1e-6)
	text := ligatures.Replace(strings.ToValidUTF8(w.font.enc.Decode(raw), "\ufffd"))
	switch down, gap := math.Abs(at[5]-w.y), at[4]-w.x; {
	case w.text.Len() == 0:
	case down > 2*size:
		w.text.WriteString("\n\n")
	case down > size/2:
		w.text.WriteByte('\n')
	case (gap > size/8 || gap < -size) && !strings.HasPrefix(text, " ") && !strings.HasSuffix(w.text.String(), " "):
		w.text.WriteByte(' ')
	}
	w.text.WriteString(text)
	w.tm = matrix{1, 0, 0, 1, w.font.width(raw)/1000*w.size + w.charSpace*float64(len(raw)) + w.wordSpace*float64(strings.Count(raw, " ")), 0}.mul(w.tm)
	end := w.tm.mul(w.ctm)
	w.x, w.y = end[4], end[5]
}

// font is what is needed of a font: what its codes mean, and how wide they are.
type font struct {
	enc    pdf.TextEncoding
	widths map[int]float64
	other  float64 // of what is not in widths
	bytes  int     // of a code
}

func (w *writer) fontNamed(name string) *font {
	if f := w.fonts[name]; f != nil {
		return f
	}
	p := pdf.Font{V: w.page.fonts.Key(name)}
	checkSize(p.V.Key("ToUnicode"))
	f := &font{enc: p.Encoder(), widths: map[int]float64{}, bytes: 1, other: 500}
	for i, wide := range p.Widths() {
		f.widths[p.FirstChar()+i] = wide
	}
	if below := p.V.Key("DescendantFonts").Index(0); !below.IsNull() {
		f.bytes, f.other = 2, 1000
		list := below.Key("W") // first [widths...], or first last width
		for i := 0; i+1 < list.Len(); {
			first, next := int(list.Index(i).Int64()), list.Index(i+1)
			if next.Kind() == pdf.Array {
				for k := 0; k < next.Len(); k++ {
					f.widths[first+k] = next.Index(k).Float64()
				}
				i += 2
				continue
			}
			for code := max(first, 0); code <= min(int(next.Int64()), 0xffff); code++ {
				f.widths[code] = list.Index(i + 2).Float64()
			}
			i += 3
		}
	}
	w.fonts[name] = f
	return f
}

func (f *font) width(raw string) (sum float64) {
	for i := 0; i+f.bytes <= len(raw); i += f.bytes {
		code := int(raw[i])
		if f.bytes == 2 {
			code = code<<8 | int(raw[i+1])
		}
		if wide, ok := f.widths[code]; ok {
			sum += wide
		} else {
			sum += f.other
		}
	}
	return sum
}
