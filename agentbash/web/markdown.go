package web

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// document is a page as Markdown.
type document struct {
	markdown []byte
	title    string
	sections []string // its headings
	left     int      // links that were left out
}

// pageDocument converts a page that came from a URL: with all its links or without
// those of its own site, and one section of it alone if that has a name.
func pageDocument(text []byte, from *url.URL, links bool, name string) (d document, err error) {
	doc, err := parsePage(text)
	if err != nil {
		return d, err
	}
	if t := first(doc, isTag("title")); t != nil {
		d.title = textOf(t)
	}
	l := linker{base: from, all: links}
	if b := first(doc, isTag("base")); b != nil {
		if u, err := from.Parse(attr(b, "href")); err == nil && attr(b, "href") != "" {
			l.base = u
		}
	}
	root := mainContent(doc, from)
	if !hasWord(textOf(root)) { // all of it looked like a frame
		if root, err = parsePage(text); err != nil {
			return d, err
		}
		clean(root, false)
	}
	for _, h := range headings(root) {
		d.sections = append(d.sections, strings.TrimRight(textOf(h), " ¶§#"))
	}
	if name != "" {
		if root = findSection(root, name); root == nil {
			return d, &sectionError{name, d.sections}
		}
	}
	l.rewrite(root)
	d.left = l.left
	if d.markdown, err = toMarkdown(root); err != nil {
		return d, err
	}
	if name == "" && d.title != "" && first(root, isTag("h1")) == nil && len(d.markdown) > 0 {
		d.markdown = append([]byte("# "+d.title+"\n\n"), d.markdown...)
	}
	return d, nil
}

func parsePage(text []byte) (*html.Node, error) {
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil { // it nests too deep
		doc, err = html.Parse(bytes.NewReader(flatten(text)))
	}
	return doc, err
}

func toMarkdown(n *html.Node) ([]byte, error) {
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)), strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
	return conv.ConvertNode(n)
}

// maxDepth is below what the parser takes (512, with what it adds itself).
const maxDepth = 400

// flatten takes the tags off what nests deeper than the parser goes.
func flatten(text []byte) []byte {
	var out bytes.Buffer
	z, depth := html.NewTokenizer(bytes.NewReader(text)), 0
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return out.Bytes()
		case html.StartTagToken, html.EndTagToken:
			raw := bytes.Clone(z.Raw())
			tag, _ := z.TagName()
			if unseen[string(tag)] || voidTags[string(tag)] {
				out.Write(raw)
				continue
			}
			if kind == html.StartTagToken {
				depth++
			}
			if depth <= maxDepth {
				out.Write(raw)
			}
			if kind == html.EndTagToken {
				depth = max(depth-1, 0)
			}
		default:
			out.Write(z.Raw())
		}
	}
}

var voidTags = setOf("area base br col hr img input link meta source track wbr")

// linker puts right the links of what is printed.
type linker struct {
	base *url.URL
	all  bool
	left int
}

// longLink is from how many bytes on an address is no reader's.
const longLink = 300

// rewrite makes links absolute. Permanent links to headings go; of links within the
// site, very long ones and pictures the words stay, unless all are wanted.
func (l *linker) rewrite(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		l.rewrite(child)
		switch {
		case child.Type != html.ElementNode:
		case child.Data == "a":
			l.link(child)
		case child.Data == "img":
			if src := attr(child, "src"); l.all && src != "" && !strings.HasPrefix(src, "data:") {
				setAttr(child, "src", l.absolute(src))
			} else {
				n.InsertBefore(&html.Node{Type: html.TextNode, Data: attr(child, "alt")}, child)
				n.RemoveChild(child)
			}
		}
		child = next
	}
}

func (l *linker) link(a *html.Node) {
	ref := strings.TrimSpace(attr(a, "href"))
	to, err := l.base.Parse(ref)
	switch inPage := strings.HasPrefix(ref, "#"); {
	case ref == "" || err != nil || to.Scheme == "javascript" || to.Scheme == "data":
		unwrap(a)
	case inPage && !hasWord(textOf(a)): // ¶
		a.Parent.RemoveChild(a)
	case !l.all && strings.EqualFold(strings.TrimPrefix(to.Hostname(), "www."), strings.TrimPrefix(l.base.Hostname(), "www.")), !l.all && len(ref) > longLink:
		if !inPage {
			l.left++
		}
		unwrap(a)
	case !inPage:
		setAttr(a, "href", to.String())
	}
}

func (l *linker) absolute(ref string) string {
	if u, err := l.base.Parse(strings.TrimSpace(ref)); err == nil {
		return u.String()
	}
	return ref
}
