package term

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// key is one press, or one paste. Name is empty for text that is typed.
type key struct {
	name keyName
	text string // of typed text and of a paste
}

type keyName string

// The names are those of actions in the configuration's keys.
const (
	keyEnter     keyName = "submit"
	keyNewline   keyName = "newline"
	keyInterrupt keyName = "interrupt"
	keyEnd       keyName = "line-end"
	keyHome      keyName = "line-start"
	keyLeft      keyName = "left"
	keyRight     keyName = "right"
	keyUp        keyName = "up"
	keyDown      keyName = "down"
	keyWordLeft  keyName = "word-left"
	keyWordRight keyName = "word-right"
	keyBackspace keyName = "delete-left"
	keyDelete    keyName = "delete-right"
	keyEOF       keyName = "delete-or-end" // the end on an empty line
	keyKillLeft  keyName = "delete-to-start"
	keyKillRight keyName = "delete-to-end"
	keyKillWord  keyName = "delete-word-left"
	keyKillNext  keyName = "delete-word-right"
	keyYank      keyName = "yank"
	keyUndo      keyName = "undo"
	keyClear     keyName = "clear-screen"
	keySwap      keyName = "swap"
	keyEscape    keyName = "escape"
	keyTab       keyName = "complete"
	keySearch    keyName = "search-history"
	keyEditor    keyName = "editor"
	keyOutput    keyName = "output" // the whole of the last one
	keySuspend   keyName = "suspend"
	keyClipboard keyName = "paste-clipboard"
	keyMode      keyName = "mode" // the next one
	keyNone      keyName = "none" // understood, and without a meaning here

	keyPaste    keyName = "(paste)"
	keyFocusIn  keyName = "(focus)" // the terminal's window is the one that is typed into
	keyFocusOut keyName = "(no focus)"
)

func actions() []keyName {
	return []keyName{keyEnter, keyNewline, keyInterrupt, keyEnd, keyHome, keyLeft, keyRight, keyUp, keyDown, keyWordLeft, keyWordRight, keyBackspace, keyDelete,
		keyEOF, keyKillLeft, keyKillRight, keyKillWord, keyKillNext, keyYank, keyUndo, keyClear, keySwap, keyEscape, keyTab, keySearch, keyEditor, keyOutput,
		keySuspend, keyClipboard, keyMode, keyNone}
}

// usualKeys are Emacs's, as bash has them, by the names that the configuration uses.
func usualKeys() map[string]keyName {
	return map[string]keyName{
		"enter": keyEnter, "backspace": keyBackspace, "tab": keyTab, "shift-tab": keyMode, "escape": keyEscape,
		"ctrl-a": keyHome, "ctrl-b": keyLeft, "ctrl-c": keyInterrupt, "ctrl-d": keyEOF, "ctrl-e": keyEnd, "ctrl-f": keyRight, "ctrl-g": keyEditor,
		"ctrl-h": keyBackspace, "ctrl-k": keyKillRight, "ctrl-l": keyClear, "ctrl-n": keyDown, "ctrl-o": keyOutput, "ctrl-p": keyUp, "ctrl-r": keySearch,
		"ctrl-t": keySwap, "ctrl-u": keyKillLeft, "ctrl-v": keyClipboard, "ctrl-w": keyKillWord, "ctrl-y": keyYank, "ctrl-z": keySuspend, "ctrl-_": keyUndo,
		"alt-b": keyWordLeft, "alt-f": keyWordRight, "alt-d": keyKillNext, "alt-backspace": keyKillWord, "alt-enter": keyNewline,
		"up": keyUp, "down": keyDown, "left": keyLeft, "right": keyRight, "home": keyHome, "end": keyEnd, "delete": keyDelete,
		"ctrl-left": keyWordLeft, "alt-left": keyWordLeft, "ctrl-right": keyWordRight, "alt-right": keyWordRight,
	}
}

// Keys are what the keys do.
type Keys map[string]keyName

// ParseKeys reads what a configuration says of keys: "ctrl-s": "submit".
func ParseKeys(said map[string]string) (Keys, error) {
	keys := Keys(usualKeys())
	for name, action := range said {
		if !slices.Contains(actions(), keyName(action)) {
			var all []string
			for _, a := range actions() {
				all = append(all, string(a))
			}
			return nil, fmt.Errorf("keys.%s: %q is no action: known are %s", name, action, strings.Join(all, ", "))
		}
		if !isKey(name) {
			return nil, fmt.Errorf("keys.%s: no such key: write ctrl-x, alt-x, f5, shift-tab, ctrl-left, enter or the like", name)
		}
		keys[name] = keyName(action)
	}
	has := func(wanted ...keyName) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(keys)), func(k keyName) bool { return slices.Contains(wanted, k) })
	}
	if !has(keyEnter) {
		return nil, fmt.Errorf("keys: nothing is left that sends a text: give a key the action %s", keyEnter)
	}
	if !has(keyInterrupt, keyEscape) {
		return nil, fmt.Errorf("keys: nothing is left that stops what runs: give a key the action %s or %s", keyInterrupt, keyEscape)
	}
	return keys, nil
}

// isKey reports whether a terminal can send a key of that name.
func isKey(name string) bool {
	plain := name
	for _, modifier := range []string{"ctrl-", "alt-", "shift-"} {
		plain = strings.TrimPrefix(plain, modifier)
	}
	_, usual := usualKeys()[name]
	return usual || slices.Contains(strings.Fields(namedKeys+functionKeys), plain) ||
		strings.HasPrefix(name, "ctrl-") && len(plain) == 1 && plain >= "a" && plain <= "z" || strings.HasPrefix(name, "alt-") && utf8.RuneCountInString(plain) == 1
}

const (
	namedKeys    = "up down right left end home insert delete pageup pagedown"
	functionKeys = " f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12"
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
