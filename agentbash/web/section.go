package web

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// sectionError says that a page has no such section.
type sectionError struct {
	name string
	all  []string
}

func (e *sectionError) Error() string {
	if len(e.all) == 0 {
		return fmt.Sprintf("there is no section %q, nor any heading: leave --section out", e.name)
	}
	return fmt.Sprintf("there is no section %q: there are %s", e.name, listSections(e.all))
}

// maxSections bounds how many sections are named.
const maxSections = 40

func listSections(all []string) string {
	more := ""
	if len(all) > maxSections {
		more = fmt.Sprintf(" and %d more", len(all)-maxSections)
	}
	return strings.Join(all[:min(len(all), maxSections)], "; ") + more
}

// headingLevel is 1 to 6, or 0 for what is no heading.
func headingLevel(n *html.Node) int {
	if n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
		return int(n.Data[1] - '0')
	}
	return 0
}

func headings(n *html.Node) (all []*html.Node) {
	for e := range elements(n) {
		if headingLevel(e) > 0 && hasWord(textOf(e)) {
			all = append(all, e)
		}
	}
	return all
}

// findSection is the part of a page that an anchor or a heading names, or nil.
func findSection(root *html.Node, name string) *html.Node {
	name = strings.TrimSpace(strings.TrimPrefix(name, "#"))
	at := first(root, func(n *html.Node) bool { return attr(n, "id") == name || n.Data == "a" && attr(n, "name") == name })
	all, low := headings(root), strings.ToLower(name)
	for _, is := range []func(text string) bool{
		func(text string) bool { return strings.TrimRight(text, " ¶§#") == low },
		func(text string) bool { return strings.Contains(text, low) },
	} {
		if i := slices.IndexFunc(all, func(h *html.Node) bool { return is(strings.ToLower(textOf(h))) }); at == nil && i >= 0 {
			at = all[i]
		}
	}
	if at == nil {
		return nil
	}
	return cut(root, subject(root, at))
}

// subject is the element that an anchor is about: a mark in a heading is about the
// heading, an empty one about what follows.
func subject(root, n *html.Node) *html.Node {
	for n != root && headingLevel(n) == 0 && n.Data != "dt" {
		switch {
		case textOf(n) == "" && following(root, n) != nil:
			n = following(root, n)
		case n.Data == "a" || n.Data == "span" || n.Data == "code" || n.Parent.Data == "summary" || n.Data == "summary":
			n = n.Parent
		default:
			return n
		}
	}
	return n
}

// following is the element after a node and all that is in it.
func following(root, n *html.Node) *html.Node {
	for ; n != nil && n != root; n = n.Parent {
		for s := n.NextSibling; s != nil; s = s.NextSibling {
			if s.Type == html.ElementNode {
				return s
			}
		}
	}
	return nil
}

// cut takes out of a page an element with what belongs to it: to a heading all until the
// next of its level, to a term its description.
func cut(root, n *html.Node) *html.Node {
	level, wrapper := headingLevel(n), &html.Node{Type: html.ElementNode, Data: "div"}
	var ends func(next *html.Node) bool
	switch {
	case level > 0:
		for n.Parent != root && textOf(n.Parent) == textOf(n) {
			n = n.Parent
		}
		ends = func(next *html.Node) bool {
			return first(next, func(e *html.Node) bool { l := headingLevel(e); return l > 0 && l <= level }) != nil
		}
	case n.Data == "dt":
		wrapper.Data = "dl"
		described, list := false, n.Parent
		ends = func(next *html.Node) bool {
			described = described || next.Data == "dd"
			return next.Parent != list || described && next.Data == "dt"
		}
	default:
		return n
	}
	parts := []*html.Node{n}
	for next := following(root, n); next != nil && !ends(next); next = following(root, next) {
		parts = append(parts, next)
	}
	for _, p := range parts {
		p.Parent.RemoveChild(p)
		wrapper.AppendChild(p)
	}
	return wrapper
}
