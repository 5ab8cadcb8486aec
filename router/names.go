package router

import (
	"iter"
	"maps"
	"math/bits"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// agentPrefix forces the tool where a name is bash's too: agent:read.
const agentPrefix = "agent:"

// nameIndex finds out fast whether a text can hold a call. It is not changed; the registry's changes make another.
type nameIndex struct {
	agent   map[string]*registry.Tool
	pairs   [1 << 14]uint8 // bit j: some name has these two letters at j; see occurs
	stride  int            // a name's first bytes hold so many pairs
	readers sync.Pool      // of *bufio.Reader
}

func newNameIndex(r *registry.ToolRegistry) *nameIndex {
	n := &nameIndex{agent: map[string]*registry.Tool{}}
	starts, least := []string{agentPrefix, registry.FieldPrefix}, len(agentPrefix)
	for _, t := range r.All() {
		if !strings.HasPrefix(t.Name, registry.FieldPrefix) {
			n.agent[t.Name] = t
			least = min(least, len(t.Name))
			starts = append(starts, t.Name)
		}
	}
	n.stride = least - 1
	for _, s := range starts {
		for j := range n.stride {
			n.pairs[pairIndex(s[j], s[j+1])] |= 1 << j
		}
	}
	return n
}

// tools are the names of the agent commands.
func (n *nameIndex) tools() iter.Seq[string] { return maps.Keys(n.agent) }

// pairIndex is an index for two bytes; bytes that are not ASCII share those of others.
func pairIndex(a, b byte) uint { return uint(a&0x7f)<<7 | uint(b&0x7f) }

// nameBytes can be part of a name; glueBytes, when they stand before one, make
// it part of a longer word or quote it. (A quotation mark may begin a command's text.)
var nameBytes, glueBytes = nameTables()

func nameTables() (name, glue [256]bool) {
	for b := 'a'; b <= 'z'; b++ {
		name[b], name[b-'a'+'A'] = true, true
	}
	for _, b := range "0123456789_-.:" {
		name[b] = true
	}
	for b := 0x80; b < 256; b++ {
		name[b] = true
	}
	glue = name
	for _, b := range `/\$=@%+,^~*?[]` {
		glue[b] = true
	}
	return name, glue
}

// occurs reports whether a call's name stands somewhere in s as a word of its
// own. The pairs of neighbouring bytes that names begin with tell: of a name of
// four letters there are three, so every third pair of the text is enough to
// meet one of them.
func (n *nameIndex) occurs(s string) bool {
	if n.stride == 0 {
		return true // a name of one letter
	}
	for i := 1; i < len(s); i += n.stride {
		if at := n.pairs[pairIndex(s[i-1], s[i])]; at != 0 && n.beginsNear(s, i-1, at) {
			return true
		}
	}
	return false
}

// beginsNear reports whether a call's name begins so far before i as a bit of
// at says.
func (n *nameIndex) beginsNear(s string, i int, at uint8) bool {
	for ; at != 0; at &= at - 1 {
		start := i - bits.TrailingZeros8(at)
		if start < 0 || start > 0 && glueBytes[s[start-1]] {
			continue
		}
		end := start
		for end < len(s) && nameBytes[s[end]] {
			end++
		}
		if n.isCall(s[start:end]) {
			return true
		}
	}
	return false
}

// isCall reports whether a command word names an agent or field command.
func (n *nameIndex) isCall(word string) bool {
	return strings.HasPrefix(word, registry.FieldPrefix) || strings.HasPrefix(word, agentPrefix) || n.agent[word] != nil
}

// firstWord returns the literal word that a command starts with, or "".
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
