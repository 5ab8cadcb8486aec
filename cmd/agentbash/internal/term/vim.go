package term

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// vim is vi's way to edit: the keys mean commands until one of them inserts. The
// zero value is off.
type vim struct {
	on      bool
	command bool   // keys are commands
	pending string // of a command that is not whole: a count, d, c, y, f, g, r
	find    string // the last f, F, t or T, for ; and ,
}

// state is what the status line says of it.
func (v *vim) state() string {
	switch {
	case !v.on:
		return ""
	case v.command:
		return "NORMAL"
	}
	return "INSERT"
}

// press takes a key that is meant for it; false: the key has its usual meaning.
func (v *vim) press(b *buffer, k key) bool {
	switch {
	case !v.on:
		return false
	case k.name == keyEscape && !v.command:
		v.command, v.pending = true, ""
		if b.cursor > b.lineStart() {
			b.cursor = b.before(b.cursor)
		}
		return true
	case k.name == keyEscape && v.pending != "":
		v.pending = ""
		return true
	case !v.command || k.name != "":
		return false
	}
	for i, r := range k.text {
		if !v.command { // i, in one piece with what is to be inserted
			b.insert(k.text[i:])
			return true
		}
		v.typed(b, r)
	}
	return true
}

// typed takes a character of a command.
func (v *vim) typed(b *buffer, r rune) {
	v.pending += string(r)
	count, rest := takeCount(v.pending)
	if rest == "" {
		return
	}
	operator, motion := "", rest
	if strings.ContainsAny(rest[:1], "dcy") {
		more, after := takeCount(rest[1:])
		operator, motion, count = rest[:1], after, count*more
	}
	switch {
	case motion == "", strings.ContainsAny(motion[:1], "fFtT") && utf8.RuneCountInString(motion) < 2, motion == "g", motion == "r" && operator == "":
		return
	case operator != "":
		v.operate(b, operator, motion, count)
	default:
		v.run(b, motion, count)
	}
	v.pending = ""
}

// takeCount takes the number that a command begins with; there is none in 0.
func takeCount(s string) (count int, rest string) {
	for rest = s; rest != "" && (rest[0] >= '1' && rest[0] <= '9' || rest[0] == '0' && count > 0); rest = rest[1:] {
		count = min(10*count+int(rest[0]-'0'), 1000)
	}
	return max(count, 1), rest
}

// operate deletes, changes or yanks what a motion passes.
func (v *vim) operate(b *buffer, operator, motion string, count int) {
	var from, to int
	switch {
	case motion == operator: // dd: the line
		from, to = b.lineStart(), b.lineEnd()
		if operator == "d" && to < len(b.text) {
			to++
		}
	case operator == "c" && motion == "w": // as ce does
		motion = "e"
		fallthrough
	default:
		at, inclusive, known := v.move(b, motion, count)
		if !known {
			return
		}
		from, to = min(at, b.cursor), max(at, b.cursor)
		if inclusive && at >= b.cursor && to < len(b.text) {
			to = b.after(to)
		}
	}
	b.killed = b.text[from:to]
	if operator == "y" {
		b.cursor = from
		return
	}
	b.remove(from, to)
	v.command = operator != "c"
}

// run is a command of its own, or a motion.
func (v *vim) run(b *buffer, name string, count int) {
	insert := func(at int) { b.cursor, v.command = at, false }
	switch name[0] {
	case 'i':
		insert(b.cursor)
	case 'I':
		insert(b.lineStart())
	case 'a':
		insert(min(b.after(b.cursor), b.lineEnd()))
	case 'A':
		insert(b.lineEnd())
	case 'o':
		insert(b.lineEnd())
		b.insert("\n")
	case 'O':
		insert(b.lineStart())
		b.insert("\n")
		b.cursor--
	case 'x', 's':
		v.operate(b, map[byte]string{'x': "d", 's': "c"}[name[0]], "l", count)
	case 'X':
		v.operate(b, "d", "h", count)
	case 'D', 'C':
		v.operate(b, strings.ToLower(name), "$", 1)
	case 'S':
		v.operate(b, "c", "c", 1)
	case 'Y':
		v.operate(b, "y", "y", 1)
	case 'p':
		b.cursor = min(b.after(b.cursor), b.lineEnd())
		b.insert(strings.Repeat(b.killed, count))
	case 'P':
		b.insert(strings.Repeat(b.killed, count))
	case 'u':
		b.undo()
	case 'r':
		if to := b.after(b.cursor); b.cursor < b.lineEnd() {
			b.remove(b.cursor, to)
			b.insert(name[1:])
			b.cursor = b.before(b.cursor)
		}
	case '~':
		if to := b.after(b.cursor); b.cursor < b.lineEnd() {
			r, _ := utf8.DecodeRuneInString(b.remove(b.cursor, to))
			if unicode.IsUpper(r) {
				r = unicode.ToLower(r)
			} else {
				r = unicode.ToUpper(r)
			}
			b.insert(string(r))
		}
	case 'j', 'k':
		for range count {
			b.vertical(name == "k")
		}
	default:
		if at, _, known := v.move(b, name, count); known {
			b.cursor = at
		}
	}
}

// move is where a motion leads. inclusive: the character there is passed too.
func (v *vim) move(b *buffer, name string, count int) (at int, inclusive, known bool) {
	at = b.cursor
	if name == ";" && v.find != "" {
		name = v.find
	}
	for range count {
		was := at
		switch name {
		case "h":
			at = max(b.before(at), b.lineStart())
		case "l", " ":
			at = min(b.after(at), b.lineEnd())
		case "0":
			at = b.lineStart()
		case "^":
			at = b.lineStart()
			at += len(b.text[at:]) - len(strings.TrimLeft(b.text[at:], " \t"))
		case "$":
			at = b.lineEnd()
		case "gg":
			at = 0
		case "G":
			at = len(b.text)
		case "w", "W":
			at = wordEdge(b.text, at, name == "W", true)
		case "e", "E":
			at, inclusive = wordLast(b.text, at, name == "E"), true
		case "b", "B":
			at = wordEdge(b.text, at, name == "B", false)
		default:
			if !strings.ContainsAny(name[:1], "fFtT") {
				return at, false, false
			}
			v.find = name
			if at, inclusive = findInLine(b, name, at); at < 0 {
				return b.cursor, false, false
			}
		}
		if at == was {
			break
		}
	}
	return at, inclusive, true
}

// findInLine is f, F, t and T with a character; -1: it is not in the line.
func findInLine(b *buffer, name string, at int) (to int, inclusive bool) {
	char := name[1:]
	if name[0] == 'f' || name[0] == 't' {
		from := min(b.after(at), b.lineEnd())
		i := strings.Index(b.text[from:b.lineEnd()], char)
		switch {
		case i < 0:
			return -1, false
		case name[0] == 't':
			return b.before(from + i), true
		}
		return from + i, true
	}
	i := strings.LastIndex(b.text[b.lineStart():at], char)
	switch {
	case i < 0:
		return -1, false
	case name[0] == 'T':
		return b.lineStart() + i + len(char), false
	}
	return b.lineStart() + i, false
}

// class tells words, signs and spaces apart; big words have no signs.
func class(r rune, big bool) int {
	switch {
	case unicode.IsSpace(r):
		return 0
	case big || r == '_' || isWordRune(r):
		return 1
	}
	return 2
}

// wordEdge is the beginning of the next word, or of this or the one before.
func wordEdge(text string, at int, big, forward bool) int {
	if forward {
		r, _ := utf8.DecodeRuneInString(text[at:])
		rest := strings.TrimLeftFunc(text[at:], func(x rune) bool { return class(x, big) == class(r, big) && class(r, big) != 0 })
		return len(text) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
	}
	head := strings.TrimRightFunc(text[:at], unicode.IsSpace)
	r, _ := utf8.DecodeLastRuneInString(head)
	return len(strings.TrimRightFunc(head, func(x rune) bool { return class(x, big) == class(r, big) }))
}

// wordLast is the last character of this word or the next.
func wordLast(text string, at int, big bool) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	rest := strings.TrimLeftFunc(text[at+size:], unicode.IsSpace)
	if rest == "" {
		return at
	}
	r, _ := utf8.DecodeRuneInString(rest)
	end := len(text) - len(strings.TrimLeftFunc(rest, func(x rune) bool { return class(x, big) == class(r, big) }))
	_, size = utf8.DecodeLastRuneInString(text[:end])
	return end - size
}
