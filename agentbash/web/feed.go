package web

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"
)

// feedMarkdown is an RSS, Atom or JSON feed as Markdown: of each item title, link, time and
// text. ok says whether it is one.
func (p *page) feedMarkdown(text []byte) (md []byte, ok bool) {
	if kind := p.kind(); !strings.HasSuffix(kind, "xml") && kind != "application/feed+json" {
		return nil, false
	}
	if gofeed.DetectFeedType(bytes.NewReader(text)) == gofeed.FeedTypeUnknown {
		return nil, false
	}
	feed, err := gofeed.NewParser().Parse(bytes.NewReader(text))
	if err != nil {
		return nil, false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", cmp.Or(strings.TrimSpace(feed.Title), p.url.Host))
	if feed.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", p.fragment(feed.Description))
	}
	for _, item := range feed.Items {
		fmt.Fprintf(&b, "\n## %s\n\n", cmp.Or(strings.TrimSpace(item.Title), "(no title)"))
		for _, line := range []string{item.Link, cmp.Or(item.Published, item.Updated)} {
			if line != "" {
				b.WriteString(line + "\n")
			}
		}
		if text := p.fragment(cmp.Or(item.Content, item.Description)); text != "" {
			b.WriteString("\n" + text + "\n")
		}
	}
	return []byte(b.String()), true
}

// fragment is a piece of HTML as Markdown.
func (p *page) fragment(text string) string {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return strings.TrimSpace(text)
	}
	clean(doc, true)
	l := linker{base: p.url, all: true}
	l.rewrite(doc)
	md, err := toMarkdown(doc)
	if err != nil {
		return strings.TrimSpace(text)
	}
	return string(bytes.TrimSpace(md))
}
