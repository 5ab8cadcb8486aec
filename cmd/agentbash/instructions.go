package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxInstructions bounds one file of instructions, in bytes: it is paid for with
// every request.
const maxInstructions = 32 << 10

// maxSkills bounds how many skills are listed.
const maxSkills = 100

// instructions is what the user and the project say to any agent: AGENTS.md and
// CLAUDE.md, the user's own first, then from the repository's root down to the
// working directory, so that the nearest has the last word; and one line a skill.
func (a *app) instructions(w *world) string {
	dirs := fromRoot(w.router.Dir())
	home, _ := a.lookup("HOME")
	files := []string{filepath.Join(w.cfg.Dirs.Config, "AGENTS.md"), filepath.Join(w.cfg.Dirs.Config, "CLAUDE.md")}
	skills := []string{filepath.Join(w.cfg.Dirs.Config, "skills")}
	if home != "" {
		files = append(files, filepath.Join(home, ".claude", "CLAUDE.md"))
		skills = append(skills, filepath.Join(home, ".claude", "skills"))
	}
	for _, d := range dirs {
		files = append(files, filepath.Join(d, "AGENTS.md"), filepath.Join(d, "CLAUDE.md"))
		skills = append(skills, filepath.Join(d, ".agentbash", "skills"), filepath.Join(d, ".claude", "skills"))
	}
	return readInstructions(files) + listSkills(skills)
}

// fromRoot are the directories from the repository's root down to dir; outside
// of a repository dir alone.
func fromRoot(dir string) []string {
	var down []string
	for d := dir; ; d = filepath.Dir(d) {
		down = append([]string{d}, down...)
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return down
		}
		if filepath.Dir(d) == d {
			return []string{dir}
		}
	}
}

func readInstructions(files []string) string {
	var b strings.Builder
	var seen [][]byte // CLAUDE.md is often AGENTS.md by another name
next:
	for _, path := range files {
		data, err := os.ReadFile(path)
		data = bytes.TrimSpace(data)
		if err != nil || len(data) == 0 {
			continue
		}
		for _, s := range seen {
			if bytes.Equal(s, data) {
				continue next
			}
		}
		seen = append(seen, data)
		text := string(data)
		if len(text) > maxInstructions {
			text = strings.ToValidUTF8(text[:maxInstructions], "") + fmt.Sprintf("\n[cut here: read --file_path %s has the rest]", path)
		}
		fmt.Fprintf(&b, "\n\nInstructions from %s:\n%s", path, text)
	}
	return b.String()
}

// listSkills names each skill once, with the file to read before using it.
func listSkills(dirs []string) string {
	var lines []string
	seen := map[string]bool{}
	for i := len(dirs) - 1; i >= 0; i-- { // the nearest of a name wins
		files, _ := filepath.Glob(filepath.Join(dirs[i], "*", "SKILL.md"))
		for _, path := range files {
			name, about := skillHead(path)
			if about == "" || seen[name] || len(lines) == maxSkills {
				continue
			}
			seen[name] = true
			lines = append(lines, fmt.Sprintf("- %s: %s (%s)", name, about, path))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n\nSkills. When a task fits one, read its file first and follow it:\n" + strings.Join(lines, "\n")
}

// skillHead reads name and description out of the front matter of a SKILL.md.
func skillHead(path string) (name, about string) {
	name = filepath.Base(filepath.Dir(path))
	data, err := os.ReadFile(path)
	if err != nil {
		return name, ""
	}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	if strings.TrimSpace(lines[0]) != "---" {
		return name, ""
	}
	key := ""
	var folded []string
	for _, line := range lines[1:] {
		if strings.TrimSpace(line) == "---" {
			break
		}
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			if key == "description" {
				folded = append(folded, strings.TrimSpace(line))
			}
			continue
		}
		var value string
		key, value, _ = strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch key {
		case "name":
			if value != "" {
				name = value
			}
		case "description":
			if value != "|" && value != ">" && value != ">-" && value != "|-" {
				folded = append(folded, value)
			}
		}
	}
	about = strings.Join(strings.Fields(strings.Join(folded, " ")), " ")
	if r := []rune(about); len(r) > 300 {
		about = string(r[:300]) + "..."
	}
	return name, about
}
