package ignore

import (
	"os"
	"path/filepath"
	"strings"
)

// loadExcludes returns the rules of a repository that no .gitignore holds: its
// info/exclude, and below them those of core.excludesFile.
func loadExcludes(top string, base int) *level {
	dir := gitDir(top)
	var l *level
	file := excludesFile(filepath.Join(dir, "config"))
	if file != "" {
		l = l.push(Parse(readNoFollow(file, false)), base)
	}
	return l.push(Parse(readNoFollow(filepath.Join(dir, "info", "exclude"), false)), base)
}

// gitDir returns the directory that holds a work tree's shared git files. A
// linked work tree and a submodule have a file .git that says where it is.
func gitDir(top string) string {
	dir := filepath.Join(top, ".git")
	pointer, ok := strings.CutPrefix(string(readNoFollow(dir, false)), "gitdir: ")
	if !ok {
		return dir
	}
	dir = pathBelow(top, strings.TrimRight(pointer, "\r\n"))
	if common := readNoFollow(filepath.Join(dir, "commondir"), false); common != nil {
		return pathBelow(dir, strings.TrimRight(string(common), "\r\n"))
	}
	return dir
}

func pathBelow(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// excludesFile returns core.excludesFile: the repository's setting, else the
// user's, else git's default place; "" without a home directory.
func excludesFile(repoConfig string) string {
	home, _ := os.UserHomeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	value, set := "", false
	if xdg != "" {
		value = filepath.Join(xdg, "git", "ignore")
	}
	for _, file := range []string{filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig"), repoConfig} {
		if v, ok := coreSetting(string(readNoFollow(file, false)), "excludesfile"); ok {
			value, set = v, true
		}
	}
	if rest, ok := strings.CutPrefix(value, "~/"); ok && set && home != "" {
		value = filepath.Join(home, rest)
	}
	return value
}

// coreSetting returns a value of the section [core] of a git configuration; the last one counts.
func coreSetting(config, key string) (value string, ok bool) {
	section := ""
	for line := range strings.SplitSeq(config, "\n") {
		line = strings.TrimSpace(line)
		if head, found := strings.CutPrefix(line, "["); found {
			name, rest, _ := strings.Cut(head, "]")
			section, line = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(rest)
		}
		k, v, found := strings.Cut(line, "=")
		if section == "core" && found && strings.EqualFold(strings.TrimSpace(k), key) {
			value, ok = configValue(v), true
		}
	}
	return value, ok
}

// configValue takes quotes, escapes and a comment out of a value.
func configValue(v string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(v):
			i++
			b.WriteByte(v[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}
