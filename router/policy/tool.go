package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// pathKeys are the parameters of tools that hold a file's name.
var pathKeys = [...]string{"file_path", "path", "filepath", "filename", "file", "dir", "directory", "output", "output_path", "destination", "target", "source", "notebook_path"}

// wordTools are our tools whose first argument is no file's name, but a text, an
// ID or a URL.
var wordTools = [...]string{"note", "recall", "skill", "clarify", "bash_start", "bash_output", "bash_kill", "web_fetch", "web_search"}

// tool judges the call of an agent or field command by the tool's kind.
func (j *judge) tool(name string, args []field, at span) {
	if !j.step() {
		return
	}
	p := Part{Kind: ToolPart, words: args, Start: at.start, End: at.end, Via: j.via}
	p.words = append([]field(nil), args...)
	p.words[0].text = name
	if j.out != nil {
		out := anyText
		if strings.HasPrefix(name, registry.FieldPrefix) {
			out = fromNet
		}
		j.out.add(value{out})
	}
	kind := j.world.kind(name)
	if helpOnly(name, args[1:]) {
		p.set = reads
		j.add(p)
		return
	}
	switch kind {
	case registry.ReadOnly:
		p.set = reads
	case registry.Write:
		p.set = writes
		j.reason(name+" changes files", writes, NoDanger, at)
	case registry.Execute:
		p.set = executes
		j.reason(name+" runs code", executes, NoDanger, at)
	case registry.Network:
		p.set = networks
		j.reason(name+" talks to other machines", networks, NoDanger, at)
	default:
		p.set = unknown
		j.reason("what "+name+" does is not known: a rule may say", unknown, NoDanger, at)
	}
	j.toolPaths(&p, args[1:], kind)
	j.add(p)
}

// helpOnly reports whether a call only shows help, or lists tools.
func helpOnly(name string, args []field) bool {
	if group, tool, ok := registry.SplitField(name); ok && (tool == "" || group == "") {
		return true
	}
	return len(args) == 1 && (args[0].text == "-h" || args[0].text == "--help")
}

// toolPaths notes the files that a tool's arguments name. Those of field tools
// are names in their own world, not files of ours.
func (j *judge) toolPaths(p *Part, args []field, kind registry.Kind) {
	if strings.HasPrefix(p.words[0].text, registry.FieldPrefix) {
		return
	}
	if slices.Contains(wordTools[:], p.words[0].text) {
		if p.words[0].text == "bash_start" {
			p.set |= unknown // what it starts is judged where it is known
		}
		return
	}
	write := kind == registry.Write || kind == registry.Execute
	tree := kind == registry.ReadOnly && p.words[0].text != "read"
	found, positional := false, field{}
	for i := 0; i < len(args); i++ {
		a := args[i]
		key, val, joined := strings.Cut(strings.TrimPrefix(a.text, "--"), "=")
		if !strings.HasPrefix(a.text, "--") || a.text == "--" {
			if positional.text == "" && !strings.HasPrefix(a.text, "-") {
				positional = a
			}
			continue
		}
		next := a.after(len(a.text) - len(val))
		if !joined {
			if i+1 == len(args) {
				break
			}
			next = args[i+1]
			i++
		}
		if isPathKey(registry.Fold(key)) {
			j.path(p, literalGlob(next), write, tree)
			found = true
		}
	}
	if positional.text != "" && !found && p.words[0].text != "grep" && p.words[0].text != "glob" {
		j.path(p, literalGlob(positional), write, tree)
		found = true
	}
	if !found && (p.words[0].text == "grep" || p.words[0].text == "glob") {
		j.path(p, field{text: ".", from: -1}, false, true)
	}
	if write && !found {
		p.set |= unknown
	}
}

// literalGlob is a word as a tool's argument: what bash has not expanded the
// tool takes as it is.
func literalGlob(f field) field { return f }

func isPathKey(key string) bool {
	for _, k := range pathKeys {
		if k == key {
			return true
		}
	}
	return false
}
