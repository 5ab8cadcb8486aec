// Package files holds the agent commands about files: read, write, edit, apply_patch,
// grep, glob and undo, as tools for a registry.
//
// They behave the same for a model, in a pipeline and in a terminal: content
// goes to the call's stdout byte for byte, and whatever is said about it (what
// was left out, what to type next) to its stderr. A path is taken from the
// call's directory and shown relative to it.
//
// read, write, edit and apply_patch never wait for a FIFO or a device, never leave half a
// file behind, and change no byte they were not asked to change. What they
// know of files that were read is shared between the tools that one call of
// [Tools] returned; what they overwrote is kept in a state directory, for undo.
//
// grep and glob obey .gitignore rules inside a repository and say what they
// left out.
package files
