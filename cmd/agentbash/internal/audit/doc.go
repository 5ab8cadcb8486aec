// Package audit keeps the record of what was run, and checks it.
//
// # The log
//
// It is a file of JSON lines, audit.jsonl, in a directory of its own that only
// this user can read. Each action has a line before it runs (intent) and one
// when it has ended (outcome); what was denied has the first alone. Every line
// carries the hash of the one before it (prev) and ends with its own: SHA-256
// over its bytes up to the hash. So nothing can be changed, left out or put in
// without every line after it being made anew. The file head holds the number
// and hash of the last line, which shows when the end was cut off. Whoever can
// write the directory can make all of it anew; a hash that was noted elsewhere
// shows that.
//
// # Many writers
//
// All processes of a user append to the one file, under a lock. A file that has
// grown large is put aside under the number of its last line, and the chain goes
// on in a new one.
//
// # What goes wrong
//
// A line that cannot be written is taken back, and Append's error keeps the
// action from running. For a disk that is full the file has some room in reserve.
// Once it is used up actions run without a record, or nothing could make room
// again: that is said to whoever is there, the head counts them, and the next line
// that can be written says how many they were (gap). A line that a crash has torn is closed and noted in the
// next. Lines are numbered, so a clock that goes back changes no order; the line
// says that it did. Lines of actions that may change something are on the disk
// before these run; others are in the kernel's hands, which a crash of the
// program does not take them from, but a power failure may.
package audit
