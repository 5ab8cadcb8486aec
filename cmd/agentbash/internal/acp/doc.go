// Package acp serves the Agent Client Protocol, version 1 (agentclientprotocol.com), by
// which editors drive an agent: one JSON-RPC message a line, over any pair of streams.
//
// It translates: what a conversation tells becomes updates of a session, a question
// becomes a request for permission, a prompt's blocks become a prompt. What a session is,
// its [Host] knows.
package acp
