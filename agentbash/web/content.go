package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
	htmlcharset "golang.org/x/net/html/charset"
)

// content is the page as it is printed, and what is to be said about it.
func (p *page) content(ctx context.Context) (out []byte, about []string, err error) {
	kind := p.kind()
	about = append(about, fmt.Sprintf("%s, %d bytes", kind, len(p.body)))
	if enc := p.header.Get("Content-Encoding"); enc != "" && !p.raw {
		return nil, nil, fmt.Errorf("the body is encoded as %s, which was not asked for: --raw prints its bytes", enc)
	}
	switch {
	case p.section != "" && !p.isHTML():
		return nil, nil, fmt.Errorf("it is %s, and --section is for HTML: leave it out", kind)
	case p.raw:
		return p.body, about, nil
	case kind == "application/pdf":
		text, note := p.pdfText(ctx)
		if about = append(about, note); text != "" {
			return []byte(text), about, nil
		}
		return p.described(kind), append(about, "described, --raw prints its bytes"), nil
	case strings.HasPrefix(kind, "image/") && kind != "image/svg+xml":
		return p.described(kind), append(about, "described, --raw prints its bytes"), nil
	case !isText(kind, p.body):
		return p.described(kind), append(about, "not text, --raw prints its bytes"), nil
	}
	text, note := decodeBody(p.body, p.header.Get("Content-Type"), p.more)
	if note != "" {
		about = append(about, note)
	}
	if !p.isHTML() {
		if md, ok := p.feedMarkdown(text); ok {
			return endLine(md), append(about, "feed"), nil
		}
		return endLine(text), about, nil
	}
	d, err := pageDocument(text, p.url, p.links, p.section)
	if err != nil {
		return nil, nil, err
	}
	return endLine(d.markdown), append(about, d.notes(p.section == "")...), nil
}

// notes are what is to be said about the document; whole: it is no section of one.
func (d *document) notes(whole bool) (about []string) {
	if d.title != "" {
		about = append(about, fmt.Sprintf("title %q", d.title))
	}
	if d.left > 0 {
		about = append(about, fmt.Sprintf("links of the site left out: %d, --links prints them", d.left))
	}
	if whole && len(d.markdown) > longPage && len(d.sections) > 1 {
		about = append(about, "long: --section NAME prints one of "+listSections(d.sections))
	}
	return about
}

// longPage is from how many bytes on the sections of a page are named.
const longPage = 20_000

func endLine(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

func (p *page) isHTML() bool {
	kind := p.kind()
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// isText reports whether a body can be shown: by its type, or, where that says
// nothing, by what it holds.
func isText(kind string, body []byte) bool {
	switch {
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"):
		return true
	}
	switch kind {
	case "application/json", "application/xml", "application/xhtml+xml", "application/javascript", "application/ecmascript",
		"application/x-ndjson", "application/yaml", "application/x-yaml", "application/toml", "application/sql", "application/graphql", "application/x-sh":
		return true
	}
	head := body[:min(len(body), 8000)]
	return bytes.IndexByte(head, 0) < 0 && charset.InvalidAt(head, true) < 0
}

// decodeBody makes UTF-8 of a body by what its type, its byte order mark or its
// own <meta> say, unless the bytes say otherwise.
func decodeBody(body []byte, contentType string, cut bool) (text []byte, note string) {
	enc, name, _ := htmlcharset.DetermineEncoding(body, contentType)
	isUTF8, ascii := charset.InvalidAt(body, cut) < 0, bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		if known, _ := htmlcharset.Lookup(params["charset"]); known == nil {
			note = fmt.Sprintf("the charset %q is not known", params["charset"])
		}
	}
	switch {
	case isUTF8 && (name == "utf-8" || ascii && !strings.HasPrefix(name, "utf-16") && name != "iso-2022-jp"):
		return bytes.TrimPrefix(body, []byte("\ufeff")), note
	case isUTF8 && !ascii && (strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "iso-8859-")):
		return body, cmp.Or(note, "it says "+name+" and is UTF-8")
	case name == "utf-8":
		enc, _ = htmlcharset.Lookup("windows-1252")
		note = cmp.Or(note, "it says utf-8 and is not, read as windows-1252")
	}
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		return []byte(strings.ToValidUTF8(string(body), "\ufffd")), fmt.Sprintf("it cannot be read as %s: %v", name, err)
	}
	return bytes.TrimPrefix(out, []byte("\ufeff")), note
}

// described says what a body is that is not shown.
func (p *page) described(kind string) []byte {
	size := fmt.Sprintf("%d bytes", len(p.body))
	if p.more {
		size = fmt.Sprintf("more than %d bytes", p.most)
	}
	what := kind
	if c, format, err := image.DecodeConfig(bytes.NewReader(p.body)); err == nil {
		what = fmt.Sprintf("%s image, %dx%d pixels", strings.ToUpper(format), c.Width, c.Height)
	}
	return fmt.Appendf(nil, "[%s, %s]\n", what, size)
}
