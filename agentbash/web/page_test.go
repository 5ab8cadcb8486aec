package web

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// menu is a frame that is longer than what a page is about.
var menu = strings.Repeat(`<ul class="toc"><li><a href="/other.html">Another page of the site</a></li></ul>`, 200)

const text = `<h1>Vectors<a class="headerlink" href="#vectors">¶</a></h1><p>A growable array, see <a href="/slice.html">slices</a> and
<a href="https://example.org/spec">the specification</a>.</p><button>Copy</button><pre><code class="language-c">a = 1;</code></pre>
<aside>Buy something</aside><aside class="note">Mind the capacity.</aside><nav>On this page</nav>
<h2 id="push">Pushing</h2><p>Adds <em>one</em>.</p><h3>Panics</h3><p>Never.</p>
<div class="heading"><h2>Popping</h2><a href="#popping">#</a></div><p>Takes one.</p>
<dl><dt id="len">len()</dt><dd>How many.</dd><dt id="cap">cap()</dt><dd>How much room.</dd></dl>
<h2>Tables</h2><table><tr><th>k</th></tr><tr><td><a href="/x">a</a></td></tr></table>`

const asMarkdown = "# Vectors\n\nA growable array, see slices and [the specification](https://example.org/spec).\n\n```c\na = 1;\n```\n\nMind the capacity.\n\n## Pushing\n\nAdds *one*.\n\n### Panics\n\nNever.\n\n## Popping\n\nTakes one.\n\nlen()\n\nHow many.\n\ncap()\n\nHow much room.\n\n## Tables\n\n| k |\n|---|\n| a |\n"

// What pages of documentation have around their text goes, however they say which part the text is.
func TestTheFrameGoes(t *testing.T) {
	cookies := `<div id="cookie-banner"><p>We value your privacy. Accept all.</p></div>`
	for name, page := range map[string]string{
		"main":             `<header><a href="/">Home</a></header><nav>` + menu + `</nav>` + cookies + `<main>` + text + `<footer>Made by</footer></main><footer>Imprint</footer>`,
		"role main":        `<div class="related" role="navigation">` + menu + `</div><div class="body" role="main">` + text + `</div><div role="contentinfo">Imprint</div>`,
		"an article":       `<div>` + menu + `</div><article>` + text + `</article><div>` + menu + `</div>`,
		"divs":             `<div class="top">` + menu + `</div><div><div>` + text + strings.Repeat("<p></p>", 3) + `</div></div>` + cookies + `<div>` + menu + `</div>`,
		"a main, no words": `<main></main><div>` + menu + `</div><div>` + text + `</div>`,
		"two mains":        `<main hidden>loading</main>` + menu + `<main>` + text + `</main>`,
		"a header's title": `<nav>` + menu + `</nav><article><header>` + strings.Replace(text, "</h1>", "</h1></header>", 1) + `</article>`,
	} {
		t.Run(name, func(t *testing.T) {
			at := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html><body>"+page) })
			got := run(t, local(), "web_fetch", at)
			require.Equal(t, 0, got.exit, got.err)
			require.Equal(t, asMarkdown, got.out)
		})
	}
}

// A page of links, or one that is all frame, is not left empty.
func TestNoPageIsLeftEmpty(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	got := run(t, local(), "web_fetch", serve(t, http.FileServer(http.Dir(dir)).ServeHTTP))
	require.Contains(t, got.out, "a.txt\nb.txt\n")
	require.Contains(t, got.err, "links of the site left out: 2, --links prints them")
	for _, page := range []string{"<header>Welcome", "<form><button>Send", "<aside><p>Only this</p></aside>", strings.Repeat("<ul><li><a href=/x>link</a></li></ul>", 60_000)} {
		got := run(t, local(), "web_fetch", serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html>"+page) }))
		require.NotEmpty(t, strings.TrimSpace(got.out), page[:10])
	}
}

// What readability leaves out and is text stays, with each of its words.
func TestTextThatReadabilityLeavesOutStays(t *testing.T) {
	page := "<div>" + strings.Repeat("<p>A long paragraph, with commas, that is what the page is about.</p>", 20) + "</div>" +
		`<div class="sidebar comment">See <b><a href="/x">this</a></b> and <i><a href="/y">that</a></i>, too.</div><div class="sidebar">` + menu + `</div>`
	got := run(t, local(), "web_fetch", serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html><body>"+page) }))
	require.True(t, strings.HasSuffix(got.out, "about.\n\nSee **this** and *that*, too.\n"), got.out)
}

func TestSections(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<nav>"+menu+"</nav><main>"+text+"</main>")
	})
	for name, want := range map[string]string{
		"push": "## Pushing\n\nAdds *one*.\n\n### Panics\n\nNever.\n", "#push": "## Pushing\n\nAdds *one*.\n\n### Panics\n\nNever.\n", "panics": "### Panics\n\nNever.\n",
		"len": "len()\n\nHow many.\n", "cap": "cap()\n\nHow much room.\n", "pop": "## Popping\n\nTakes one.\n\nlen()\n\nHow many.\n\ncap()\n\nHow much room.\n", "Vectors": asMarkdown,
	} {
		require.Equal(t, want, run(t, local(), "web_fetch", at, "--section", name).out, name)
	}
	got := run(t, local(), "web_fetch", at, "--section", "nothing")
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, `there is no section "nothing": there are Vectors; Pushing; Panics; Popping; Tables`)
	at = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<p>"+strings.Repeat("long ", 5000)+text)
	})
	require.Contains(t, run(t, local(), "web_fetch", at).err, "long: --section NAME prints one of Vectors; Pushing;")
}

// Of real pages of newspapers, blogs and encyclopedias (Mozilla's collection for readability) hardly a
// word is lost that Mozilla's own program keeps.
func TestRealPages(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "codeberg.org/readeck/go-readability").Output()
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "test-pages", "*", "source.html"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 100)
	from, _ := url.Parse("http://fakehost/page")
	words := func(s string) []string {
		return strings.Fields(strings.NewReplacer("\\", "", "*", "", "_", "", "`", "", "|", " ").Replace(s))
	}
	for i := 0; i < len(pages); i += 4 {
		name := filepath.Base(filepath.Dir(pages[i]))
		source, err := os.ReadFile(pages[i])
		require.NoError(t, err)
		d, err := pageDocument(source, from, false, "")
		require.NoError(t, err, name)
		expected, err := os.ReadFile(filepath.Join(filepath.Dir(pages[i]), "expected.html"))
		require.NoError(t, err)
		doc, err := html.Parse(bytes.NewReader(expected))
		require.NoError(t, err)
		want, have, lost := words(textOf(doc)), setOf(strings.Join(words(string(d.markdown)), " ")), 0
		for _, w := range want {
			if !have[w] {
				lost++
			}
		}
		require.LessOrEqual(t, lost*100, 15*len(want), "%s: %d of %d words are lost", name, lost, len(want))
	}
}

func TestDocuments(t *testing.T) {
	pdf, err := os.ReadFile("../internal/pdftext/testdata/nop.pdf")
	require.NoError(t, err)
	const rss = `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News</title><link>https://example.org/</link><description>All of it</description>
<item><title>One &amp; only</title><link>https://example.org/1</link><pubDate>Mon, 02 Jan 2006 15:04:05 GMT</pubDate><description>&lt;p&gt;It is &lt;b&gt;here&lt;/b&gt;.&lt;/p&gt;</description></item><item><description>No title</description></item></channel></rss>`
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><title>One</title><link href="https://example.org/1"/><updated>2026-01-02T03:04:05Z</updated><content type="html">It is &lt;i&gt;here&lt;/i&gt;.</content></entry></feed>`
	for _, row := range []struct{ name, kind, body, want, says string }{
		{"RSS", "application/rss+xml", rss, "# News\n\nAll of it\n\n## One & only\n\nhttps://example.org/1\nMon, 02 Jan 2006 15:04:05 GMT\n\nIt is **here**.\n\n## (no title)\n\n\nNo title\n", "; feed"},
		{"Atom", "text/xml; charset=utf-8", atom, "# News\n\n## One\n\nhttps://example.org/1\n2026-01-02T03:04:05Z\n\nIt is *here*.\n", "; feed"},
		{"XML that is no feed", "text/xml", "<a/>", "<a/>\n", "text/xml, 4 bytes"},
		{"a PDF", "application/pdf", string(pdf), "NOP(1) General Commands Manual NOP(1)\n\nNAME\nnop − pretty-print graph file\n", "; pages: 1\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", row.kind)
				io.WriteString(w, row.body)
			})
			got := run(t, local(), "web_fetch", at)
			require.Equal(t, 0, got.exit, got.err)
			require.True(t, strings.HasPrefix(got.out, row.want), got.out)
			require.Contains(t, got.err, row.says)
			require.Equal(t, row.body, run(t, local(), "web_fetch", at, "--raw").out)
			got = run(t, local(), "web_fetch", at, "--section", "x")
			require.Contains(t, got.err, "and --section is for HTML: leave it out")
		})
	}
}

// A page is asked for once, data each time, and an error, a part or what is not to be stored is not kept.
func TestPagesAreKept(t *testing.T) {
	asked := map[string]int{}
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		switch r.URL.Path {
		case "/data":
			w.Header().Set("Content-Type", "application/json")
		case "/secret":
			w.Header().Set("Cache-Control", "private, no-store")
		case "/error":
			w.WriteHeader(http.StatusInternalServerError)
		}
		io.WriteString(w, "<!doctype html><p>a page</p>")
	})
	w, err := New(local())
	require.NoError(t, err)
	for range 3 {
		for _, line := range [][]string{{"/page"}, {"/page#part"}, {"/data"}, {"/secret"}, {"/error"}, {"/part", "--max_bytes", "20"}, {"/again", "--fresh"}} {
			runWith(t.Context(), t, w, append([]string{"web_fetch", at + line[0]}, line[1:]...)...)
		}
	}
	require.Equal(t, map[string]int{"/page": 1, "/data": 3, "/secret": 3, "/error": 3, "/part": 3, "/again": 3}, asked)
	got := runWith(t.Context(), t, w, "web_fetch", at+"/page")
	require.Equal(t, "a page\n", got.out)
	require.Regexp(t, `kept since \d+s ago, --fresh asks again`, got.err)
	require.Contains(t, runWith(t.Context(), t, w, "web_fetch", at+"/page", "--max_bytes", "9").err, "only the first 9 bytes were read")
	require.Equal(t, 2, asked["/page"])
}

func TestKeptPagesAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c cache
		p := page{status: 200, header: http.Header{"Content-Type": {"text/html"}}, body: make([]byte, maxKept/2)}
		c.keep("a", p)
		c.keep("a", p)
		c.keep("b", p)
		require.Equal(t, maxKept, c.size)
		time.Sleep(keepPages) // of the bubble's clock
		_, _, ok := c.find("a", maxKept)
		require.True(t, ok)
		time.Sleep(time.Nanosecond)
		_, _, ok = c.find("a", maxKept)
		require.False(t, ok)
		require.Zero(t, c.size)
		for _, name := range []string{"c", "d", "e"} {
			c.keep(name, p)
		}
		require.Equal(t, maxKept/2, c.size)
	})
}
