// Package transcript keeps conversations on disk: what was said, run and answered,
// as records in append-only files. People know each as a session.
//
// A [Store] is a directory with one directory a project in it and one file a
// session in that: sessions/PROJECT/ID.jsonl. A file holds one [Record] a line;
// docs/sessions.md is the format's reference. Nothing is ever changed in place,
// so that a program that is killed leaves whole lines and at most a torn last
// one, which [Store.Open] drops.
//
// A [Writer] adds to one. Each record is in the kernel's hands when Append returns,
// which a kill does not undo, and on the disk when Sync returns. An open session
// is locked: a second program that wants to go on with it is told so.
//
// The package knows nothing of models or terminals. What the records mean to a
// conversation is package chat's business: a [Writer] is its Journal; [WriteMarkdown], [WriteJSON] and [WriteScript] write them for people and
// for other programs.
package transcript
