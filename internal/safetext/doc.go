// Package safetext makes text from anywhere fit to be shown.
//
// It knows three kinds of characters that are not what they look like. Control
// characters and the sequences that a terminal obeys (ECMA-48, and the strings
// that xterm knows) are never text. Hidden characters have no shape or move
// others about: those that embed, override, isolate or mark a direction of
// writing, zero-width ones, tags, fillers. And ordinary text has characters
// that have no shape of their own either: a joiner or a variation selector
// after a character that it belongs to (ZWNJ in Persian, ZWJ in a family
// of emoji, VS16 after a heart), blanks such as the ideographic space, and
// signs for private use.
//
// What is done with them depends on who reads, and on nothing else:
//
//   - A model, and whoever follows what a model and its commands say: [Clean],
//     and [Stream] for what comes in pieces. Controls and hidden characters are
//     removed; ordinary text stays as it is, byte by byte. Emoji flags that are
//     made of tags lose them: most of what tags are used for is to hide text.
//   - A person at a terminal who runs a tool: [Writer]. Both are written out, as
//     ls does with names, for a name must be told from another one.
//   - A person who is to say yes, or looks at what was done: [Visible]. What is
//     invisible in ordinary text is written out as well.
package safetext
