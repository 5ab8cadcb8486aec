package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentbash/agentbash/agentbash/skills"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/internal/remote"
)

// maxInstructions bounds one file of instructions, in bytes: it is paid for with
// every request.
const maxInstructions = 32 << 10

// maxSkills bounds how many skills are listed.
const maxSkills = 100

// maxDescription is how much of a skill's description is listed, in characters: all of one that
// keeps to the standard.
const maxDescription = 1024

// readInstructions is what the user and the project say to any agent: AGENTS.md and
// CLAUDE.md, the user's own first, then from the repository's root down to the
// working directory, so that the nearest has the last word; and one line a skill.
func (a *app) readInstructions(b *configuredBash) string {
	files := []string{filepath.Join(b.cfg.Dirs.Config, "AGENTS.md"), filepath.Join(b.cfg.Dirs.Config, "CLAUDE.md")}
	if home, _ := a.lookup("HOME"); home != "" {
		files = append(files, filepath.Join(home, ".claude", "CLAUDE.md"))
	}
	texts := readTexts(files)
	if b.on == nil {
		files = nil
		for _, d := range fromRoot(b.Router().Dir()) {
			files = append(files, filepath.Join(d, "AGENTS.md"), filepath.Join(d, "CLAUDE.md"))
		}
		texts = append(texts, readTexts(files)...)
	} else {
		texts = append(texts, b.on.Texts()...)
	}
	return joinInstructions(texts) + a.listSkills(b)
}

// skillDirs are where skills are, the nearest last.
func (a *app) skillDirs(b *configuredBash, dir string) []string {
	dirs := []string{filepath.Join(b.cfg.Dirs.Config, "skills")}
	if home, _ := a.lookup("HOME"); home != "" {
		dirs = append(dirs, skills.Subdirs(home)...)
	}
	for _, d := range fromRoot(dir) {
		if b.on != nil {
			break // it is a directory of another machine
		}
		dirs = append(dirs, skills.Subdirs(d)...)
	}
	return dirs
}

// listSkills names each skill once, with when to use it.
func (a *app) listSkills(b *configuredBash) string {
	if _, on := b.Registry().Lookup("skill"); !on {
		return ""
	}
	found, problems := skills.Find(a.skillDirs(b, b.Router().Dir()))
	a.warn(problems...)
	var out strings.Builder
	listed := 0
	for _, s := range found {
		if s.PersonOnly || listed == maxSkills {
			continue
		}
		listed++
		about := s.Description
		if r := []rune(about); len(r) > maxDescription {
			about = string(r[:maxDescription]) + "..."
		}
		fmt.Fprintf(&out, "\n- %s: %s", s.Name, about)
	}
	if listed == 0 {
		return ""
	}
	return "\n\nSkills. When a task fits one, run `skill NAME` first and follow what it prints:" + out.String()
}

// skillCommands are the skills as a person starts them: all there are.
func (a *app) skillCommands(b *configuredBash) (list []term.Skill) {
	if _, on := b.Registry().Lookup("skill"); !on {
		return nil
	}
	found, _ := skills.Find(a.skillDirs(b, b.Router().Dir())) // the problems were told when the chat began
	for _, s := range found {
		list = append(list, term.Skill{Name: s.Name, About: s.Description, Text: s.Text})
	}
	return list
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

func readTexts(files []string) (texts []remote.Text) {
	for _, path := range files {
		if data, err := os.ReadFile(path); err == nil {
			texts = append(texts, remote.Text{Path: path, Text: string(data)})
		}
	}
	return texts
}

func joinInstructions(texts []remote.Text) string {
	var b strings.Builder
	seen := map[string]bool{"": true} // CLAUDE.md is often AGENTS.md by another name
	for _, t := range texts {
		text := strings.TrimSpace(t.Text)
		if seen[text] {
			continue
		}
		seen[text] = true
		if len(text) > maxInstructions {
			text = strings.ToValidUTF8(text[:maxInstructions], "") + fmt.Sprintf("\n[cut here: read --file_path %s has the rest]", t.Path)
		}
		fmt.Fprintf(&b, "\n\nInstructions from %s:\n%s", t.Path, text)
	}
	return b.String()
}
