package web

import (
	"iter"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// elements are a node, if it is one, and all elements below it, in their order.
func elements(n *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		if n.Type == html.ElementNode && !yield(n) {
			return
		}
		for d := range n.Descendants() {
			if d.Type == html.ElementNode && !yield(d) {
				return
			}
		}
	}
}

// first is the first element that is meant, or nil.
func first(n *html.Node, is func(*html.Node) bool) *html.Node {
	for e := range elements(n) {
		if is(e) {
			return e
		}
	}
	return nil
}

func isTag(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == name }
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func setAttr(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
		}
	}
}

// textOf is the text below a node, in one line.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// unwrap puts what is in an element in its place.
func unwrap(n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		n.Parent.InsertBefore(c, n)
	}
	n.Parent.RemoveChild(n)
}
