package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/vt"
)

// Key is a key of the keyboard.
type Key vt.KeyPressEvent

// CtrlC and CtrlD are those that programs without a terminal know too.
var (
	CtrlC = Key{Code: 'c', Mod: vt.ModCtrl}
	CtrlD = Key{Code: 'd', Mod: vt.ModCtrl}
)

var names = map[string]rune{
	"up": vt.KeyUp, "down": vt.KeyDown, "left": vt.KeyLeft, "right": vt.KeyRight, "home": vt.KeyHome, "end": vt.KeyEnd,
	"page-up": vt.KeyPgUp, "page-down": vt.KeyPgDown, "insert": vt.KeyInsert, "delete": vt.KeyDelete, "backspace": vt.KeyBackspace,
	"tab": vt.KeyTab, "enter": vt.KeyEnter, "escape": vt.KeyEscape, "space": vt.KeySpace,
}

// others are the names that keys have elsewhere.
var others = strings.NewReplacer("control-", "ctrl-", "pageup", "page-up", "pgup", "page-up", "pagedown", "page-down", "pgdn", "page-down", "pgdown", "page-down", "return", "enter", "arrow", "")

var short = map[string]string{"esc": "escape", "del": "delete", "ins": "insert", "bs": "backspace", "cr": "enter", "spc": "space"}

var modifiers = map[string]vt.KeyMod{
	"ctrl": vt.ModCtrl, "control": vt.ModCtrl, "c": vt.ModCtrl, "alt": vt.ModAlt, "meta": vt.ModAlt, "m": vt.ModAlt, "a": vt.ModAlt, "shift": vt.ModShift, "s": vt.ModShift,
}

// ParseKey reads the name of a key: up, enter, f5, ctrl-c, C-c, ^C, alt-x, shift-tab, or
// one character.
func ParseKey(name string) (Key, error) {
	var k Key
	var rest string
	k.Mod, rest = cutModifiers(name)
	word := others.Replace(strings.ToLower(rest))
	if full, ok := short[word]; ok {
		word = full
	}
	number, err := strconv.Atoi(strings.TrimPrefix(word, "f"))
	switch code, ok := names[word]; {
	case ok && (k.Mod&^vt.ModAlt == 0 || k.Mod == vt.ModShift && code == vt.KeyTab || k.Mod == vt.ModCtrl && code == vt.KeySpace):
		k.Code = code
	case err == nil && word[0] == 'f' && number >= 1 && number <= 12 && k.Mod&^vt.ModAlt == 0:
		k.Code = vt.KeyF1 + rune(number) - 1
	case utf8.RuneCountInString(rest) == 1 && k.Mod&^vt.ModAlt == 0:
		k.Code, _ = utf8.DecodeRuneInString(rest)
	case len(word) == 1 && k.Mod&^vt.ModAlt == vt.ModCtrl && strings.Contains(`abcdefghijklmnopqrstuvwxyz[\]^_`, word):
		k.Code = rune(word[0])
	default:
		return Key{}, fmt.Errorf("there is no key %q: ctrl-LETTER, alt-CHARACTER, shift-tab, f1 to f12, %s", name, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	return k, nil
}

// cutModifiers takes the keys that are held down with another off its name.
func cutModifiers(name string) (mods vt.KeyMod, rest string) {
	if rest = name; len(rest) == 2 && rest[0] == '^' {
		rest = "ctrl-" + rest[1:]
	}
	for {
		mod, after, ok := strings.Cut(strings.Replace(rest, "+", "-", 1), "-")
		bit, known := modifiers[strings.ToLower(mod)]
		if !ok || after == "" || !known {
			return mods, rest
		}
		mods, rest = mods|bit, after
	}
}
