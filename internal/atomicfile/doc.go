// Package atomicfile changes files so that a reader, or a crash, finds the old
// content or the new one and never a part of each.
//
// [Write] is for the program's own files. [Open], [File.Replace] and [Create] are
// for other people's: the new content goes to a temporary file in the
// same directory, is forced to the disk and renamed over the old one; mode, owner
// and extended attributes are carried over. Where a rename would break something,
// the file is written in place: when it has more than one hard link, when the directory takes no
// new files, when owner or attributes cannot be carried over, and when it is a
// mount point. In place means that space is reserved before the first byte is
// touched, that only what differs is written, and that a failed write is taken
// back; a process killed in the middle of it can leave a mix.
//
// Symbolic links are followed first, so the link stays and its target changes.
package atomicfile
