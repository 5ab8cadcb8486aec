package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

type said struct {
	out, err string
	exit     int
}

func run(t *testing.T, opts *Options, words ...string) said {
	t.Helper()
	w, err := New(opts)
	require.NoError(t, err)
	return runWith(t.Context(), t, w, words...)
}

func runWith(ctx context.Context, t *testing.T, w *Web, words ...string) said {
	t.Helper()
	for _, tool := range w.Tools() {
		if tool.Name == words[0] {
			var out, notes bytes.Buffer
			res := tool.Command(ctx, words[1:], &registry.Call{Dir: t.TempDir(), Stdout: &out, Stderr: &notes})
			return said{out.String(), notes.String(), res.ExitStatus}
		}
	}
	t.Fatal("no such tool")
	return said{}
}

// local lets a test reach its own servers.
func local() *Options { return &Options{Allow: []string{"127.0.0.1"}} }

func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

const article = `<!doctype html><html><head><title>A
 title &amp; more</title><style>p{color:red}</style><script>var secret="script text"</script></head>
<body><h1>Head</h1><p>Some <b>bold</b> text and <a href="../other?a=1&b=2">a link</a>, <a href="javascript:alert(1)">none</a>.</p>
<pre><code class="language-go">func main() {
	if a &lt; b { }
}
</code></pre>
<ul><li>one</li><li>two <code>x</code></li></ul>
<table><tr><th>k</th><th>v</th></tr><tr><td>a</td><td>1</td></tr></table>
<img alt="logo" src="/logo.png"><img src="data:image/png;base64,AAAA">
<noscript>no script</noscript><div hidden>unseen</div><div style="display: none">unseen</div><svg><text>vector</text></svg>
<script>document.write("more script text")</script></body></html>`

func TestHTMLBecomesMarkdown(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "agentbash/1.2", r.UserAgent())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, article)
	})
	opts := local()
	opts.Version = "1.2"
	got := run(t, opts, "web_fetch", "--links", "--url", at+"/dir/page")
	require.Equal(t, 0, got.exit, got.err)
	for _, part := range []string{
		"# Head\n", "Some **bold** text and [a link](" + at + "/other?a=1&b=2)", "```go\nfunc main() {\n\tif a < b { }\n}\n```",
		"- one\n- two `x`", "| k | v |\n", "| a | 1 |\n", "![logo](" + at + "/logo.png)",
	} {
		require.Contains(t, got.out, part)
	}
	for _, part := range []string{"script text", "color:red", "no script", "unseen", "vector", "base64", "javascript"} {
		require.NotContains(t, got.out, part)
	}
	require.Equal(t, fmt.Sprintf("%s/dir/page: text/html, %d bytes; title \"A title & more\"\n", at, len(article)), got.err)
	got = run(t, opts, "web_fetch", "--url", at+"/dir/page")
	require.Contains(t, got.out, "Some **bold** text and a link, none.\n")
	require.Contains(t, got.out, "\nlogo\n")
	require.Contains(t, got.err, "; links of the site left out: 1, --links prints them\n")
}

func TestBodies(t *testing.T) {
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 7, 5))))
	pdf := "%PDF-1.7\n1 0 obj <</Type /Pages /Count 2>> 2 0 obj <</Type /Page>> 3 0 obj <</Type/Page>>\n\x00\xff"
	deep := "<h1>Deep</h1>" + strings.Repeat("<div>", 3000) + "x <b>y</b>" + strings.Repeat("</div>", 3000) + "<script>no()</script><p>z"
	for _, row := range []struct {
		name, kind, body string
		args             []string
		out, err         string
	}{
		{"JSON as it is", "application/json", `{"a": [1, 2]}`, nil, `{"a": [1, 2]}` + "\n", "application/json, 13 bytes"},
		{"JSON by its suffix", "application/vnd.api+json", `{}`, nil, "{}\n", ""},
		{"text as it is", "text/plain", "<b>not HTML</b>\n", nil, "<b>not HTML</b>\n", ""},
		{"markdown as it is", "text/markdown", "# x", nil, "# x\n", ""},
		{"no type, text", "application/octet-stream", "plain words", nil, "plain words\n", ""},
		{"an image", "image/png", picture.String(), nil, fmt.Sprintf("[PNG image, 7x5 pixels, %d bytes]\n", picture.Len()), "described, --raw prints its bytes"},
		{"a broken image", "image/png", "nonsense", nil, "[image/png, 8 bytes]\n", ""},
		{"a broken PDF", "application/pdf", pdf, nil, fmt.Sprintf("[application/pdf, %d bytes]\n", len(pdf)), "its text cannot be read: "},
		{"binary", "application/octet-stream", "a\x00b", nil, "[application/octet-stream, 3 bytes]\n", "not text, --raw prints its bytes"},
		{"raw", "image/png", picture.String(), []string{"--raw"}, picture.String(), ""},
		{"raw HTML", "text/html", "<p>x", []string{"--raw"}, "<p>x", ""},
		{"HTML that nests too deep", "text/html", deep, nil, "# Deep\n\nx y\n\nz\n", ""},
		{"an empty body", "text/html", "", nil, "", "text/html, 0 bytes"},
		{"cut", "text/plain", strings.Repeat("é", 50), []string{"--max_bytes", "9"}, "éééé\xc3\n", "only the first 9 bytes were read: --max_bytes reads more"},
		{"Latin-1 by the header", "text/html; charset=iso-8859-1", "<p>caf\xe9", nil, "café\n", ""},
		{"Latin-1 by its own meta", "text/html", `<meta charset="windows-1252"><p>caf` + "\xe9", nil, "café\n", ""},
		{"Shift JIS", "text/plain; charset=Shift_JIS", "\x93\xfa\x96\x7b", nil, "日本\n", ""},
		{"UTF-16", "text/plain; charset=utf-16le", "h\x00\xe9\x00", nil, "hé\n", ""},
		{"a byte order mark", "text/plain", "\xef\xbb\xbfcafé", nil, "café\n", ""},
		{"it says UTF-8 and is Latin-1", "text/html; charset=utf-8", "<p>caf\xe9", nil, "café\n", "it says utf-8 and is not, read as windows-1252"},
		{"it says Latin-1 and is UTF-8", "text/html; charset=iso-8859-1", "<p>café", nil, "café\n", "it says windows-1252 and is UTF-8"},
		{"a charset that nobody knows", "text/plain; charset=klingon", "café", nil, "café\n", `the charset "klingon" is not known`},
	} {
		t.Run(row.name, func(t *testing.T) {
			at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", row.kind)
				io.WriteString(w, row.body)
			})
			got := run(t, local(), append([]string{"web_fetch", at}, row.args...)...)
			require.Equal(t, 0, got.exit, got.err)
			require.Equal(t, row.out, got.out)
			require.Contains(t, got.err, row.err)
		})
	}
}

func TestFailures(t *testing.T) {
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/drip", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a beginning")
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = w.Write(bytes.Repeat([]byte("again and "), 1000))
		}
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop?x=1", http.StatusFound) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	mux.HandleFunc("/missing", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "<h1>Not here</h1>"+strings.Repeat("<p>long", 1000))
	})
	mux.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "only this")
	})
	mux.HandleFunc("/br", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		io.WriteString(w, "\x0b\x02\x80")
	})
	at := serve(t, mux.ServeHTTP)
	t.Cleanup(func() { close(release) })
	opts := local()
	opts.MaxBytes = 50_000
	for _, row := range []struct {
		name, path string
		args       []string
		exit       int
		out, err   string
	}{
		{"it never answers", "/never", []string{"--timeout", "0.2"}, 124, "", "no answer within 200ms: --timeout waits longer"},
		{"its body never ends in time", "/drip", []string{"--timeout", "0.3"}, 124, "a beginning\n", "the body did not end within 300ms, 11 bytes came"},
		{"a redirect loop", "/loop", nil, 1, "", "more than 10 redirects: it may be a loop"},
		{"a redirect to a file", "/file", nil, 1, "", `the scheme "file" is not http or https`},
		{"an HTTP error", "/missing", nil, 1, "", "# Not here\n"},
		{"an HTTP error's status", "/missing", nil, 1, "", "web_fetch: " + at + "/missing: HTTP 404 Not Found: check the address"},
		{"too many requests", "/busy", nil, 1, "", "HTTP 429 Too Many Requests: try again later, after 30"},
		{"a body that breaks off", "/broken", nil, 1, "only this\n", "the body broke off after 9 bytes"},
		{"an encoding that was not asked for", "/br", nil, 1, "", "encoded as br, which was not asked for"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := run(t, opts, append([]string{"web_fetch", at + row.path}, row.args...)...)
			require.Equal(t, row.exit, got.exit, got.err)
			require.Equal(t, row.out, got.out)
			require.Contains(t, got.err, row.err)
			require.Less(t, len(got.err), 2500)
		})
	}
	got := run(t, opts, "web_fetch", at+"/endless")
	require.Equal(t, 0, got.exit)
	require.Equal(t, 50_001, len(got.out))
	require.Contains(t, got.err, "only the first 50000 bytes were read")
	for _, bad := range []string{"example.com", "ftp://example.com", "file:///etc/passwd", "http://", "http://a b/", "::", ""} {
		got := run(t, opts, "web_fetch", "--url="+bad)
		require.Equal(t, 2, got.exit, bad)
		require.Contains(t, got.err, "https://example.com", bad)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w, err := New(opts)
	require.NoError(t, err)
	cancel()
	require.Equal(t, 130, runWith(ctx, t, w, "web_fetch", at+"/never").exit)
}

// A bomb costs what was asked for, not what it would become.
func TestDecompressionBomb(t *testing.T) {
	var spaces bytes.Buffer
	z := gzip.NewWriter(&spaces)
	z.Write(bytes.Repeat([]byte(" "), 1<<20))
	require.NoError(t, z.Close())
	bomb := bytes.Repeat(spaces.Bytes(), 200) // members of one gzip file
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "gzip", r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		w.Write(bomb)
	})
	got := run(t, local(), "web_fetch", at, "--max_bytes", "100000")
	require.Equal(t, 0, got.exit, got.err)
	require.Equal(t, 100_001, len(got.out))
	require.Contains(t, got.err, "only the first 100000 bytes were read")
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	asked := 0
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) { asked++; io.WriteString(w, "inside") })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(at, "http://"))
	require.NoError(t, err)
	// One that is allowed by name redirects to one that is not.
	door := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, at+"/in", http.StatusFound) })
	_, doorPort, err := net.SplitHostPort(strings.TrimPrefix(door, "http://"))
	require.NoError(t, err)
	opts := &Options{Allow: []string{"localhost:" + doorPort}, Settings: registry.Settings{WebAllow: "allow [ADDRESS]"}}
	for _, row := range []struct{ name, url string }{
		{"by address", at},
		{"by name, after DNS", "http://localhost:" + port},
		{"as a number", "http://2130706433:" + port},
		{"short", "http://127.1:" + port},
		{"unspecified", "http://0.0.0.0:" + port},
		{"mapped", "http://[::ffff:127.0.0.1]:" + port},
		{"after a redirect", "http://localhost:" + doorPort},
		{"metadata", "http://169.254.169.254/latest/meta-data"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := run(t, opts, "web_fetch", row.url)
			require.NotEqual(t, 0, got.exit, got.err)
			require.Empty(t, got.out)
			if row.name != "as a number" && row.name != "short" { // resolvers may know no such host
				require.Equal(t, 126, got.exit, got.err)
				require.Contains(t, got.err, `is not a public address, and was not fetched: if it is meant, allow ["`)
			}
		})
	}
	require.Zero(t, asked)
	require.Equal(t, "inside\n", run(t, &Options{Allow: []string{"localhost:" + port}}, "web_fetch", "http://localhost:"+port).out)
	_, err = New(&Options{Allow: []string{"http://x"}})
	require.ErrorContains(t, err, "web_fetch: allow: ")
}

// What was allowed is one host: another one, also behind another port, is named and not asked.
func TestRedirects(t *testing.T) {
	asked := 0
	other := serve(t, func(http.ResponseWriter, *http.Request) { asked++ })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(other, "http://"))
	require.NoError(t, err)
	mux := http.NewServeMux()
	for path, to := range map[string]string{"/port": other + "/x?a=1&b=2", "/name": "http://localhost:" + port + "/", "/user": "http://u:secret@localhost:" + port + "/", "/twice": "/port", "/here": "/end"} {
		mux.Handle(path, http.RedirectHandler(to, http.StatusFound))
	}
	mux.HandleFunc("/end", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "end") })
	at := serve(t, mux.ServeHTTP)
	opts := &Options{Allow: []string{"127.0.0.0/8", "localhost"}}
	require.Equal(t, "end\n", run(t, opts, "web_fetch", at+"/here").out)
	for path, next := range map[string]string{"/port": "'" + other + "/x?a=1&b=2'", "/name": "http://localhost:" + port + "/", "/user": "http://u:xxxxx@localhost:" + port + "/", "/twice": "'" + other + "/x?a=1&b=2'"} {
		got := run(t, opts, "web_fetch", at+path)
		require.Equal(t, 1, got.exit, path)
		require.Contains(t, got.err, "a redirect to another host is not followed: if it is meant, web_fetch "+next+"\n", path)
		require.NotContains(t, got.err, "secret")
	}
	require.Zero(t, asked)

	w := &Web{}
	for from, follows := range map[string]bool{"http://example.com/": true, "http://EXAMPLE.com:80/": true, "https://example.com:443/": true, "http://www.example.com/": false, "http://example.com:8080/": false} {
		first, err := http.NewRequest(http.MethodGet, from, nil)
		require.NoError(t, err)
		next, err := http.NewRequest(http.MethodGet, "https://example.com/x", nil)
		require.NoError(t, err)
		require.Equal(t, follows, w.checkRedirect(next, []*http.Request{first}) == nil, from)
	}
}

func TestProxy(t *testing.T) {
	var asked []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "by proxy")
	})
	opts := &Options{Lookup: func(name string) (string, bool) {
		return proxy, name == "http_proxy"
	}}
	require.Equal(t, "by proxy\n", run(t, opts, "web_fetch", "http://does-not-exist.invalid/x").out)
	got := run(t, opts, "web_fetch", "http://10.0.0.1/private")
	require.Equal(t, 126, got.exit, got.err)
	require.Equal(t, []string{"http://does-not-exist.invalid/x"}, asked)
}
