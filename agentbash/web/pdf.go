package web

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/pdftext"
)

// pdfText is the text of a PDF document, a form feed between two pages; "" where there is none. note
// is what is to be said about it.
func (p *page) pdfText(ctx context.Context) (text, note string) {
	d, err := pdftext.Open(p.body, ctx.Err)
	if err != nil {
		return "", fmt.Sprintf("its text cannot be read: %v", err)
	}
	var b strings.Builder
	broken := 0
	for n := 1; n <= d.Pages() && int64(b.Len()) < maxText; n++ {
		page, err := d.Page(n)
		if err != nil {
			broken++
		}
		if n > 1 {
			b.WriteString("\f")
		}
		b.WriteString(page + "\n")
	}
	note = fmt.Sprintf("pages: %d", d.Pages())
	if broken > 0 {
		note += fmt.Sprintf(", %d of which cannot be read", broken)
	}
	if strings.Trim(b.String(), "\f\n") == "" {
		return "", note + ", without text"
	}
	return b.String(), note
}

// maxText bounds the text of one document, in bytes.
const maxText = 16 << 20
