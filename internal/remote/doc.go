// Package remote has commands run on another machine or in a container: a session of the program
// itself is brought there, and the model, its keys, field tools, questions and records stay.
//
// A [Target] says what connects to a place. A [Client] is a session there: the script of
// bootstrap.go finds or takes the program, which [Serve] makes a process that keeps the session
// (host.go) and one that connects it with the stdio of the transport. A link carries messages over
// connections that may break, each once and in order, so that nothing above it knows of that; a peer
// makes requests of them, in both directions. What the far side asks of this one, near.go answers.
//
// The far side judges and confines its commands with the mode and rules of this one. It is not
// trusted here: it can call tools of the near side, which judges these calls as it does its own, and
// ask questions; it gets no variable, key or file.
package remote
