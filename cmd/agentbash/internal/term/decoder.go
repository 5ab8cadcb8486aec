package term

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
)

// controlKey is the name of a control character. A terminal sends CR for Enter, and
// what was typed ahead of the prompt arrives with LF instead.
func controlKey(b byte) string {
	switch b {
	case '\r', '\n':
		return "enter"
	case '\t':
		return "tab"
	case 127:
		return "backspace"
	}
	return "ctrl-" + strings.ToLower(string(rune(b+'@')))
}

// finalKey is the key of ESC [ and a last byte (xterm; the others agree).
func finalKey(b byte) string {
	return map[byte]string{'A': "up", 'B': "down", 'C': "right", 'D': "left", 'F': "end", 'H': "home", 'Z': "shift-tab", 'P': "f1", 'Q': "f2", 'R': "f3", 'S': "f4"}[b]
}

// tildeKey is the key of ESC [ and a number and ~ (xterm, rxvt, the Linux console).
func tildeKey(number string) string {
	return map[string]string{"1": "home", "7": "home", "4": "end", "8": "end", "2": "insert", "3": "delete", "5": "pageup", "6": "pagedown",
		"15": "f5", "17": "f6", "18": "f7", "19": "f8", "20": "f9", "21": "f10", "23": "f11", "24": "f12"}[number]
}

// modified is the name of a key with what was held down (xterm: 1 and a sum).
func modified(name, modifier string) string {
	n, _ := strconv.Atoi(modifier)
	for i, m := range []string{"shift-", "alt-", "ctrl-"} {
		if n > 1 && (n-1)&(1<<i) != 0 && !strings.HasPrefix(name, m) {
			name = m + name
		}
	}
	return name
}

// decoder turns the bytes of a terminal into keys.
type decoder struct {
	r *bufio.Reader
	// more waits a moment for another byte. Without it, Escape alone could not be
	// told from the beginning of another key. nil: there always is one.
	more  func() bool
	late  func() bool // waits longer, for the rest of a paste; nil: as more
	bound Keys        // what the keys do
}

// key is what the key of a name does.
func (d *decoder) key(name string) key {
	action := d.bound[name]
	if rest, shifted := strings.CutPrefix(name, "shift-"); shifted && action == "" {
		action = d.bound[rest]
	}
	return namedKey(action)
}

// pasteEnd closes a bracketed paste.
const pasteEnd = "\x1b[201~"

// next waits for a key.
func (d *decoder) next() (key, error) {
	b, err := d.r.ReadByte()
	if err != nil {
		return key{}, err
	}
	switch {
	case b == 0x1b && d.r.Buffered() == 0 && d.more != nil && !d.more():
		return d.key("escape"), nil
	case b == 0x1b:
		return d.escape()
	case b == 24: // Ctrl-X
		return d.prefixed()
	case b < ' ' || b == 127:
		return d.key(controlKey(b)), nil
	}
	if err := d.r.UnreadByte(); err != nil {
		return key{}, err
	}
	return d.typed()
}

// prefixed is Ctrl-X and another key.
func (d *decoder) prefixed() (key, error) {
	b, err := d.r.ReadByte()
	if err != nil {
		return key{}, err
	}
	switch b {
	case 5:
		return namedKey(keyEditor), nil
	case 3:
		return namedKey(keyNone), d.r.UnreadByte()
	}
	return namedKey(keyNone), nil
}

// typed takes as much text as is there, so that a paste without brackets is
// painted once.
func (d *decoder) typed() (key, error) {
	var b strings.Builder
	for {
		r, _, err := d.r.ReadRune()
		if err != nil {
			return key{}, err
		}
		b.WriteRune(r)
		if d.r.Buffered() == 0 {
			break
		}
		if c, err := d.r.Peek(1); err != nil || c[0] < ' ' || c[0] == 127 {
			break
		}
	}
	return key{text: b.String()}, nil
}

// escape takes the rest of a key that begins with ESC. What does not belong to
// it is left: a Ctrl-C that comes after half a sequence is a Ctrl-C.
func (d *decoder) escape() (key, error) {
	b, err := d.r.ReadByte()
	if err != nil {
		return key{}, err
	}
	switch {
	case b == '[':
		return d.csi()
	case b == 'O': // cursor keys in application mode
		if !d.comes() {
			return namedKey(keyNone), nil
		}
		if b, err = d.r.ReadByte(); err != nil {
			return key{}, err
		}
		if b < ' ' {
			return namedKey(keyNone), d.r.UnreadByte()
		}
		return d.key(finalKey(b)), nil
	case b == ']' || b == 'P' || b == '_' || b == '^':
		return d.report()
	case b >= 0x80:
		if err := d.r.UnreadByte(); err != nil {
			return key{}, err
		}
		_, _, err := d.r.ReadRune()
		return namedKey(keyNone), err
	case b == 8:
		return d.key("alt-backspace"), nil
	case b < ' ' && b != '\r' && b != '\n':
		return d.key("escape"), d.r.UnreadByte()
	case b < ' ' || b == 127:
		return d.key("alt-" + controlKey(b)), nil
	}
	return d.key("alt-" + string(rune(b))), nil
}

// comes reports whether more has come, or comes in a moment.
func (d *decoder) comes() bool { return d.r.Buffered() > 0 || d.more == nil || d.more() }

// report skips what a terminal answers to a question of somebody before us (OSC,
// DCS and the like, up to BEL or ST). Alt and the same character is over soon.
func (d *decoder) report() (key, error) {
	for last := byte(0); d.comes(); {
		b, err := d.r.ReadByte()
		if err != nil {
			return key{}, err
		}
		if b == 3 {
			return namedKey(keyNone), d.r.UnreadByte()
		}
		if b == 7 || b == '\\' && last == 0x1b {
			break
		}
		last = b
	}
	return namedKey(keyNone), nil
}

// csi reads the parameters of ESC [ and its final byte.
func (d *decoder) csi() (key, error) {
	var params bytes.Buffer
	for d.comes() {
		b, err := d.r.ReadByte()
		if err != nil {
			return key{}, err
		}
		switch {
		case b >= ' ' && b <= '?':
			params.WriteByte(b)
			continue
		case b < ' ' || b >= 0x7f:
			return namedKey(keyNone), d.r.UnreadByte()
		case b == 'I':
			return namedKey(keyFocusIn), nil
		case b == 'O':
			return namedKey(keyFocusOut), nil
		}
		number, modifier, _ := strings.Cut(params.String(), ";")
		name := finalKey(b)
		if b == '~' {
			name = tildeKey(number)
		}
		if b == '~' && number == "200" {
			return d.paste()
		}
		return d.key(modified(name, modifier)), nil
	}
	return namedKey(keyNone), nil
}

// paste reads up to the bracket's end. A terminal that has lost it does not take
// the keyboard away for ever: after a while without anything, that was all.
func (d *decoder) paste() (key, error) {
	var b bytes.Buffer
	for !bytes.HasSuffix(b.Bytes(), []byte(pasteEnd)) {
		if d.r.Buffered() == 0 && d.late != nil && !d.late() {
			break
		}
		c, err := d.r.ReadByte()
		if err != nil {
			return key{}, err
		}
		b.WriteByte(c)
	}
	text := strings.TrimSuffix(b.String(), pasteEnd)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return key{name: keyPaste, text: strings.ToValidUTF8(text, "\ufffd")}, nil
}

func namedKey(name keyName) key {
	if name == "" {
		name = keyNone
	}
	return key{name: name}
}

func newDecoder(r io.Reader, bound Keys) *decoder {
	if bound == nil {
		bound = usualKeys()
	}
	return &decoder{r: bufio.NewReaderSize(r, 4096), bound: bound}
}
