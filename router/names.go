package router

import (
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// agentPrefix forces the tool where a name is bash's too: agent:read.
const agentPrefix = "agent:"

// nameIndex finds out fast whether a text can hold a call at all. It is made
// anew when the registry changes, and not changed after that.
type nameIndex struct {
	agent   map[string]*registry.Tool
	first   [256]bool // bytes that names start with
	parsers sync.Pool // of *syntax.Parser
}

func newNameIndex(r *registry.ToolRegistry) *nameIndex {
	n := &nameIndex{agent: map[string]*registry.Tool{}}
	for _, t := range r.All() {
		if !strings.HasPrefix(t.Name, registry.FieldPrefix) {
			n.agent[t.Name] = t
			n.first[t.Name[0]] = true
		}
	}
	n.first[agentPrefix[0]], n.first[registry.FieldPrefix[0]] = true, true
	return n
}

// nameBytes can be part of a name; glueBytes, when they stand before one, make
// it part of a longer word or quote it.
var nameBytes, glueBytes = nameTables()

func nameTables() (name, glue [256]bool) {
	for b := 'a'; b <= 'z'; b++ {
		name[b], name[b-'a'+'A'] = true, true
	}
	for _, b := range "0123456789_-.:" {
		name[b] = true
	}
	glue = name
	for _, b := range `/\"'$=@%+,^~*?[]` {
		glue[b] = true
	}
	return name, glue
}

// occurs reports whether a call's name stands somewhere in s as a word of its own.
func (n *nameIndex) occurs(s string) bool {
	for i := 0; i < len(s); i++ {
		if !n.first[s[i]] || i > 0 && glueBytes[s[i-1]] {
			continue
		}
		end := i + 1
		for end < len(s) && nameBytes[s[end]] {
			end++
		}
		if n.isCall(s[i:end]) {
			return true
		}
		i = end - 1
	}
	return false
}

// isCall reports whether a command word names an agent or field command.
func (n *nameIndex) isCall(word string) bool {
	return strings.HasPrefix(word, registry.FieldPrefix) || strings.HasPrefix(word, agentPrefix) || n.agent[word] != nil
}

// firstWord returns the literal word a command starts with, or "" when it
// starts with anything else.
func firstWord(s string) string {
	s = strings.TrimLeft(s, " \t\n")
	end := 0
	for end < len(s) && (nameBytes[s[end]] || s[end] == '/' || s[end] == '+' || s[end] == '[') {
		end++
	}
	if end < len(s) && strings.IndexByte(" \t\n;|&<>()", s[end]) < 0 {
		return ""
	}
	return s[:end]
}
