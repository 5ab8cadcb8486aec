package web

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"
)

var (
	// unseen are elements of which a reader sees nothing, or nothing that is text.
	unseen = setOf("script style template svg noscript iframe object embed canvas video audio map")

	// frame are the elements and roles that are around what a page is about.
	frame = setOf("nav footer aside dialog button input select textarea menu " +
		"navigation complementary contentinfo search alertdialog menubar toolbar tooltip")

	// blocks are what menus are made of.
	blocks = setOf("div ul ol dl table section p")

	// notice is what cookie notices are called, and remark what asides are called that
	// belong to the text.
	notice = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(cookie|consent|gdpr)[-_]*(banner|notice|consent|bar|popup|law|message|warning|overlay|modal|dialog|wall)|onetrust`)
	})
	remark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)note|tip|caution|danger|warning|admonition|important`)
	})
)

// Readability takes seconds for pages that are bigger.
const (
	maxElements = 50_000
	maxProse    = 1 << 20
)

// minProse is how much text makes a page more than a list of links, in bytes.
const minProse = 140

// mainContent is what a page is about, without its frame: what it says so itself,
// else the body without the menus that readability leaves out.
func mainContent(doc *html.Node, from *url.URL) *html.Node {
	body := first(doc, isTag("body"))
	if body == nil {
		return doc
	}
	if main := longest(body, func(n *html.Node) bool { return n.Data == "main" || attr(n, "role") == "main" }); main != nil {
		clean(main, true)
		return main
	}
	clean(body, true)
	sizes := map[*html.Node]size{}
	measure(body, sizes)
	if a := longest(body, isTag("article")); a != nil && sizes[a].prose*2 >= sizes[body].prose {
		return a
	}
	if sizes[body].prose < minProse { // the links are what it is about
		return body
	}
	const mark = "data-mark"
	var marked []*html.Node
	for e := range elements(body) {
		e.Attr = append(e.Attr, html.Attribute{Key: mark, Val: strconv.Itoa(len(marked))})
		marked = append(marked, e)
	}
	kept := map[*html.Node]bool{}
	if len(marked) < maxElements && sizes[body].all < maxProse {
		r, err := readability.FromDocument(doc, from)
		if err != nil || r.Node == nil {
			return body
		}
		for e := range elements(r.Node) {
			if i, err := strconv.Atoi(attr(e, mark)); err == nil {
				for n := marked[i]; n != nil && !kept[n]; n = n.Parent {
					kept[n] = true
				}
			}
		}
	}
	dropMenus(body, kept, sizes)
	return body
}

// dropMenus takes out what is mostly links, unless it is kept: what readability
// itself makes of a page lacks cells and paragraphs that are text.
func dropMenus(n *html.Node, kept map[*html.Node]bool, sizes map[*html.Node]size) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode {
			if !kept[child] && blocks[child.Data] && sizes[child].prose*2 < sizes[child].all {
				n.RemoveChild(child)
			} else {
				dropMenus(child, kept, sizes)
			}
		}
		child = next
	}
}

// longest is the element of those meant that has the most text, or nil.
func longest(n *html.Node, is func(*html.Node) bool) (best *html.Node) {
	most := 0
	for e := range elements(n) {
		if is(e) {
			if long := len(textOf(e)); long > most {
				best, most = e, long
			}
		}
	}
	return best
}

// clean takes out of a node what a reader does not see, and with frames those too.
func clean(n *html.Node, frames bool) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode {
			if isHidden(child) || frames && isFrame(child) {
				n.RemoveChild(child)
			} else {
				clean(child, frames)
			}
		}
		child = next
	}
}

func isHidden(n *html.Node) bool {
	if unseen[n.Data] || attr(n, "aria-hidden") == "true" {
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return a.Val != "until-found"
		case "style":
			if strings.Contains(strings.ReplaceAll(strings.ToLower(a.Val), " ", ""), "display:none") {
				return true
			}
		}
	}
	return false
}

func isFrame(n *html.Node) bool {
	names := attr(n, "class") + " " + attr(n, "id")
	switch role := attr(n, "role"); {
	case n.Data == "header", role == "banner":
		return first(n, isTag("h1")) == nil
	case n.Data == "aside" && remark().MatchString(names):
		return false
	case frame[n.Data], frame[role], notice().MatchString(names):
		return true
	}
	return false
}

// measure counts the text below a node, in bytes, and that of it which is no link, for all
// its elements.
func measure(n *html.Node, into map[*html.Node]size) (sum size) {
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode {
			long := len(strings.TrimSpace(c.Data))
			sum.all, sum.prose = sum.all+long, sum.prose+long
			continue
		}
		below := measure(c, into)
		sum.all += below.all
		if c.Data != "a" {
			sum.prose += below.prose
		}
	}
	into[n] = sum
	return sum
}

type size struct{ all, prose int }
