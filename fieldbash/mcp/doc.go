// Package mcp talks to MCP servers: it starts them, keeps one connection to
// each, and calls their tools. It is the only importer of the MCP SDK.
//
// A [Client] is one configured server. Nothing is started until it is first
// used; after that the connection is kept, and a server that ended is started
// again by the next call. Close ends it and everything it started.
//
// The SDK speaks the protocol; what stands in front of it here is for servers
// as they are found in the wild. Standard input and output are our own
// connection type: a line on stdout that is no JSON-RPC message is noise, kept
// for error messages and otherwise dropped; a server that never answers
// server/discover (MCP revision 2026-07-28) is told apart from a slow one by a
// time limit, and is then initialized the older way on the same connection.
// Servers run in sessions of their own; a [Watchdog] process ends them if this
// program is killed.
//
// What a server returns is kept byte for byte beside what the SDK makes of it,
// so that large numbers, the order of a schema's properties and content types
// of later protocol revisions survive.
//
// The package knows nothing of commands, kwargs or configuration files.
package mcp
