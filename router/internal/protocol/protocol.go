// Package protocol is what the two ends of a call from inside bash agree on:
// names, messages and the form of a request. It has nothing to initialise, so
// that the package incall, which comes before main, stays fast.
package protocol

// Client is whether the package incall is a part of this program, which can
// then be its own client. That package's init sets it, and nobody else.
var Client bool

// The environment of a session's shell names the socket and the directory of
// the links.
const (
	SocketVar = "AGENTBASH_SOCKET"
	LinksVar  = "AGENTBASH_LINKS"
)

// Any is the link that takes the command's name as its first argument.
const Any = "agent:call"

// What the client itself may have to say; the command's name stands before all
// but the last, which is for Any without a name. NoClient is said where there is
// no client.
const (
	NoHost   = "no agentbash serves this shell: start agentbash, and repeat the command there"
	Others   = "the agentbash of this shell belongs to another user: run the command as that user"
	Lost     = "agentbash ended during the call, which may or may not have been done: check before you repeat it"
	NoClient = "calls from inside bash are not possible in this program: import github.com/agentbash/agentbash/router/incall in its package main"
	NoName   = "agent:call: no command was named: type agent:call NAME, or agent:NAME"
)

// The request is a length (4 bytes, big endian), then the directory and the
// words, each ended by a NUL; the descriptors come with its first byte. The
// reply is Reply and the exit status.
const (
	Reply      = 'R'
	MaxRequest = 16 << 20 // bytes
)
