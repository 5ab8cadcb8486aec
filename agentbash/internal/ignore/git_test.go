package ignore

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The names and the pieces of patterns are few, so that patterns meet names often.
var (
	testNames  = []string{"a", "b", "ab", "abc", "a.b", "foo", "foo.c", "[a]", "a b", "a ", `a\b`, "é", "!a", "#a", "a*", ".x", "-", "A", "a-b", "x]y", "**"}
	testPieces = []string{"*", "**", "***", "?", "/", "/", "[ab]", "[a-c]", "[!a]", "[^b]", "[]a]", "[[:alpha:]]", "[[:digit:][:punct:]]",
		"[a", "[[:nope:]]", "[[:x]", `[\]a]`, "[a-", "[--a]", "[!]a]", `\`, `\a`, `\*`, `\ `, " ", "!", "#", `\!`, `\#`, "\r", "\t", "{a,b}",
		"a", "b", "ab", "a.b", "foo", ".c", "é", ".", "-", "]", "A", "x"}
)

// repository is a tree of files with awkward names.
type repository struct {
	t     *testing.T
	dir   string
	paths []string // relative; a directory ends with a slash
}

func newRepository(t *testing.T) *repository {
	_, err := exec.LookPath("git")
	require.NoError(t, err, "the differential test asks git")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	r := &repository{t: t, dir: t.TempDir()}
	r.git(nil, "init", "-q")
	for _, a := range testNames {
		for i, b := range testNames {
			if i%3 == 0 {
				r.file(a+"d", b+"d", "foo.c")
				r.file(a+"d", b+"d", "ab")
			}
			r.file(a+"d", b)
		}
		r.file(a)
	}
	for _, d := range []string{"a", "b", "foo"} { // directories with names that files have elsewhere
		r.file("deep", d, "a", "b", "foo.c")
		r.file("deep", d, "ab", "a.b")
	}
	require.NoError(t, filepath.WalkDir(r.dir, func(p string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(r.dir, p)
		switch {
		case err != nil:
			return err
		case rel == ".":
		case rel == ".git":
			return filepath.SkipDir
		case d.IsDir():
			r.paths = append(r.paths, rel+"/")
		default:
			r.paths = append(r.paths, rel)
		}
		return nil
	}))
	return r
}

func (r *repository) file(parts ...string) {
	p := filepath.Join(append([]string{r.dir}, parts...)...)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(r.t, os.WriteFile(p, nil, 0o644))
}

func (r *repository) git(stdin []byte, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = r.dir, bytes.NewReader(stdin)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(r.t, err, &exit)
		require.Equal(r.t, 1, exit.ExitCode(), "%s", exit.Stderr) // 1: nothing is ignored
	}
	return string(out)
}

// gitIgnored asks git which of the paths are ignored.
func (r *repository) gitIgnored() []string {
	var in bytes.Buffer
	for _, p := range r.paths {
		in.WriteString(strings.TrimSuffix(p, "/") + "\x00")
	}
	out := strings.TrimSuffix(r.git(in.Bytes(), "check-ignore", "--no-index", "--stdin", "-z"), "\x00")
	if out == "" {
		return []string{}
	}
	list := strings.Split(out, "\x00")
	sort.Strings(list)
	return list
}

// ourIgnored walks the tree with our rules; what is below an ignored directory is ignored.
func (r *repository) ourIgnored() []string {
	list := []string{}
	var walk func(dir string, d *Dir, ignored bool)
	walk = func(dir string, d *Dir, ignored bool) {
		entries, err := os.ReadDir(dir)
		require.NoError(r.t, err)
		if dir != r.dir && !ignored {
			d = d.Enter(dir, func(name string) bool { return fileExists(dir, name) }, func(name string) []byte {
				return readNoFollow(filepath.Join(dir, name), name == GitIgnore)
			})
		}
		for _, e := range entries {
			p := filepath.Join(dir, e.Name())
			if e.Name() == ".git" || strings.HasPrefix(e.Name(), ".gitignore") {
				continue
			}
			hit := ignored || d.Judge(p, e.Name(), e.IsDir()) == Excluded
			if rel, _ := filepath.Rel(r.dir, p); hit {
				list = append(list, rel)
			}
			if e.IsDir() {
				walk(p, d, hit)
			}
		}
	}
	walk(r.dir, NewDir(r.dir), false)
	sort.Strings(list)
	return list
}

func (r *repository) rules(dir string, content []byte) {
	p := filepath.Join(r.dir, dir, GitIgnore)
	if content == nil {
		require.True(r.t, os.Remove(p) == nil || !fileExists(filepath.Join(r.dir, dir), GitIgnore))
		return
	}
	require.NoError(r.t, os.WriteFile(p, content, 0o644))
}

// set makes an ignore file of a few random patterns.
func set(rnd *rand.Rand) []byte {
	var b bytes.Buffer
	if rnd.IntN(20) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	for range 1 + rnd.IntN(5) {
		if rnd.IntN(4) == 0 {
			b.WriteByte('!')
		}
		for range 1 + rnd.IntN(5) {
			b.WriteString(testPieces[rnd.IntN(len(testPieces))])
		}
		b.WriteString([]string{"\n", "\n", "\n", "/\n", "\r\n", " \n", ""}[rnd.IntN(7)])
	}
	return b.Bytes()
}

func TestRulesAgreeWithGit(t *testing.T) {
	r := newRepository(t)
	dirs := []string{"", "ad", "deep", "deep/a", "food"}
	excluded := 0
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var all []string
		for i, dir := range dirs {
			var content []byte
			if i == 0 || rnd.IntN(3) == 0 {
				content = set(rnd)
			}
			r.rules(dir, content)
			all = append(all, dir+": "+string(content))
		}
		want := r.gitIgnored()
		require.Equal(t, want, r.ourIgnored(), "seed %d, rules %q", seed, all)
		excluded += len(want)
	}
	require.Greater(t, excluded, 300, "the patterns hardly match anything")
}

func TestRulesOfThisRepositoryAndOfTheUser(t *testing.T) {
	r := newRepository(t)
	home := os.Getenv("HOME")
	for _, test := range []struct {
		name  string
		files map[string]string // in the repository, or ~/ in the home directory
	}{
		{"info/exclude", map[string]string{".git/info/exclude": "foo\n"}},
		{"info/exclude is above the user's", map[string]string{".git/info/exclude": "!ab\n", "~/.config/git/ignore": "ab\na\n"}},
		{"a .gitignore is above both", map[string]string{".git/info/exclude": "!ab\n", ".gitignore": "ab\n!foo\n", "~/.config/git/ignore": "foo\n"}},
		{"core.excludesFile of the user", map[string]string{"~/.gitconfig": "[core]\n\texcludesfile = ~/my rules # mine\n", "~/my rules": "foo.c\n"}},
		{"core.excludesFile of the repository", map[string]string{"~/.gitconfig": "[core]\nexcludesFile = \"~/one\"\n", "~/one": "a\n",
			".git/config": "[core]\n\trepositoryformatversion = 0\n\tExcludesFile = ~/two\n", "~/two": "b\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, content := range test.files {
				p := filepath.Join(r.dir, name)
				if rest, ok := strings.CutPrefix(name, "~/"); ok {
					p = filepath.Join(home, rest)
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
				require.NoError(t, os.WriteFile(p, []byte(content), 0o644))
				if name != ".git/config" {
					t.Cleanup(func() { require.NoError(t, os.Remove(p)) })
				}
			}
			var in bytes.Buffer
			for _, p := range r.paths {
				in.WriteString(strings.TrimSuffix(p, "/") + "\x00")
			}
			out := r.git(in.Bytes(), "-C", r.dir, "check-ignore", "--no-index", "--stdin", "-z")
			want := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
			sort.Strings(want)
			require.NotEmpty(t, out)
			require.Equal(t, want, r.ourIgnored())
		})
	}
}

func TestLinkedWorkTreeUsesTheSharedExclude(t *testing.T) {
	r := newRepository(t)
	r.git(nil, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one")
	tree := filepath.Join(t.TempDir(), "linked")
	r.git(nil, "worktree", "add", "-q", tree)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, ".git/info/exclude"), []byte("foo\n"), 0o644))
	d := NewDir(tree)
	require.Equal(t, Excluded, d.Judge(filepath.Join(tree, "foo"), "foo", false))
	require.NotEqual(t, Excluded, d.Judge(filepath.Join(tree, "bar"), "bar", false))
}

func TestGitIgnoreCountsOnlyInARepository(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, GitIgnore), []byte("a\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".ignore"), []byte("b\n"), 0o644))
	d := NewDir(dir)
	require.NotEqual(t, Excluded, d.Judge(filepath.Join(dir, "a"), "a", false))
	require.Equal(t, Excluded, d.Judge(filepath.Join(dir, "b"), "b", false))
}

func TestAnInnerRepositoryHasItsOwnRules(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	require.NoError(t, os.MkdirAll(filepath.Join(inner, ".git"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, GitIgnore), []byte("a\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(inner, GitIgnore), []byte("b\n"), 0o644))
	d := NewDir(inner)
	require.NotEqual(t, Excluded, d.Judge(filepath.Join(inner, "a"), "a", false))
	require.Equal(t, Excluded, d.Judge(filepath.Join(inner, "b"), "b", false))
}

func TestALinkInThePlaceOfAGitIgnoreIsNotRead(t *testing.T) {
	r := newRepository(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "rules"), []byte("foo\n"), 0o644))
	require.NoError(t, os.Symlink("rules", filepath.Join(r.dir, GitIgnore)))
	require.Empty(t, r.gitIgnored())
	require.Empty(t, r.ourIgnored())
}

func TestAHostilePatternTakesNoTime(t *testing.T) {
	p := strings.Repeat("*a", 60) + "b"
	require.Equal(t, Silent, Parse([]byte(p)).Match(strings.Repeat("a", 255), strings.Repeat("a", 255), false))
	p = strings.Repeat("**/a*/", 60) + "b"
	path := strings.Repeat("aaaa/", 800) + "c"
	require.Equal(t, Silent, Parse([]byte(p)).Match(path, "c", false))
}
