package main

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/agentbash/agentbash/"

// ban forbids one package, with all below it, to import another.
type ban struct{ from, to, why string }

var bans = []ban{
	{"session", module, "the shell is usable alone, and knows no tools"},
	{"registry", module, "everybody's common ground must not pull anybody in"},
	{"agentbash", module + "router", "a tool takes kwargs; who routed them is not its business"},
	{"agentbash", module + "session", "tools work on files, not on a shell"},
	{"agentbash", module + "fieldbash", "the two kinds of tools do not know each other"},
	{"fieldbash", module + "router", "a tool takes kwargs; who routed them is not its business"},
	{"fieldbash", module + "session", "servers are processes of their own, not of the shell"},
	{"fieldbash", module + "agentbash", "the two kinds of tools do not know each other"},
	{"router", module + "agentbash", "the router takes whatever is registered"},
	{"router", module + "fieldbash", "the router takes whatever is registered"},
	{"router", module + "cmd", "a library does not import a program"},
	{"router", module + "chat", "who sends the commands is not the router's business"},
	{"router", module + "confinement", "a shell is started as it is told; what that follows from is not the router's business"},
	{"agentbash", module + "confinement", "a tool is told what it may touch"},
	{"confinement", module + "cmd", "a library does not import a program"},
	{"confinement", module + "chat", "what is held does not depend on who sent it"},
	{"confinement", module + "fieldbash", "servers are processes of their own, not of the shell"},
	{"confinement/network", module, "who may connect where does not depend on shells, tools or modes"},
	{"chat", module + "confinement", "what a command means is the runner's business"},
	{"chat", module + "cmd", "a library does not import a program"},
	{"chat", module + "agentbash", "the loop knows one tool, bash, and no command of it"},
	{"chat", module + "fieldbash", "the loop knows one tool, bash, and no command of it"},
	{"chat", module + "session", "what a command means is the runner's business"},
	{"chat/transcript", module, "what was said can be read without a model or a shell"},
	{"router/incall", "os", "the client starts before packages are initialised, and stays small"},
	{"router/incall", "fmt", "the client starts before packages are initialised, and stays small"},
	{"router/incall", "net", "the client starts before packages are initialised, and stays small"},
	{"internal/modelserver", module, "the scripted model knows the wire, not the program that it tests"},
	{"cmd/agentbash/internal/term", module + "session", "what a person sees comes through the router"},
}

// leaves are for everybody, also for those who import nothing else of ours:
// what would otherwise be written once in each of them. They import nothing of
// ours themselves, but what all kernels differ in.
var leaves = []string{"internal/atomicfile", "internal/jsonpos", "internal/openat", "internal/proctable", "internal/protected", "internal/pseudotty", "internal/publicaddr", "internal/quote", "internal/safetext", "internal/secrettext", "internal/syscalls", "internal/tempdir", "internal/timeline", "internal/watchdog"}

// sole are dependencies and who imports them: one package, but for parsers whose
// positions or nodes others need.
var sole = map[string]string{
	"github.com/sashabaranov/go-openai":        "chat",
	"github.com/modelcontextprotocol/go-sdk":   "fieldbash/mcp",
	"github.com/google/jsonschema-go":          "fieldbash",
	"github.com/santhosh-tekuri/jsonschema/v6": "nowhere: its init is longer than all others together",
	module + "router/incall":                   "cmd/agentbash",
	"github.com/google/shlex":                  "router",
	"mvdan.cc/sh/v3":                           "internal/remote router router/internal/bashtext router/policy internal/quote",
	"github.com/JohannesKaufmann":              "agentbash/web",
	"codeberg.org/readeck/go-readability":      "agentbash/web",
	"github.com/mmcdole/gofeed":                "agentbash/web",
	"github.com/gogs/chardet":                  "agentbash/internal/charset",
	"golang.org/x/text/encoding":               "agentbash/internal/charset",
	"golang.org/x/image":                       "agentbash/files",
	"github.com/ledongthuc/pdf":                "agentbash/internal/pdftext",
	"go.yaml.in/yaml/v3":                       "agentbash/skills cmd/agentbash/internal/config",
	"golang.org/x/net/html":                    "agentbash/web",
	"golang.org/x/net/http/httpproxy":          "agentbash/web",
	"golang.org/x/net/dns/dnsmessage":          "confinement/network",
	"golang.org/x/net/idna":                    "confinement/network",
	"github.com/aymanbagabas/go-udiff":         "agentbash/files",
	"github.com/tidwall/sjson":                 "cmd/agentbash/internal/config",
	"github.com/charmbracelet/x":               "agentbash/internal/terminal",
	"github.com/creack/pty":                    "internal/pseudotty",
	"github.com/tidwall/gjson":                 "fieldbash registry",
	"github.com/tailscale/hujson":              "cmd/agentbash/internal/config",
	"github.com/pelletier/go-toml/v2":          "cmd/agentbash/internal/config",
	"github.com/kljensen/snowball":             "registry",
	"github.com/spf13/pflag":                   "cmd/agentbash",
	"github.com/landlock-lsm/go-landlock":      "session/sandbox",
	"github.com/coder/acp-go-sdk":              "cmd/agentbash/internal/acp",
	"github.com/reeflective/readline":          "cmd/agentbash/internal/term",
	"github.com/charmbracelet/glamour":         "nowhere: 20 ms of start-up",
	"github.com/alecthomas/chroma/v2":          "cmd/agentbash/internal/highlight",
	"github.com/alecthomas/chroma/v2/lexers":   "nowhere: 6 ms of start-up",
	"github.com/sahilm/fuzzy":                  "cmd/agentbash/internal/term",
	"github.com/pkoukk/tiktoken-go":            "nowhere: a tokenizer in the start-up path",
}

type listed struct {
	ImportPath, Dir  string
	Imports, GoFiles []string
}

// name is the package's path in the module; "." is the root.
func (p listed) name() string {
	if p.ImportPath+"/" == module {
		return "."
	}
	return p.ImportPath
}

func packages(t *testing.T) []listed {
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", module+"...").Output()
	require.NoError(t, err)
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p listed
		require.NoError(t, d.Decode(&p))
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
		all = append(all, p)
	}
	require.Greater(t, len(all), 8)
	return all
}

func below(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// TestContributingShowsEveryPackage: the picture in CONTRIBUTING.md has every
// package once, and each imports only what stands in the rows below its own.
func TestContributingShowsEveryPackage(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	_, picture, _ := strings.Cut(string(text), "## Packages")
	_, picture, _ = strings.Cut(picture, "```\n")
	picture, _, _ = strings.Cut(picture, "```")
	all := packages(t)
	row := map[string]int{}
	for n, lines := range strings.Split(picture, "        |\n        v\n") {
		for line := range strings.Lines(strings.TrimSpace(lines)) {
			name := strings.Fields(line)[0]
			require.True(t, slices.ContainsFunc(all, func(p listed) bool { return p.name() == name }), "CONTRIBUTING.md shows %s, which is no package", name)
			require.NotContains(t, row, name, "it is shown twice")
			row[name] = n
		}
	}
	for _, p := range all {
		require.Contains(t, row, p.name(), "CONTRIBUTING.md does not show this package")
		for _, i := range p.Imports {
			if below, ours := row[listed{ImportPath: strings.TrimPrefix(i, module)}.name()]; ours {
				require.Greater(t, below, row[p.name()], "%s imports %s, which CONTRIBUTING.md does not show below it", p.ImportPath, i)
			}
		}
	}
}

// TestImportsPointOneWay holds the layering: who may not import whom, and why.
func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		for _, b := range bans {
			if !below(p.ImportPath, b.from) {
				continue
			}
			for _, i := range p.Imports {
				if slices.Contains(leaves, strings.TrimPrefix(i, module)) {
					continue
				}
				own := below(strings.TrimPrefix(i, module), b.from)
				hit := i == b.to || strings.HasPrefix(i, strings.TrimSuffix(b.to, "/")+"/")
				require.False(t, hit && !own, "%s imports %s: %s", p.ImportPath, i, b.why)
			}
		}
	}
}

func TestLeavesImportNothingOfOurs(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains(leaves, p.ImportPath) {
			for _, i := range p.Imports {
				require.True(t, i == module+"internal/syscalls" || !strings.HasPrefix(i, module), "%s imports %s", p.ImportPath, i)
			}
		}
	}
}

// TestDependenciesHaveOneImporter keeps each third-party module behind one package.
func TestDependenciesHaveOneImporter(t *testing.T) {
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			for dep, owner := range sole {
				require.False(t, below(i, dep) && !slices.Contains(strings.Fields(owner), p.ImportPath), "%s imports %s, which is for %s", p.ImportPath, i, owner)
			}
		}
	}
}

// TestNoRegexpIsCompiledAtStart holds the start-up: 30 package-level regular
// expressions were a quarter of it. sync.OnceValue compiles them at first use.
func TestNoRegexpIsCompiledAtStart(t *testing.T) {
	global := regexp.MustCompile(`(?m)^(var |\t)\w+ += regexp\.MustCompile.*`)
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			require.NoError(t, err)
			require.Empty(t, global.FindString(string(text)), "%s/%s", p.ImportPath, name)
		}
	}
}

// once are texts that show that something is done, and who may do it: all others
// use the package that is there for it.
var once = []struct{ text, use, by string }{
	{"`'\\''`", "internal/quote", "internal/quote/quote.go"},
	{"unicode.Cf", "internal/safetext", "internal/safetext/class.go agentbash/files/diagnose.go agentbash/internal/charset/plausible.go"}, // it tells why a text was not found
	{"os.Rename(", "internal/atomicfile", "internal/atomicfile/write.go internal/atomicfile/temp.go cmd/agentbash/internal/audit/log.go"}, // logs that are full
	{".gnupg", "internal/protected", "internal/protected/protected.go"},
}

func TestWhatIsWrittenOnce(t *testing.T) {
	root := os.DirFS("../..")
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (name == "testdata" || name == ".git") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		for _, o := range once {
			if strings.Contains(string(text), o.text) {
				require.Contains(t, strings.Fields(o.by), name, "%s has %s: use %s", name, o.text, o.use)
			}
		}
		return err
	}))
}
