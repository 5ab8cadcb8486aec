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

// pageMarkdown converts a page. Links are made absolute by where it came from.
func pageMarkdown(text []byte, from *url.URL) (md []byte, title string, err error) {
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, "", err
	}
	c := cleaner{base: from}
	c.clean(doc)
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)), strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
	md, err = conv.ConvertNode(doc)
	return md, strings.Join(strings.Fields(c.title), " "), err
}

// cleaner takes out of a page what a reader does not see, and makes its links
// absolute. The parser bounds how deep a page nests.
type cleaner struct {
	base  *url.URL
	title string
}

func (c *cleaner) clean(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode && c.drops(child) {
			n.RemoveChild(child)
		} else {
			c.clean(child)
		}
		child = next
	}
}

// drops reports whether an element goes, and puts right the links of one that stays.
func (c *cleaner) drops(n *html.Node) bool {
	switch n.Data {
	case "script", "style", "template", "svg", "noscript", "iframe", "object", "embed", "canvas":
		return true
	case "title":
		if c.title == "" && n.FirstChild != nil {
			c.title = n.FirstChild.Data
		}
	case "base":
		if u, err := c.base.Parse(nodeAttr(n, "href")); err == nil && nodeAttr(n, "href") != "" {
			c.base = u
		}
	case "img":
		if strings.HasPrefix(nodeAttr(n, "src"), "data:") {
			return true
		}
	}
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "hidden":
			return a.Val != "until-found"
		case "style":
			if strings.Contains(strings.ReplaceAll(strings.ToLower(a.Val), " ", ""), "display:none") {
				return true
			}
		case "href", "src":
			a.Val = c.absolute(a.Val)
		}
	}
	return false
}

func (c *cleaner) absolute(ref string) string {
	u, err := c.base.Parse(strings.TrimSpace(ref))
	switch {
	case err != nil:
		return ref
	case u.Scheme == "javascript" || u.Scheme == "data":
		return ""
	}
	return u.String()
}

func nodeAttr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
