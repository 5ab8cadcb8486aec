package registry

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"github.com/tidwall/gjson"
)

const (
	mostFound   = 10   // tools that a search returns
	leastScore  = 0.35 // of the best one's: what is worse is not returned
	saturation  = 1.2  // k1 of BM25
	lengthShare = 0.5  // b of BM25
)

// The weight of a word by where it stands in a tool, and of one that is not quite
// the word that was typed.
const (
	inName, inGroup, inSummary, inParam, inDetail, inParamDetail = 4, 3, 2, 1, 0.5, 0.3

	bySynonym, byBeginning, byTypingError = 0.6, 0.7, 0.5
)

// Search returns the known tools that answer a query in plain words, best first, at
// most ten: by BM25 over names, servers, descriptions and parameters, where words
// count with their stems, synonyms, and typing errors.
func (r *ToolRegistry) Search(query string) []*Tool {
	x := r.searchIndex()
	scores := make([]float64, len(x.tools))
	asTyped := map[string]string{}
	for word := range eachWord(query) {
		asTyped[stemOf(word)] = word
	}
	for _, typed := range searchWords(query) {
		best := map[int]float64{} // of this word, by tool
		for word, weight := range x.meant(typed, asTyped[typed]) {
			rarity := weight * min(x.rarity(word), x.rarity(typed)) // a synonym says no more than the word
			for _, f := range x.found[word] {
				length := 1 - lengthShare + lengthShare*x.lengths[f.tool]/x.length
				s := rarity * f.weight * (saturation + 1) / (f.weight + saturation*length)
				best[f.tool] = max(best[f.tool], s)
			}
		}
		for i, s := range best {
			scores[i] += s
		}
	}
	order := make([]int, 0, len(scores))
	top := 0.0
	for i, s := range scores {
		if top = max(top, s); s > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var out []*Tool
	for _, i := range order {
		if len(out) < mostFound && scores[i] >= leastScore*top {
			out = append(out, x.tools[i])
		}
	}
	return out
}

// index is what a search looks in.
type index struct {
	changes int // of the registry, before it was made
	tools   []*Tool
	lengths []float64 // of the tools, in weighted words
	length  float64   // their mean
	found   map[string][]occurrence
}

// occurrence is that a word stands in a tool, with what it weighs there.
type occurrence struct {
	tool   int
	weight float64
}

// rarity is BM25's IDF.
func (x *index) rarity(word string) float64 {
	n := float64(len(x.found[word]))
	return math.Log(1 + (float64(len(x.tools))-n+0.5)/(n+0.5))
}

// searchIndex is the index of the tools that are known now.
func (r *ToolRegistry) searchIndex() *index {
	r.mu.RLock()
	x, now := r.index, r.changes
	r.mu.RUnlock()
	if x == nil || x.changes != now {
		x = newIndex(r.All(), now)
		r.mu.Lock()
		r.index = x
		r.mu.Unlock()
	}
	return x
}

func newIndex(tools []*Tool, changes int) *index {
	x := &index{changes: changes, tools: tools, found: map[string][]occurrence{}}
	stems := map[string]string{}
	for i, t := range tools {
		words, length := map[string]float64{}, 0.0
		add := func(text string, weight float64) {
			for word := range eachWord(text) {
				stem, known := stems[word]
				if !known {
					stem = stemOf(word)
					stems[word] = stem
				}
				if stem != "" {
					words[stem] += weight
					length += weight
				}
			}
		}
		name := t.Name
		if group, tool, isField := SplitField(name); isField {
			name = tool
			add(group, inGroup)
		}
		add(name, inName)
		add(t.Summary, inSummary)
		add(t.Detail, inDetail)
		for _, tag := range append([]string{t.Category}, t.Tags...) {
			add(tag, inParam)
		}
		properties := gjson.GetBytes(t.Params.Schema(), "properties") // reading a whole schema takes ten times as long
		properties.ForEach(func(name, property gjson.Result) bool {
			add(name.String(), inParam)
			add(property.Get("description").String(), inParamDetail)
			return true
		})
		for word, weight := range words {
			x.found[word] = append(x.found[word], occurrence{i, weight})
		}
		x.lengths = append(x.lengths, length)
		x.length += length / float64(len(tools))
	}
	return x
}

// meant are the words of the index that a typed word's stem stands for, with their
// weights. A typing error is looked for in the word itself: the stem of "raed" is "ra".
func (x *index) meant(typed, whole string) map[string]float64 {
	out := map[string]float64{}
	for _, word := range synonyms()[typed] {
		if x.found[word] != nil {
			out[word] = bySynonym
		}
	}
	if x.found[typed] != nil {
		out[typed] = 1
	}
	if len(out) > 0 {
		return out
	}
	words := make([]string, 0, len(x.found))
	for word := range x.found {
		if words = append(words, word); len(typed) > 2 && strings.HasPrefix(word, typed) {
			out[word] = byBeginning
		}
	}
	if len(out) == 0 {
		slices.Sort(words)
		for _, word := range Closest(whole, words, 3) {
			out[word] = byTypingError
		}
	}
	return out
}

// searchWords are the stems of a text's words.
func searchWords(text string) (words []string) {
	for word := range eachWord(text) {
		if stem := stemOf(word); stem != "" && !slices.Contains(words, stem) {
			words = append(words, stem)
		}
	}
	return words
}

// eachWord yields a text's words, letters and digits, in lower case; a capital after a small letter begins one.
func eachWord(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		from, before := -1, ' '
		for i, c := range text + " " {
			isWord := unicode.IsLetter(c) || unicode.IsDigit(c)
			if from >= 0 && (!isWord || unicode.IsUpper(c) && unicode.IsLower(before)) {
				if !yield(strings.ToLower(text[from:i])) {
					return
				}
				from = -1
			}
			if isWord && from < 0 {
				from = i
			}
			before = c
		}
	}
}

// stemOf is a word's stem; "" is one of the words that are in every sentence.
func stemOf(word string) string {
	if strings.Contains(stopWords, " "+word+" ") {
		return ""
	}
	return english.Stem(word, false)
}
