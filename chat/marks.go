package chat

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// splitter finds in a text what models write there for their server, where that does not take it
// out: reasoning in tags, and the tokens of a chat template. What is quoted is text.
type splitter struct {
	held   string // what may be the beginning of a mark
	closes string // the tag that ends the reasoning; "": it is text
	line   string // the beginning of the line, blanks left out
	ticks  int    // backticks in the line so far
	before byte   // the last byte of the text
	fence  bool   // the text is in a Markdown fence
	lead   string // the line breaks before the text, which go with reasoning before it
	any    bool   // there was some text
	tagged bool   // there was reasoning
	passed int    // bytes of text
	cutAt  int    // how many they were when the last reasoning began
	ended  bool   // a token has ended the reply: what follows is the model going on as somebody else
}

// thoughts are the tags of reasoning, and what ends it.
var thoughts = map[string]string{
	"<think>": "</think>", "<thinking>": "</thinking>", "<thought>": "</thought>", "<reasoning>": "</reasoning>", "<reflection>": "</reflection>",
	"<seed:think>": "</seed:think>", "<mm:think>": "</mm:think>", "[THINK]": "[/THINK]", "<|channel|>analysis<|message|>": "<|end|>",
}

// tokens end a reply; headers begin the part of it that is the answer.
var (
	tokens = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(<\|(im_end|im_start|endoftext|end|eot_id|eom_id|end_of_text|start_header_id|return|user|assistant|system|endofprompt|END_OF_TURN_TOKEN)\|>|</s>|<(end|start)_of_turn>|<｜end▁of▁sentence｜>)`)
	})
	headers = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(<\|start\|>assistant)?<\|channel\|>final(<\|constrain\|>\w+)?<\|message\|>`)
	})
)

const fenceMark = "```"

// longestMark is in bytes: what is longer is no mark.
const longestMark = 60

// split takes the next piece. last: no more follows.
func (s *splitter) split(piece string, last bool) (text, thought string) {
	var out, thinking strings.Builder
	rest := s.held + piece
	for s.held = ""; rest != "" && !s.ended; {
		if s.closes != "" {
			before, after, found := strings.Cut(rest, s.closes)
			if !found {
				keep := 0
				if !last {
					keep = beginOf(rest, s.closes)
				}
				thinking.WriteString(rest[:len(rest)-keep])
				s.held = rest[len(rest)-keep:]
				break
			}
			thinking.WriteString(before)
			s.closes, s.line, s.ticks, rest = "", "", 0, after
			continue
		}
		at := strings.IndexAny(rest, "<[")
		if at < 0 {
			at = len(rest)
		}
		s.pass(&out, rest[:at])
		if rest = rest[at:]; rest == "" {
			break
		}
		n, wait := s.mark(rest, last)
		if wait {
			s.held = rest
			break
		}
		if n == 0 {
			n = 1
			s.pass(&out, rest[:n])
		}
		rest = rest[n:]
	}
	if last && !s.any && !s.tagged {
		out.WriteString(s.lead)
	}
	return out.String(), thinking.String()
}

// pass takes text that is text.
func (s *splitter) pass(out *strings.Builder, text string) {
	if !s.any {
		s.lead += text
		if text = strings.TrimLeft(s.lead, "\n"); text == "" {
			return
		}
		if !s.tagged {
			text = s.lead
		}
	}
	if text == "" {
		return
	}
	out.WriteString(text)
	s.passed += len(text)
	s.before = text[len(text)-1]
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			if strings.HasPrefix(s.line, fenceMark) {
				s.fence = !s.fence
			}
			s.line, s.ticks = "", 0
		}
		s.ticks += strings.Count(line, "`")
		if len(s.line) < len(fenceMark) {
			line = strings.TrimLeft(s.line+line, " \t")
			s.line = line[:min(len(line), len(fenceMark))]
		}
	}
	s.any = true
}

// mark is how much of a text is a mark that begins it. wait: that is not known yet.
func (s *splitter) mark(rest string, last bool) (n int, wait bool) {
	if s.fence || strings.HasPrefix(s.line, fenceMark) || s.ticks%2 == 1 {
		return 0, false
	}
	for opens, closes := range thoughts {
		if strings.HasPrefix(rest, opens) && s.line == "" {
			s.closes, s.tagged, s.cutAt = closes, true, s.passed
			return len(opens), false
		}
	}
	if m := headers().FindString(rest); m != "" {
		return len(m), false
	}
	if m := tokens().FindString(rest); m != "" {
		return s.token(m, strings.TrimLeft(rest[len(m):], " "), last)
	}
	return 0, !last && mayBeMark(rest)
}

// token is how much of a text is a token that ends it, where after stands behind it.
func (s *splitter) token(token, after string, last bool) (n int, wait bool) {
	switch {
	case s.before == '"', s.before == '\'': // quoted
		return 0, false
	case after == "" && !last:
		return 0, true
	case after == "", token != "</s>" && (after[0] == '\n' || strings.HasPrefix(after, "<|")):
		s.ended = true
		return len(token), false
	}
	return 0, false
}

// mayBeMark reports whether a text may become a mark with what follows.
func mayBeMark(rest string) bool {
	if len(rest) >= longestMark || strings.Contains(rest, "\n") {
		return false
	}
	marks := slices.AppendSeq([]string{"</s>", "<end_of_turn>", "<start_of_turn>"}, maps.Keys(thoughts))
	return strings.HasPrefix(rest, "<|") || strings.HasPrefix(rest, "<｜") || slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(mark, rest) })
}

// beginOf is how many bytes at the end of a text are the beginning of a tag.
func beginOf(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

// cutThought takes reasoning off whose beginning stands in the prompt: what comes before a tag
// that ends it, and that nothing opened.
func cutThought(text string) (thought, answer string) {
	for opens, closes := range thoughts {
		before, after, found := strings.Cut(text, closes)
		if found && closes != "<|end|>" && !strings.Contains(before, opens) && strings.Count(before, "```")%2 == 0 &&
			strings.Count(before[strings.LastIndexByte(before, '\n')+1:], "`")%2 == 0 {
			return strings.TrimSpace(before), strings.TrimLeft(after, "\n")
		}
	}
	return "", text
}
