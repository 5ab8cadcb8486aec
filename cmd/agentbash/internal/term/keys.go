package term

import (
	"fmt"
	"maps"
	"slices"
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
