//go:build linux

package files_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/agentbash/clarify"
	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/agentbash/notes"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/agentbash/skills"
	"github.com/agentbash/agentbash/agentbash/web"
	"github.com/agentbash/agentbash/registry"
)

// usesTree are the files that the calls below find.
var usesTree = map[string]string{
	"a.txt": "KEEP a\n", "b.txt": "KEEP b\n", "in/c.txt": "KEEP c\n", "in/deep/d.txt": "KEEP d\n", "other/e.txt": "KEEP e\n",
	".agentbash/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nbody\n", ".agentbash/notes.json": "[]\n",
}

// ownState are files of the tools' own, which no parameter names.
const ownState = ".agentbash/"

// usesBench runs calls in a tree of files and sees which of them are opened and
// changed, by inotify: what it reports does not depend on what the tools say.
type usesBench struct {
	t         *testing.T
	root      string // everything is below it
	dir       string // where calls run: below root, so that ../ leads into it
	tools     map[string]*registry.Tool
	contacted []string // hosts, by the servers
}

func newUsesBench(t *testing.T) *usesBench {
	b := &usesBench{t: t, root: t.TempDir(), tools: map[string]*registry.Tool{}}
	b.dir = filepath.Join(b.root, "work")
	require.NoError(t, os.MkdirAll(filepath.Join(b.dir, ".git"), 0o755))
	for _, root := range []string{b.root, b.dir} {
		for name, text := range usesTree {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.contacted = append(b.contacted, r.Host)
		io.WriteString(w, `{"results": [{"title": "t", "url": "u", "content": "c"}]}`)
	}))
	t.Cleanup(server.Close)
	w, err := web.New(&web.Options{Allow: []string{"127.0.0.1"}, Search: web.Search{Provider: web.SearXNG, URL: server.URL}})
	require.NoError(t, err)
	background := shells.New(&shells.Options{StateDir: t.TempDir(), Env: os.Environ()})
	t.Cleanup(func() { require.NoError(t, background.Close()) })
	all := slices.Concat(files.Tools(&files.Options{StateDir: t.TempDir()}), notes.Tools(nil), background.Tools(), w.Tools(),
		[]*registry.Tool{clarify.Tool(&clarify.Options{}), skills.Tool(&skills.Options{Dirs: func(dir string) []string { return []string{dir + "/.agentbash/skills"} }})})
	for _, tool := range all {
		b.tools[tool.Name] = tool
	}
	t.Setenv("HOME", b.root)
	t.Setenv("SERVER", server.URL)
	return b
}

// watch returns a function that tells which files were opened since.
func (b *usesBench) watch() (opened func() []string) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	require.NoError(b.t, err)
	dirs := map[int32]string{}
	require.NoError(b.t, filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			var wd int
			wd, err = unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_ACCESS)
			dirs[int32(wd)] = path
		}
		return err
	}))
	return func() (paths []string) {
		defer unix.Close(fd)
		buf := make([]byte, 1<<16)
		for {
			n, err := unix.Read(fd, buf)
			if err == unix.EAGAIN {
				slices.Sort(paths)
				return slices.Compact(paths)
			}
			require.NoError(b.t, err)
			for at := 0; at < n; {
				e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[at]))
				name := strings.TrimRight(string(buf[at+unix.SizeofInotifyEvent:at+unix.SizeofInotifyEvent+int(e.Len)]), "\x00")
				at += unix.SizeofInotifyEvent + int(e.Len)
				require.Zero(b.t, e.Mask&unix.IN_Q_OVERFLOW)
				if e.Mask&unix.IN_ISDIR == 0 && name != "" {
					paths = append(paths, filepath.Join(dirs[e.Wd], name))
				}
			}
		}
	}
}

// contents are all files with what they hold.
func (b *usesBench) contents() map[string]string {
	out := map[string]string{}
	require.NoError(b.t, filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	}))
	return out
}

// restore makes all files what they were.
func (b *usesBench) restore(want map[string]string) {
	for path, text := range b.contents() {
		if _, was := want[path]; !was {
			require.NoError(b.t, os.Remove(path))
		} else if text != want[path] {
			require.NoError(b.t, os.WriteFile(path, []byte(want[path]), 0o644))
		}
	}
}

func (b *usesBench) own(path string) bool {
	return strings.HasPrefix(path, filepath.Join(b.dir, ownState)+"/")
}

// run makes a call, and compares what its uses say with what it opened, changed
// and contacted. It returns the uses.
func (b *usesBench) run(line []string, stdin io.Reader) []registry.Use {
	b.t.Helper()
	tool := b.tools[line[0]]
	parsed, err := tool.Parse(line[1:], stdin != nil)
	require.NoError(b.t, err, "%q", line)
	uses, known := tool.UsesOf(parsed.Kwargs)
	require.True(b.t, known, "%q", line)
	call := &registry.Call{Kwargs: parsed.Kwargs, Dir: b.dir, Stdin: stdin, Stdout: io.Discard, Stderr: io.Discard}
	before, stop := b.contents(), b.watch()
	b.contacted = nil
	var notes bytes.Buffer
	call.Stderr = &notes
	res := tool.Invoke(context.Background(), call)
	opened := stop()
	after := b.contents()
	require.True(b.t, res.Success, "%q: %s", line, notes.String())

	covered := func(path string, file, tree registry.Role) bool {
		return slices.ContainsFunc(uses, func(u registry.Use) bool {
			at := call.Path(u.Value)
			return u.Role == file && path == at || u.Role == tree && registry.Below(path, at)
		})
	}
	var read, written []string
	for _, path := range opened {
		_, was := before[path]
		if was && !b.own(path) {
			require.True(b.t, covered(path, registry.ReadsFile, registry.ReadsTree), "%q opened %s, and says %v", line, path, uses)
			read = append(read, path)
		}
	}
	for _, path := range slices.Sorted(func(yield func(string) bool) {
		for path := range before {
			if after[path] != before[path] && !yield(path) {
				return
			}
		}
		for path := range after {
			if _, was := before[path]; !was && !yield(path) {
				return
			}
		}
	}) {
		if b.own(path) {
			require.True(b.t, slices.ContainsFunc(uses, func(u registry.Use) bool { return u.Role == registry.KeepsState }), "%q changed %s", line, path)
			continue
		}
		require.True(b.t, covered(path, registry.WritesFile, registry.WritesTree), "%q changed %s, and says %v", line, path, uses)
		written = append(written, path)
	}
	for _, u := range uses { // and nothing is named that is left alone
		at := call.Path(u.Value)
		below := func(path string) bool { return registry.Below(path, at) }
		switch u.Role {
		case registry.ReadsFile:
			_, was := before[at]
			require.True(b.t, !was || slices.Contains(read, at), "%q did not open %s", line, at)
		case registry.ReadsTree:
			require.True(b.t, line[0] == "glob" || slices.ContainsFunc(read, below), "%q opened nothing below %s", line, at)
		case registry.WritesFile:
			require.Contains(b.t, written, at, "%q", line)
		case registry.WritesTree:
			require.True(b.t, slices.ContainsFunc(written, below), "%q changed nothing below %s", line, at)
		case registry.Contacts:
			require.Len(b.t, b.contacted, 1, "%q", line)
			require.Contains(b.t, u.Value, b.contacted[0], "%q", line)
		}
	}
	if len(b.contacted) > 0 {
		require.True(b.t, slices.ContainsFunc(uses, func(u registry.Use) bool { return u.Role == registry.Contacts }), "%q", line)
	}
	return uses
}

// usesRow is a call with the parameter in whose every spelling it is made.
type usesRow struct {
	name  string
	setUp []string // a call before it
	line  []string // with PATH for the parameter's words
	param string
	value string
	flag  string // a boolean, which no word after it belongs to
	stdin string
	want  []registry.Use
}

func usesRows() []usesRow {
	use := func(role registry.Role, value string) registry.Use { return registry.Use{Role: role, Value: value} }
	both := func(path string) []registry.Use {
		return []registry.Use{use(registry.ReadsFile, path), use(registry.WritesFile, path)}
	}
	return []usesRow{
		{name: "read", line: []string{"read", "PATH"}, param: "file_path", value: "in/c.txt", flag: "show_line_numbers", want: []registry.Use{use(registry.ReadsFile, "in/c.txt")}},
		{name: "read at home", line: []string{"read", "PATH"}, param: "file_path", value: "~/a.txt", want: []registry.Use{use(registry.ReadsFile, "~/a.txt")}},
		{name: "read stdin", line: []string{"read", "-"}, stdin: "x\n"},
		{name: "write", line: []string{"write", "PATH", "--content", "NEW"}, param: "file_path", value: "../b.txt", flag: "force", want: both("../b.txt")},
		{name: "write a new file", line: []string{"write", "PATH"}, param: "file_path", value: "new/dir/f", stdin: "text", flag: "create_only", want: both("new/dir/f")},
		{name: "append", line: []string{"write", "PATH", "--content", "NEW"}, param: "file_path", value: "b.txt", flag: "append", want: both("b.txt")},
		{name: "write for show", line: []string{"write", "PATH", "--content", "NEW"}, param: "file_path", value: "b.txt", flag: "dry_run", want: both("b.txt")[:1]},
		{name: "write a file called -", line: []string{"write", "PATH", "--content", "NEW"}, param: "file_path", value: "-", want: both("-")},
		{name: "edit", setUp: []string{"read", "in/c.txt"}, line: []string{"edit", "PATH", "--old_string", "KEEP", "--new_string", "GONE"}, param: "file_path", value: "in/c.txt", flag: "replace_all", want: both("in/c.txt")},
		{name: "edit strictly", setUp: []string{"read", "b.txt"}, line: []string{"edit", "PATH", "--old_string", "KEEP", "--new_string", "GONE"}, param: "file_path", value: "./b.txt", flag: "strict", want: both("./b.txt")},
		{name: "edit for show", setUp: []string{"read", "b.txt"}, line: []string{"edit", "PATH", "--old_string", "KEEP", "--new_string", "GONE"}, param: "file_path", value: "b.txt", flag: "dry_run", want: both("b.txt")[:1]},
		{name: "edit by a patch", line: []string{"edit", "PATH"}, param: "file_path", value: "b.txt", stdin: "@@\n-KEEP b\n+NEW b\n", want: both("b.txt")},
		{name: "apply_patch", line: []string{"apply_patch", "PATH"}, param: "patch", value: "*** Begin Patch\n*** Update File: in/c.txt\n@@\n-KEEP c\n+NEW c\n*** Add File: ../new/f\n+x\n*** End Patch",
			want: append(both("in/c.txt"), both("../new/f")...)},
		{name: "apply_patch moves", line: []string{"apply_patch", "--patch", "--- a/b.txt\n+++ b/moved.txt\n@@ -1 +1 @@\n-KEEP b\n+NEW b\n"}, want: append(both("b.txt"), both("moved.txt")...)},
		{name: "apply_patch for show", line: []string{"apply_patch", "PATH"}, param: "patch", value: "*** Begin Patch\n*** Update File: b.txt\n-KEEP b\n+NEW b\n*** End Patch", flag: "dry_run", want: both("b.txt")[:1]},
		{name: "apply_patch from stdin", line: []string{"apply_patch"}, stdin: "*** Begin Patch\n*** Delete File: in/c.txt\n*** End Patch\n",
			want: []registry.Use{use(registry.ReadsTree, "."), use(registry.WritesTree, ".")}},
		{name: "grep a tree", line: []string{"grep", "--pattern", "KEEP", "PATH"}, param: "path", value: "in", flag: "ignore_case", want: []registry.Use{use(registry.ReadsTree, "in")}},
		{name: "grep a file", line: []string{"grep", "--pattern", "KEEP", "PATH"}, param: "path", value: "../other/e.txt", flag: "fixed", want: []registry.Use{use(registry.ReadsTree, "../other/e.txt")}},
		{name: "grep here", line: []string{"grep", "KEEP", "--sort", "mtime"}, want: []registry.Use{use(registry.ReadsTree, ".")}},
		{name: "grep with a narrow choice", line: []string{"grep", "KEEP", "--glob", "../other/* in/*"}, want: []registry.Use{use(registry.ReadsTree, ".")}},
		{name: "grep stdin", line: []string{"grep", "KEEP", "-"}, stdin: "KEEP\n"},
		{name: "grep what is piped in", line: []string{"grep", "KEEP"}, stdin: "KEEP\n"},
		{name: "grep chosen files, with a pipe", line: []string{"grep", "KEEP", "--glob", "*.txt"}, stdin: "KEEP\n", want: []registry.Use{use(registry.ReadsTree, ".")}},
		{name: "glob", line: []string{"glob", "--pattern", "*.txt", "PATH"}, param: "path", value: "in", flag: "hidden", want: []registry.Use{use(registry.ReadsTree, "in")}},
		{name: "glob here", line: []string{"glob", "**/*.txt"}, want: []registry.Use{use(registry.ReadsTree, ".")}},
		{name: "glob a pattern with a directory", line: []string{"glob", "in/deep/*.txt"}, want: []registry.Use{use(registry.ReadsTree, "./in/deep/")}},
		{name: "glob a pattern that climbs", line: []string{"glob", "../other/*", "in"}, want: []registry.Use{use(registry.ReadsTree, "in/../other/")}},
		{name: "glob at home", line: []string{"glob", "~/in/*", "other"}, want: []registry.Use{use(registry.ReadsTree, "~/in/")}},
		{name: "glob an absolute pattern", line: []string{"glob", "ROOT/in/**", "other"}, want: []registry.Use{use(registry.ReadsTree, "ROOT/in/")}},
		{name: "undo a file", setUp: []string{"write", "in/c.txt", "NEW", "--force"}, line: []string{"undo", "PATH"}, param: "file_path", value: "in/c.txt", flag: "force", want: both("in/c.txt")},
		{name: "undo here", setUp: []string{"write", "in/c.txt", "NEW", "--force"}, line: []string{"undo"},
			want: []registry.Use{use(registry.ReadsTree, "."), use(registry.WritesTree, ".")}},
		{name: "undo for show", setUp: []string{"write", "in/c.txt", "NEW", "--force"}, line: []string{"undo", "PATH"}, param: "file_path", value: "in/c.txt", flag: "dry_run", want: both("in/c.txt")[:1]},
		{name: "undo lists", setUp: []string{"write", "in/c.txt", "NEW", "--force"}, line: []string{"undo", "PATH"}, param: "file_path", value: "in/c.txt", flag: "list"},
		{name: "note", line: []string{"note", "x"}, want: []registry.Use{use(registry.KeepsState, ".agentbash/notes.json")}},
		{name: "recall", line: []string{"recall"}},
		{name: "skill", line: []string{"skill", "s"}},
		{name: "clarify", line: []string{"clarify", "a.txt", "--default", "b.txt"}},
		{name: "bash_start lists", line: []string{"bash_start"}},
		{name: "bash_start", line: []string{"bash_start", "PATH"}, param: "command", value: ": in/c.txt", want: []registry.Use{use(registry.RunsText, ": in/c.txt")}},
		{name: "web_fetch", line: []string{"web_fetch", "PATH"}, param: "url", value: "$SERVER/x", flag: "raw", want: []registry.Use{use(registry.Contacts, "$SERVER/x")}},
		{name: "web_search", line: []string{"web_search", "words"}, want: []registry.Use{use(registry.Contacts, "$SERVER")}},
	}
}

// spellings are the ways to give a parameter: by its name and every alias, with
// dashes, joined or apart, as a positional, before and behind a flag.
func (r usesRow) spellings(tool *registry.Tool) (lines [][]string) {
	put := func(words ...string) {
		at := slices.Index(r.line, "PATH")
		lines = append(lines, slices.Concat(r.line[:at], words, r.line[at+1:]))
	}
	if r.param == "" {
		return [][]string{slices.Clone(r.line)}
	}
	q := tool.Params.Find(r.param)
	for _, name := range append([]string{q.Name}, q.Aliases...) {
		for _, key := range slices.Compact([]string{"--" + name, "--" + strings.ReplaceAll(name, "_", "-")}) {
			for _, words := range [][]string{{key, r.value}, {key + "=" + r.value}} {
				if r.flag == "" {
					put(words...)
					continue
				}
				put(append([]string{"--" + r.flag}, words...)...)
				put(append(words, "--"+r.flag)...)
				put(append(words, "--"+r.flag+"=true")...)
				put(slices.Concat([]string{"--" + r.flag, "true"}, words)...)
			}
		}
	}
	if r.flag == "" {
		put(r.value)
		lines = append(lines, append(slices.DeleteFunc(slices.Clone(r.line), func(w string) bool { return w == "PATH" }), "--", r.value))
		return lines
	}
	put("--"+r.flag, r.value)
	put(r.value, "--"+r.flag)
	lines = append(lines, append(slices.DeleteFunc(slices.Clone(r.line), func(w string) bool { return w == "PATH" }), "--"+r.flag, "--", r.value))
	return lines
}

// What UsesOf says of a call is what it does, however the call is spelled.
func TestUsesAreWhatIsOpened(t *testing.T) {
	seen := map[string]bool{"bash_output": true, "bash_input": true, "bash_kill": true} // below: they need an ID
	for _, row := range usesRows() {
		seen[row.line[0]] = true
		t.Run(row.name, func(t *testing.T) {
			b := newUsesBench(t)
			expand := strings.NewReplacer("ROOT", b.root, "$SERVER", os.Getenv("SERVER")).Replace
			var want []registry.Use
			for _, u := range row.want {
				want = append(want, registry.Use{Role: u.Role, Value: expand(u.Value)})
			}
			fresh := b.contents()
			for _, line := range row.spellings(b.tools[row.line[0]]) {
				for i := range line {
					line[i] = expand(line[i])
				}
				b.restore(fresh)
				if row.setUp != nil {
					b.run(row.setUp, nil)
				}
				var stdin io.Reader
				if row.stdin != "" {
					stdin = strings.NewReader(row.stdin)
				}
				require.ElementsMatch(t, want, b.run(line, stdin), "%q", line)
			}
		})
	}
	for name := range newUsesBench(t).tools {
		require.True(t, seen[name], "%s is not tried", name)
	}
}

func TestUsesOfWhatIsNotKnownYet(t *testing.T) {
	b := newUsesBench(t)
	parsed, err := b.tools["bash_start"].Parse([]string{"-"}, true)
	require.NoError(t, err)
	_, known := b.tools["bash_start"].UsesOf(parsed.Kwargs)
	require.False(t, known, "the command is on stdin")
}

func TestUsesOfABackgroundShell(t *testing.T) {
	b := newUsesBench(t)
	var id bytes.Buffer
	start := b.tools["bash_start"]
	require.True(t, start.Command(t.Context(), []string{"sleep 1000"}, &registry.Call{Dir: b.dir, Stdout: &id, Stderr: io.Discard}).Success)
	name := strings.TrimSpace(id.String())
	require.Empty(t, b.run([]string{"bash_output", "--id", name}, nil))
	parsed, err := b.tools["bash_input"].Parse([]string{name, "rm x"}, false)
	require.NoError(t, err)
	uses, known := b.tools["bash_input"].UsesOf(parsed.Kwargs)
	require.True(t, known)
	require.Equal(t, []registry.Use{{Role: registry.RunsText, Value: "sleep 1000"}}, uses, "no interactive shell reads it")
	require.Empty(t, b.run([]string{"bash_kill", "--shell-id=" + name}, nil))
}

// An undo without a path keeps to the directory that its uses name.
func TestUndoWithoutAPathKeepsToItsTree(t *testing.T) {
	b := newUsesBench(t)
	b.run([]string{"write", "../b.txt", "NEW", "--force"}, nil)
	for _, words := range [][]string{nil, {"--id", "1"}} {
		res := b.tools["undo"].Command(t.Context(), words, &registry.Call{Dir: b.dir, Stdout: io.Discard, Stderr: io.Discard})
		require.False(t, res.Success)
		require.Contains(t, res.Error, filepath.Join(b.root, "b.txt"))
	}
	require.Equal(t, "NEW", b.contents()[filepath.Join(b.root, "b.txt")])
}

// The tools beside those of files say in a line what they did, too.
func TestDisplayOfTheOtherTools(t *testing.T) {
	b, last := newUsesBench(t), "" // the ID of the shell started last
	for _, row := range []struct {
		words   []string
		display string
		keys    []string
	}{
		{[]string{"note", "x"}, `^noted in \.agentbash/notes\.json$`, []string{"notes", "path"}},
		{[]string{"recall"}, `^recalled 1 note$`, []string{"notes", "path"}},
		{[]string{"skill"}, `^1 skill$`, []string{"skills"}},
		{[]string{"skill", "s"}, `^skill s$`, []string{"name", "path"}},
		{[]string{"clarify", "q?", "--default", "d"}, `^answered by default$`, []string{"by_default"}},
		{[]string{"bash_start"}, `^0 background shells$`, []string{"shells"}},
		{[]string{"bash_start", "exit 3"}, `^started [0-9a-f]+$`, nil},
		{[]string{"bash_output", "ID", "--wait", "exit"}, `^[0-9a-f]+: failed after .*, exit code 3$`, []string{"bash_id", "status", "pid", "log", "exit_code"}},
		{[]string{"bash_start", "sleep 1000"}, `^started [0-9a-f]+$`, []string{"bash_id", "status", "pid", "log"}},
		{[]string{"bash_kill", "ID"}, `^[0-9a-f]+: [0-9]+ process(es)? ended$`, []string{"bash_id", "status", "pid", "log", "exit_code", "processes"}},
		{[]string{"web_fetch", os.Getenv("SERVER")}, `^fetched http://.*, \d+ bytes$`, []string{"url", "http_status", "content_type", "bytes", "truncated"}},
		{[]string{"web_search", "x"}, `^web_search: 1 result$`, []string{"host", "results"}},
	} {
		for i := range row.words {
			if row.words[i] == "ID" {
				row.words[i] = last
			}
		}
		var out bytes.Buffer
		res := b.tools[row.words[0]].Command(t.Context(), row.words[1:], &registry.Call{Dir: b.dir, Stdout: &out, Stderr: io.Discard})
		require.True(t, res.Success, "%q: %s", row.words, res.Error)
		require.Regexp(t, row.display, res.Display)
		if id, ok := res.Metadata["bash_id"].(string); ok {
			last = id
		}
		if row.keys == nil {
			continue
		}
		var keys []string
		for key := range res.Metadata {
			keys = append(keys, key)
		}
		require.ElementsMatch(t, row.keys, keys, "%q", row.words)
	}
}
