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
	if v.beginInsert(b, name[0]) || v.change(b, name, count) {
		return
	}
	if name == "j" || name == "k" {
		for range count {
			b.vertical(name == "k")
		}
	} else if at, _, known := v.move(b, name, count); known {
		b.cursor = at
	}
}

// beginInsert goes where a command inserts, and has the keys insert; false: it is another command.
func (v *vim) beginInsert(b *buffer, name byte) bool {
	switch name {
	case 'i':
	case 'I':
		b.cursor = b.lineStart()
	case 'a':
		b.cursor = min(b.after(b.cursor), b.lineEnd())
	case 'A':
		b.cursor = b.lineEnd()
	case 'o':
		b.cursor = b.lineEnd()
		b.insert("\n")
	case 'O':
		b.cursor = b.lineStart()
		b.insert("\n")
		b.cursor--
	default:
		return false
	}
	v.command = false
	return true
}

// longForm is the operator and the motion that a command stands for; "": it stands for none.
func longForm(name byte) string {
	return map[byte]string{'x': "dl", 's': "cl", 'X': "dh", 'D': "d$", 'C': "c$", 'S': "cc", 'Y': "yy"}[name]
}

// change changes the text at the cursor; false: the command is another one.
func (v *vim) change(b *buffer, name string, count int) bool {
	switch name[0] {
	case 'p':
		b.cursor = min(b.after(b.cursor), b.lineEnd())
		b.insert(strings.Repeat(b.killed, count))
	case 'P':
		b.insert(strings.Repeat(b.killed, count))
	case 'u':
		b.undo()
	case 'r':
		if b.replace(func(string) string { return name[1:] }) {
			b.cursor = b.before(b.cursor)
		}
	case '~':
		b.replace(func(char string) string {
			if upper := strings.ToUpper(char); upper != char {
				return upper
			}
			return strings.ToLower(char)
		})
	default:
		form := longForm(name[0])
		if form == "" {
			return false
		}
		v.operate(b, form[:1], form[1:], count)
	}
	return true
}

// replace puts another text in the place of the character at the cursor, if there is one in the line.
func (b *buffer) replace(with func(char string) string) bool {
	if b.cursor >= b.lineEnd() {
		return false
	}
	b.insert(with(b.remove(b.cursor, b.after(b.cursor))))
	return true
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
