//go:build linux

package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rgCase is a call of ripgrep in one of its own tests, with files of other words, and
// what it printed and returned.
type rgCase struct {
	Test   string            `json:"test"`
	N      int               `json:"n"` // which call of the test
	Args   []rgText          `json:"args"`
	Cwd    string            `json:"cwd"`
	Env    map[string]string `json:"env"`
	Files  map[string]rgText `json:"files"` // a name that ends in a slash is a directory
	Stdin  *rgText           `json:"stdin"`
	Out    rgText            `json:"out"`
	Status int               `json:"status"`
	None   bool              `json:"none"` // nothing is known of it
}

// rgText is text, given as it is or in a way that is shorter or safe.
type rgText struct {
	text string
	Link string `json:"link"`
	Size int64  `json:"size"`
}

func (x *rgText) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &x.text)
	}
	var form struct {
		B64                 []byte
		Hay                 bool
		First, Repeat, Then string
		Times               int
		Link                string
		Size                int64
	}
	if err := json.Unmarshal(b, &form); err != nil {
		return err
	}
	x.text, x.Link, x.Size = string(form.B64)+form.First+strings.Repeat(form.Repeat, form.Times)+form.Then, form.Link, form.Size
	if form.Hay {
		x.text = hay()
	}
	return nil
}

// hay is a text of which the first 64 KB hold no NUL byte, and line 1,870 does.
func hay() string {
	lines := make([]string, 2133)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of some text that fills a page", i+1)
	}
	for n, text := range map[int]string{1: "The Words of the first page of this book", 1867: "It was not a walk in the rain at all.", 1870: "abcdef\x00",
		1871: `"No. The Garden was dry, and so was the road.`} {
		lines[n-1] = text
	}
	for n := 176; n <= 1807; n += 233 {
		lines[n-1] = `"Was it a walk in the rain, then?" said the other.`
	}
	return strings.Join(lines, "\n") + "\n"
}

// rgOnly are ripgrep's options that are not grep's here.
// Some of them are those of commands for terminals and of other programs; the rest narrows what ignore files say.
var rgOnly = regexp.MustCompile(`^(--(passthru|colors?|stats|max-columns.*|field-.*|(no-)?context-separator|encoding|pcre2|auto-hybrid-regex|type-(add|clear|list)|pre|pre-glob|hyperlink-format|` +
	`sortr|sort=?(created|accessed)?|iglob|glob-case-insensitive|path-separator|regex-size-limit|dfa-size-limit|null-data|no-unicode|stop-on-nonmatch|follow|` +
	`no-ignore-\w.*|ignore-files|ignore-file-case-insensitive|(no-)?require-git|max-?depth|heading|debug|byte-offset|pretty)|-M.*|-E.*|-P|-b|-p|-L|-d.*|-uuu)(=.*)?$`)

func (c *rgCase) without() string {
	for i, a := range c.Args {
		if a.text == "--sort" && c.Args[i+1].text == "path" || a.text == "--sort=path" {
			continue
		}
		if rgOnly.MatchString(a.text) {
			return a.text
		}
	}
	if c.None || c.Env != nil {
		return "what is outside of the call"
	}
	return ""
}

// words are the words of grep for a call of ripgrep. They add to a line what ripgrep
// decides by itself: whether it has a path and a number.
func (c *rgCase) words(dir string) []string {
	const never = `[^\x00-\x{10FFFF}]`
	words := []string{"--no-show_line_numbers", "--head_limit", "0", "--max_columns", "0"}
	var at []string // words without a key
	files, named, shown := false, false, false
	for i := 0; i < len(c.Args); i++ {
		a := strings.ReplaceAll(c.Args[i].text, "$DIR", dir)
		next := func() string { i++; return strings.ReplaceAll(c.Args[i].text, "$DIR", dir) }
		switch {
		case a == "--":
			for i+1 < len(c.Args) {
				at = append(at, next())
			}
		case a == "-r" || a == "--replace":
			words = append(words, "--replace="+next())
		case strings.HasPrefix(a, "-r"):
			words = append(words, "--replace="+a[2:])
		case a == "-u" || a == "-uu":
			words = append(words, [][]string{{"--no-ignore"}, {"--no-ignore", "--hidden"}}[len(a)-2]...)
		case strings.HasPrefix(a, "-j"):
		case a == "--files":
			files = true
			words = append(words, "-L", "--text", "--patterns", never)
		case a == "--column" || a == "--vimgrep":
			words = append(words, a, "-n")
			shown = shown || a == "--vimgrep"
		case a == "-H" || a == "--with-filename":
			shown = true
		case slices.Contains([]string{"-e", "-f", "-g", "-t", "-T", "-m", "-A", "-B", "-C", "--regexp", "--file", "--glob", "--type", "--type-not", "--max-count", "--sort", "--ignore-file", "--max-filesize",
			"--after-context", "--before-context", "--context"}, a):
			named = named || a == "-e" || a == "-f" || a == "--regexp" || a == "--file"
			words = append(words, a, next())
		case len(a) > 1 && a[0] == '-':
			named = named || strings.HasPrefix(a, "-e") || strings.HasPrefix(a, "-f") || a == "-Ff" || a == "-vf" || strings.HasPrefix(a, "--regexp=")
			words = append(words, a)
			if a == "-Ff" || a == "-vf" {
				words = append(words, next())
			}
		default:
			at = append(at, a)
		}
	}
	paths := at
	if !files && !named && len(at) > 0 {
		paths = at[1:]
	}
	if len(paths) == 1 && !shown && !files {
		if info, err := os.Stat(filepath.Join(dir, c.Cwd, strings.TrimPrefix(paths[0], dir))); err != nil || !info.IsDir() {
			words = append(words, "--no-show_path")
		}
	}
	return append(append(words, "--"), at...)
}

// make makes the files of a case.
func (c *rgCase) make(s *shell) {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range c.Files {
			if !yield(name) {
				return
			}
		}
	}) {
		f := c.Files[name]
		if strings.Contains(name, `\x`) {
			name, _ = strconv.Unquote(`"` + name + `"`)
		}
		path := s.path(name)
		require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch {
		case strings.HasSuffix(name, "/"):
			require.NoError(s.t, os.MkdirAll(path, 0o755))
		case f.Link != "":
			require.NoError(s.t, os.Symlink(f.Link, path))
		default:
			require.NoError(s.t, os.WriteFile(path, []byte(f.text), 0o644))
			if f.Size > 0 {
				require.NoError(s.t, os.Truncate(path, f.Size))
			}
		}
	}
}

// rgSays are what ripgrep prints of binary files, which is a note on stderr here.
var rgSays = regexp.MustCompile(`(?m)^(.*: )?(binary file matches|WARNING: stopped searching binary file).*\n`)

// inOrder are the lines of an output, sorted: ripgrep's order is that of its threads. Paths
// have no ./ here.
func inOrder(out string) string {
	lines := strings.SplitAfter(rgSays.ReplaceAllString(out, ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "./")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestTheTestsOfRipgrep(t *testing.T) {
	data, err := os.ReadFile("testdata/ripgrep.jsonl")
	require.NoError(t, err)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	tests, without := map[string]bool{}, map[string]string{}
	differ := map[string][]string{}
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var c rgCase
		if err := d.Decode(&c); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
		tests[c.Test] = true
		if option := c.without(); option != "" {
			without[c.Test] = option
			continue
		}
		s := newShell(t, nil)
		c.make(s)
		words := c.words(s.dir)
		shell := *s
		shell.dir = s.path(c.Cwd)
		var stdin io.Reader
		if c.Stdin != nil {
			stdin = strings.NewReader(c.Stdin.text)
		}
		r := shell.pipe(stdin, append([]string{"grep"}, words...)...)
		want := strings.ReplaceAll(c.Out.text, "$DIR", s.dir)
		if inOrder(want) != inOrder(r.out) || (c.Status == 0) != (r.status == 0) {
			differ[c.Test] = append(differ[c.Test], fmt.Sprintf("%q\nwant %d %q\ngot  %d %q\nsays %q", words, c.Status, want, r.status, r.out, r.err))
		}
	}
	expressible := len(tests) - len(without)
	t.Logf("%d tests, %d expressible, %d differ", len(tests), expressible, len(differ))
	for test, cases := range differ {
		if rgDiffers[test] == "" {
			t.Errorf("%s: %s", test, strings.Join(cases, "\n"))
		}
	}
	for test := range rgDiffers {
		require.Contains(t, differ, test, "it does not differ")
	}
	require.GreaterOrEqual(t, expressible, 240)
}

// rgDiffers are the tests in which grep answers otherwise, and why. The reasons stand in
// docs/agent-commands.md.
var rgDiffers = map[string]string{
	"after_match1_implicit_count":              untilNUL,
	"after_match2_implicit":                    untilNUL,
	"before_match2_explicit":                   untilNUL,
	"before_match2_implicit":                   untilNUL,
	"matching_files_inconsistent_with_count":   untilNUL,
	"mmap_binary_flag":                         untilNUL,
	"mmap_match_multiple":                      untilNUL,
	"r1838_nul_error_with_binary_detection":    "\\x00 may stand in a pattern",
	"compressed_lz4":                           "lz4, brotli and compress are not unpacked",
	"compressed_failing_gzip":                  "what is compressed is told by its first bytes, not by its name",
	"dot_no_newline":                           multilineDot,
	"r2208":                                    multilineDot,
	"r1311_multi_line_term_replace":            "each line that a match touches is printed as a line",
	"f416_crlf_only_matching":                  "a match alone has no \\r of the line's end",
	"r1446_respect_excludes_in_worktree":       asGit,
	"r2236":                                    asGit,
	"r3127_gitignore_allow_unclosed_class":     asGit,
	"r3127_glob_flag_not_allow_unclosed_class": "a bracket without its end is itself",
	"r483_matching_no_stdout":                  "paths are listed by a mode of output, and quiet is another",
}

const (
	untilNUL     = "the lines before a NUL byte are shown and counted, whatever the size of buffers; of a named file those after it are counted"
	multilineDot = "with --multiline . matches the ends of lines"
	asGit        = "git has another answer"
)
