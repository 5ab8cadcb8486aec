package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
	"golang.org/x/sys/unix"
)

// changeLimit is the size in bytes of the biggest file that write and edit change.
const changeLimit = 1 << 30

func (f *files) writeTool() *registry.Tool {
	return &registry.Tool{
		Name:     "write",
		Summary:  "write a whole file, or append to one",
		Kind:     registry.Write,
		Category: Category,
		Tags:     []string{"file", "create", "save", "overwrite", "append"},
		Detail: `Writes exactly the bytes it is given, from --content or stdin; missing directories are made. A reader sees the old
file or the new one, never a part. Mode, owner and attributes stay, a symbolic link stays and its target is written. Reports
lines, bytes and SHA-256, and a diff when it overwrote. In a session, a file that was neither read nor written before is
only overwritten with --force. To change a part of a file use edit; to take a write back, undo.`,
		Params: registry.NewParams(
			filePath(registry.WritesFile, "The file to write: relative to the current directory, absolute, or ~/..."),
			registry.Param{Name: "content", Type: registry.String, Required: true, Stdin: true, Pattern: true, Aliases: []string{"contents", "text", "file_text"},
				Description: "The whole new content, taken literally; an end of line is written only where the content has one."},
			registry.Param{Name: "append", Type: registry.Boolean, Default: false, Short: "a", Description: "Add the content to the end of the file."},
			registry.Param{Name: "create_only", Type: registry.Boolean, Default: false, Description: "Fail when the file exists."},
			encodingParam("What to write the file in; auto keeps what it is in, and makes a UTF-8 file; raw and utf-8 write the bytes that are given."),
			registry.Param{Name: "expected_hash", Type: registry.String,
				Description: "Write only if the file's SHA-256 starts with this (8 hexadecimal digits or more)."},
			registry.Param{Name: "dry_run", Type: registry.Boolean, Default: false, Description: "Say what would change, and change nothing."},
			registry.Param{Name: "force", Type: registry.Boolean, Default: false, Short: "f", Description: "Overwrite a file that was not read before, or that changed since."},
		),
		Examples: []string{
			"write notes.txt 'one line'",
			"write src/new/file.go <<'EOF'\npackage main\nEOF",
			"sort names | write names.sorted",
			"write log.txt --append 'and one more'",
		},
		Check: func(k registry.Kwargs) []string {
			if k["append"] == true && k["create_only"] == true {
				return []string{"--append and --create_only exclude each other: leave one out"}
			}
			return checkHash(k)
		},
		Uses: addShownUses,
		Run:  f.write,
	}
}

// checkHash checks the form of expected_hash.
func checkHash(k registry.Kwargs) []string {
	h, ok := k["expected_hash"].(string)
	if !ok {
		return nil
	}
	h = strings.TrimPrefix(h, "sha256:")
	if _, err := hex.DecodeString(h + strings.Repeat("0", len(h)%2)); err != nil || len(h) < 8 || len(h) > 64 {
		return []string{fmt.Sprintf("--expected_hash %q is no SHA-256: give 8 to 64 hexadecimal digits (sha256sum FILE prints them)", h)}
	}
	return nil
}

// expectHash compares a content with expected_hash, if it was given.
func expectHash(call *registry.Call, shown string, content []byte) error {
	want := strings.ToLower(strings.TrimPrefix(call.String("expected_hash"), "sha256:"))
	if sum := hashOf(content); !strings.HasPrefix(sum, want) {
		return fmt.Errorf("%s has SHA-256 %s, not %s: it changed; read it again", shown, sum[:max(12, len(want))], want)
	}
	return nil
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func (f *files) write(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
	if call.String("file_path") == "" {
		return finishRun(registry.Usagef("file_path is empty: name a file"))
	}
	content := []byte(call.String("content"))
	if !call.Has("content") {
		if call.Stdin == nil {
			return finishRun(registry.Usagef("missing --content: write --content TEXT, or give it on stdin"))
		}
		var err error
		if content, err = io.ReadAll(call.Stdin); err != nil {
			return finishRun(fmt.Errorf("reading stdin: %w: nothing was written", err))
		}
	}
	if text := string(content); call.Has("content") && strings.Contains(text, `\n`) && !strings.Contains(text, "\n") {
		fmt.Fprintln(call.Stderr, `the content has a literal \n and no end of line: $'a\nb' and a here-document (write FILE <<'EOF') have line ends`)
	}
	path := call.Path(call.String("file_path"))
	defer f.lockFile(turnName(path))()
	g := f.newGate(ctx)
	file, err := openTarget(g, call, path)
	if errors.Is(err, os.ErrNotExist) {
		return doneWith(f.createFile(g, call, path, content))
	}
	if err != nil {
		return finishRun(err)
	}
	defer file.Close()
	return doneWith(f.overwriteFile(ctx, call, path, file, content))
}

// openTarget opens an existing file to be changed; fs.ErrNotExist passes.
func openTarget(g *gate, call *registry.Call, path string) (*atomicfile.File, error) {
	if strings.ContainsRune(path, 0) {
		return nil, notFound(call, path, unix.EINVAL)
	}
	if n, own := registry.DescriptorOf(path); own {
		return nil, fmt.Errorf("%s is a descriptor (%d): only regular files can be changed: redirect a command's output into it", path, n)
	}
	file, err := g.openFile(path)
	var denied *Denied
	if errors.As(err, &denied) {
		return nil, err
	}
	var kind *atomicfile.NotRegularError
	var pathErr *os.PathError
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, err
	case errors.As(err, &kind) && kind.Mode.IsDir():
		return nil, refuseSpecial(call, path)
	case errors.As(err, &kind), errors.Is(err, unix.ENXIO):
		return nil, fmt.Errorf("%s %s: only regular files can be changed", call.Rel(path), kindOf(path))
	case errors.As(err, &pathErr):
		return nil, fmt.Errorf("%s: %w", call.Rel(path), pathErr.Err)
	}
	return nil, fmt.Errorf("%s: %w", call.Rel(path), err)
}

// createFile writes a file that is not there yet.
func (f *files) createFile(g *gate, call *registry.Call, path string, content []byte) (about summary, err error) {
	shown := call.Rel(path)
	if typed := call.String("file_path"); strings.HasSuffix(typed, "/") {
		return about, fmt.Errorf("%s names a directory, which is not there: name the file, or make the directory with: mkdir -p %s", typed, quote.Word(typed))
	}
	if strings.ContainsAny(shown, "*?") && !call.Bool("force") {
		return about, fmt.Errorf("no file matches %s, and bash leaves such a pattern as it is: nothing was written; --force makes a file of that very name", shown)
	}
	if call.Has("expected_hash") {
		return about, fmt.Errorf("%s does not exist, so it cannot have the expected hash: leave --expected_hash out to create it", shown)
	}
	real, err := atomicfile.Resolve(path)
	if err != nil {
		return about, fmt.Errorf("%s: %w", shown, err)
	}
	if err := g.mayWrite(real); err != nil {
		return about, err
	}
	if content, err = encodeContent(call, shown, nil, content); err != nil {
		return about, err
	}
	hash := hashOf(content)
	about = writeSummary(call, "created", real, content, hash)
	if call.Bool("dry_run") {
		_, err := fmt.Fprintf(call.Stdout, "would create %s: %s\n", shown, describeContent(content, hash))
		return about, err
	}
	if err := f.commit(call, g, "write", []*fileChange{{path: real, shown: shown, is: content, there: true, known: true}}); err != nil {
		return about, err
	}
	_, err = fmt.Fprintf(call.Stdout, "created %s: %s\n", shown, describeContent(content, hash))
	return about, err
}

// overwriteFile replaces, or appends to, a file that exists.
func (f *files) overwriteFile(ctx context.Context, call *registry.Call, path string, file *atomicfile.File, content []byte) (about summary, err error) {
	shown := call.Rel(path)
	if call.Bool("create_only") {
		return about, fmt.Errorf("%s exists (%s): leave --create_only out to overwrite it", shown, countNoun(int(file.Size()), "byte"))
	}
	old, err := file.Content(changeLimit)
	if err != nil {
		return about, err
	}
	if err := expectHash(call, shown, old); err != nil {
		return about, err
	}
	appending := call.Bool("append")
	if !appending && !call.Bool("force") && !call.Has("expected_hash") {
		if err := f.checkWasRead(shown, file, old, content); err != nil {
			return about, err
		}
		if line := newPlaceholder(string(old), string(content)); line != "" {
			return about, fmt.Errorf("the content has %q, which stands for lines that are left out, and they would be lost: give the whole content, use edit, or pass --force", line)
		}
	}
	if content, err = encodeContent(call, shown, old, content); err != nil {
		return about, err
	}
	verb, diff := "overwrote", diffFor(call)
	if appending {
		verb = "appended to"
		content = append(bytes.Clone(old), content...)
	}
	hash := hashOf(content)
	about = writeSummary(call, verb, file.Path, content, hash)
	report := fmt.Sprintf("%s %s: %s\n%s", verb, shown, describeContent(content, hash), diff(shown, old, content))
	if call.Bool("dry_run") {
		_, err := fmt.Fprintf(call.Stdout, "would have %s", strings.Replace(report, "overwrote", "overwritten", 1))
		return about, err
	}
	if err := ctx.Err(); err != nil {
		return about, err
	}
	c := &fileChange{path: file.Path, shown: shown, file: file, was: old, is: content, there: true, known: true, appended: appending}
	if err := f.commit(call, nil, "write", []*fileChange{c}); err != nil {
		return about, err
	}
	_, err = io.WriteString(call.Stdout, report)
	return about, err
}

// checkWasRead refuses to overwrite what was not read.
func (f *files) checkWasRead(shown string, file *atomicfile.File, old, content []byte) error {
	r, known := f.lookUpState(file.Path)
	switch {
	case known && r.changed(stampOfFile(file), old):
		return fmt.Errorf("%s changed since it was read: read it again, or pass --force", shown)
	case !known && f.opts.RequireRead && len(old) > 0 && !bytes.Equal(old, content):
		return fmt.Errorf("%s exists (%s) and was not read: read it first, or pass --force to overwrite it", shown, countNoun(countLines(old), "line"))
	}
	return nil
}

// rememberFile notes a file that was just written.
func (f *files) rememberFile(real string, content []byte) {
	r := fileState{print: printOf(content), whole: true}
	f.rememberState(real, r)
}

func stampOfFile(file *atomicfile.File) stamp {
	st := file.Stat()
	return stampOf(&st)
}

func unwrapPath(err error) error {
	var p *os.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// describeContent describes a content: lines, bytes and hash.
func describeContent(content []byte, hash string) string {
	return fmt.Sprintf("%s, %s, sha256 %s", countNoun(countLines(content), "line"), countNoun(len(content), "byte"), hash[:16])
}

// writeSummary is the summary of a write.
func writeSummary(call *registry.Call, verb, path string, content []byte, hash string) summary {
	facts := contentFacts(path, content, hash)
	facts["created"], facts["dry_run"] = verb == "created", call.Bool("dry_run")
	return summary{dryRun(call) + verb + " " + call.Rel(path) + ", " + countNoun(countLines(content), "line"), facts}
}

// dryRun begins the display of a call that changed nothing.
func dryRun(call *registry.Call) string {
	if call.Bool("dry_run") {
		return "dry run: "
	}
	return ""
}
