package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// run is a program that a file wants to be run.
type run struct {
	argv []string
	dir  string // absolute
	path string // the PATH that the program is looked for on
}

// ExecutedFile is a file that the argv of a hook, a function or a server names, as it
// is now.
type ExecutedFile struct {
	Path string // absolute
	Hash string // SHA-256, in hexadecimal
}

// runsOf are the programs that a file names. What it gives no directory starts in dir.
func runsOf(f *file, dir, path string) (runs []run) {
	add := func(argv []string, cwd, path string) {
		if len(argv) > 0 && argv[0] != "" {
			runs = append(runs, run{argv, filepath.Clean(dirBelow(dir, cwd)), path})
		}
	}
	for _, h := range slices.Concat(f.Hooks.Before, f.Hooks.After) {
		add(h.Argv, h.Cwd, path)
	}
	for _, group := range f.Fields.Functions {
		for _, fn := range group {
			if fn.Exec != nil {
				add(fn.Exec.Argv, fn.Exec.Cwd, path)
			}
		}
	}
	for _, s := range f.Fields.MCPServers {
		own := path
		if p, ok := s.Env["PATH"]; ok {
			own = p
		}
		if !s.Disabled {
			add(append([]string{s.Command}, s.Args...), s.Cwd, own)
		}
	}
	return runs
}

// definitionRuns are its files of definitions, which say what is run, as if they were.
func definitionRuns(f *file) (runs []run) {
	for _, path := range f.definitions {
		runs = append(runs, run{argv: []string{path}, dir: filepath.Dir(path)})
	}
	return runs
}

// paths are the files that an argv names and that may be run: the program, each
// argument, what follows the = of an option, and the words of a text for a shell but
// for those that it writes. One that looks like a file may be missing.
func (r run) paths() (paths []string) {
	if strings.Contains(r.argv[0], "/") {
		paths = append(paths, filepath.Clean(dirBelow(r.dir, r.argv[0])))
	} else {
		for _, dir := range filepath.SplitList(r.path) {
			full := filepath.Join(dir, r.argv[0])
			if st, err := os.Stat(full); filepath.IsAbs(dir) && err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
				paths = append(paths, full)
				break
			}
		}
	}
	for _, arg := range r.argv[1:] {
		if option, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(option, "-") {
			arg = value
		}
		for _, word := range append(strings.FieldsFunc(written().ReplaceAllString(arg, " "), endsWord), arg) {
			if isData(word) {
				continue
			}
			if path := filepath.Clean(dirBelow(r.dir, word)); word != "" && (isRegular(path) || mayAppear(word, path)) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// written finds what a text for a shell writes.
var written = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`>[>|&]?\s*[^\s;|&()<>]+`) })

// dataExts are the ends of names of what programs are given to work on, which may
// change all the time. (Others may be scripts, whatever their name is.)
var dataExts = strings.Fields(`.jsonl .log .pid .lock .md .txt .csv .tsv`)

func isData(word string) bool { return slices.Contains(dataExts, strings.ToLower(filepath.Ext(word))) }

// endsWord reports whether a character ends a word of bash.
func endsWord(c rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'`=", c) }

func isRegular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// mayAppear reports whether a word without a file looks as if there should be one.
func mayAppear(word, path string) bool {
	ext := strings.ToLower(filepath.Ext(word))
	if !strings.Contains(word, "/") && (len(ext) < 2 || ext[1] < 'a' || ext[1] > 'z') || strings.ContainsAny(word, " \t\n") {
		return false
	}
	st, err := os.Stat(filepath.Dir(path))
	return err == nil && st.IsDir() && !exists(path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// hashProgram is the SHA-256 of a file; "" for what is no file, and for data that is no
// program's text: a database that a server is given changes all the time.
func hashProgram(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	head = head[:n]
	if bytes.IndexByte(head, 0) >= 0 && st.Mode()&0o111 == 0 && !bytes.HasPrefix(head, []byte("\x7fELF")) && !bytes.HasPrefix(head, []byte("PK")) {
		return "", nil
	}
	h := sha256.New()
	h.Write(head)
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
