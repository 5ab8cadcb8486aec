// Package kept lets several programs, one after the other or at the same time, use
// one running server that speaks JSON-RPC in lines (MCP over stdio).
//
// A keeper is a program that holds the server and a Unix socket in a private
// directory. [Place.Connect] is a client's way to it, and [Serve] the keeper. What is
// decided, asked and shown stays with the clients: the keeper passes messages on byte
// for byte, and answers itself only the handshake, which a server has once.
//
// On the socket each side sends one line of JSON first. Then the lines are JSON-RPC, but
// for those that begin with !, which are the keeper's: "!stderr TEXT" is a line of the
// server's stderr, and "!end STATUS" says how it ended. The ids of a client's requests
// are numbers that no other client has, see [Conn.FirstID], so that no message needs to
// be written anew; whoever uses a [Conn] sees to that.
package kept
