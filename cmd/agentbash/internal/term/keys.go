package term

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// key is one press, or one paste. Name is empty for text that is typed.
type key struct {
	name keyName
	text string // of typed text and of a paste
}

type keyName string

const (
	keyEnter     keyName = "enter"
	keyNewline   keyName = "newline" // a line break in the text: Alt-Enter
	keyInterrupt keyName = "ctrl-c"
	keyEnd       keyName = "end"
	keyHome      keyName = "home"
	keyLeft      keyName = "left"
	keyRight     keyName = "right"
	keyUp        keyName = "up"
	keyDown      keyName = "down"
	keyWordLeft  keyName = "word left"
	keyWordRight keyName = "word right"
	keyBackspace keyName = "backspace"
	keyDelete    keyName = "delete"
	keyEOF       keyName = "ctrl-d" // delete, or the end on an empty line
	keyKillLeft  keyName = "ctrl-u"
	keyKillRight keyName = "ctrl-k"
	keyKillWord  keyName = "ctrl-w"
	keyKillNext  keyName = "alt-d"
	keyYank      keyName = "ctrl-y"
	keyClear     keyName = "ctrl-l"
	keySwap      keyName = "ctrl-t"
	keyPaste     keyName = "paste"
	keyEscape    keyName = "escape"
	keyTab       keyName = "tab"
	keySearch    keyName = "ctrl-r"
	keyEditor    keyName = "ctrl-x ctrl-e" // and Ctrl-G
	keyOutput    keyName = "ctrl-o"        // the whole of the last output
	keySuspend   keyName = "ctrl-z"
	keyClipboard keyName = "ctrl-v" // what is in the clipboard
	keyNone      keyName = "none"   // understood, and without a meaning here
)

// controls are Emacs's, as bash has them. A terminal sends CR for Enter, and
// what was typed ahead of the prompt arrives with LF instead.
func controlKey(b byte) keyName {
	switch b {
	case '\r', '\n':
		return keyEnter
	case 127:
		return keyBackspace
	}
	return []keyName{1: keyHome, 2: keyLeft, 3: keyInterrupt, 4: keyEOF, 5: keyEnd, 6: keyRight, 7: keyEditor, 8: keyBackspace,
		9: keyTab, 11: keyKillRight, 12: keyClear, 14: keyDown, 15: keyOutput, 16: keyUp, 18: keySearch, 20: keySwap, 21: keyKillLeft, 22: keyClipboard, 23: keyKillWord, 25: keyYank, 26: keySuspend, 31: ""}[b]
}

// finalKey is the key of ESC [ and a last byte (xterm; the others agree).
func finalKey(b byte) keyName {
	switch b {
	case 'A':
		return keyUp
	case 'B':
		return keyDown
	case 'C':
		return keyRight
	case 'D':
		return keyLeft
	case 'F':
		return keyEnd
	case 'H':
		return keyHome
	}
	return keyNone
}

// tildeKey is the key of ESC [ and a number and ~ (xterm, rxvt, the Linux console).
func tildeKey(number string) keyName {
	switch number {
	case "1", "7":
		return keyHome
	case "4", "8":
		return keyEnd
	case "3":
		return keyDelete
	case "200":
		return keyPaste
	}
	return keyNone
}

// metaKey is the key of ESC and a character, which is how Alt arrives.
func metaKey(b byte) keyName {
	switch b {
	case 'b':
		return keyWordLeft
	case 'f':
		return keyWordRight
	case 'd':
		return keyKillNext
	case 8, 127:
		return keyKillWord
	case '\r', '\n':
		return keyNewline
	}
	return keyNone
}

// decoder turns the bytes of a terminal into keys.
type decoder struct {
	r *bufio.Reader
	// more waits a moment for another byte. Without it, Escape alone could not be
	// told from the beginning of another key. nil: there always is one.
	more func() bool
	late func() bool // waits longer, for the rest of a paste; nil: as more
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
		return namedKey(keyEscape), nil
	case b == 0x1b:
		return d.escape()
	case b == 24: // Ctrl-X
		return d.prefixed()
	case b < ' ' || b == 127:
		return namedKey(controlKey(b)), nil
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
		return namedKey(finalKey(b)), nil
	case b == ']' || b == 'P' || b == '_' || b == '^':
		return d.report()
	case b >= 0x80:
		if err := d.r.UnreadByte(); err != nil {
			return key{}, err
		}
		_, _, err := d.r.ReadRune()
		return namedKey(keyNone), err
	case metaKey(b) == keyNone && b < ' ':
		return namedKey(keyEscape), d.r.UnreadByte()
	}
	return namedKey(metaKey(b)), nil
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
		case b == '~':
			number, _, _ := strings.Cut(params.String(), ";")
			if tildeKey(number) == keyPaste {
				return d.paste()
			}
			return namedKey(tildeKey(number)), nil
		}
		name := finalKey(b)
		if _, modifier, modified := strings.Cut(params.String(), ";"); modified && modifier != "2" {
			switch name { // with Ctrl or Alt
			case keyLeft:
				name = keyWordLeft
			case keyRight:
				name = keyWordRight
			}
		}
		return namedKey(name), nil
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

func newDecoder(r io.Reader) *decoder { return &decoder{r: bufio.NewReaderSize(r, 4096)} }
