package network

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tools are real programs that fetch something from a.example, each with a script, and
// a word of its output. PORT is the server's.
var tools = []struct{ name, script, want string }{
	{"curl", "curl -sS http://a.example:PORT/x", "GET /x for a.example:PORT"},
	{"curl", "curl -sS http://evil.test:PORT/x", ""},
	{"wget", "wget -qO- http://a.example:PORT/x", "GET /x for a.example:PORT"},
	{"git", "git clone -q http://a.example:PORT/git/repo r && cat r/file", "committed"},
	{"npm", "npm install --no-audit --registry http://a.example:PORT/npm/ left && cat node_modules/left/package.json", `"version":"1.0.0"`},
	{"go", "go mod download -x left.test/m@v1.0.0 && ls go/pkg/mod/left.test", "m@v1.0.0"},
	{"python3", "python3 -m pip download -q --no-deps --index-url http://a.example:PORT/pip/ --trusted-host a.example left && ls", "left-1.0-py3-none-any.whl"},
	{"cargo", `mkdir -p src .cargo && touch src/lib.rs && printf '[package]\nname="x"\nversion="1.0.0"\n[dependencies]\nleft="1"\n' > Cargo.toml &&
		printf '[source.crates-io]\nreplace-with="m"\n[source.m]\nregistry="sparse+http://a.example:PORT/cargo/"\n' > .cargo/config.toml &&
		cargo fetch 2>&1 && cat Cargo.lock`, "left"},
}

// TestToolsThatKnowProxies run with Env, which beats what files of settings say.
func TestToolsThatKnowProxies(t *testing.T) {
	port := newRegistry(t)
	p, proxy := newProxy(t, Options{Rules: newRules(t, "a.example 127.0.0.1", "")}, map[string]string{"a.example": "127.0.0.1"})
	runTools(t, p, port, Env("http://"+proxy), func(c *exec.Cmd) ([]byte, error) {
		for name, text := range map[string]string{".npmrc": "proxy=http://127.0.0.1:1\nnoproxy=a.example\n", "pip.conf": "[global]\nproxy = http://127.0.0.1:1\n"} {
			require.NoError(t, os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o644))
		}
		return c.CombinedOutput()
	})
}

// runTools runs every tool that is installed.
func runTools(t *testing.T, p *Proxy, port int, env []string, run func(*exec.Cmd) ([]byte, error)) {
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for _, row := range tools {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			number := strings.NewReplacer("PORT", fmt.Sprint(port))
			env := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PYENV_ROOT=" + home + "/.pyenv", "RUSTUP_HOME=" + home + "/.rustup",
				"GOFLAGS=-modcacherw", "GOTOOLCHAIN=local", "GOSUMDB=off", "PIP_CONFIG_FILE=" + dir + "/pip.conf", number.Replace("GOPROXY=http://a.example:PORT/go")}, env...)
			version := exec.Command("sh", "-c", row.name+" --version || "+row.name+" version")
			if version.Env = env; version.Run() != nil {
				t.Skipf("there is no %s", row.name)
			}
			c := exec.Command("sh", "-c", number.Replace(row.script))
			c.Dir, c.Env = dir, env
			out, err := run(c)
			if row.want == "" {
				require.Equal(t, []Refusal{{Host: "evil.test", Port: port, Reason: "nobody allowed it", Allow: "evil.test"}}, p.Refusals(), "%s", out)
				return
			}
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), number.Replace(row.want))
			require.Empty(t, p.Refusals(), "%s", out)
		})
	}
}

// newRegistry serves what tools fetch: a repository, and a package for each of them.
func newRegistry(t *testing.T) (port int) {
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	out, err := exec.Command("sh", "-c", `git init -q "$0" && cd "$0" && echo committed > file && git add . && git -c user.name=x -c user.email=x@x commit -qm x`, repo).CombinedOutput()
	require.NoError(t, err, "%s", out)
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	crate := makeTar(t, map[string]string{"left-1.0.0/Cargo.toml": "[package]\nname=\"left\"\nversion=\"1.0.0\"\n", "left-1.0.0/src/lib.rs": ""})

	mux := http.NewServeMux()
	serve := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(path, "/") {
				w.Header().Set("Content-Type", "text/html")
			}
			fmt.Fprint(w, strings.ReplaceAll(body, "HOST", r.Host))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s for %s", r.Method, r.URL, r.Host) })
	mux.Handle("/git/", &cgi.Handler{Path: git, Args: []string{"http-backend"}, Root: "/git", Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1"}})
	serve("/npm/left", `{"name":"left","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"left","version":"1.0.0","dist":{"tarball":"http://HOST/npm/left.tgz"}}}}`)
	serve("/npm/left.tgz", makeTar(t, map[string]string{"package/package.json": `{"name":"left","version":"1.0.0"}`}))
	serve("/go/left.test/m/@v/v1.0.0.info", `{"Version":"v1.0.0"}`)
	serve("/go/left.test/m/@v/v1.0.0.mod", "module left.test/m\n")
	serve("/go/left.test/m/@v/v1.0.0.zip", makeZip(t, map[string]string{"left.test/m@v1.0.0/go.mod": "module left.test/m\n"}))
	serve("/pip/left/", `<a href="http://HOST/pip/left-1.0-py3-none-any.whl">left-1.0-py3-none-any.whl</a>`)
	serve("/pip/left-1.0-py3-none-any.whl", makeZip(t, map[string]string{"left-1.0.dist-info/RECORD": "",
		"left-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: left\nVersion: 1.0\n", "left-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n"}))
	serve("/cargo/config.json", `{"dl":"http://HOST/cargo/dl/{crate}"}`)
	serve("/cargo/le/ft/left", fmt.Sprintf(`{"name":"left","vers":"1.0.0","deps":[],"features":{},"yanked":false,"cksum":"%x"}`, sha256.Sum256([]byte(crate))))
	serve("/cargo/dl/left", crate)

	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return portOf(t, s.URL)
}

func makeTar(t *testing.T, files map[string]string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.String()
}

func makeZip(t *testing.T, files map[string]string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}
