// Package modelserver is a real HTTP server that speaks the streaming form of
// OpenAI's Chat Completions, of its Responses or of Anthropic's Messages, and plays a script: the
// model of the tests, the demos and the start-up measurements.
//
// It does not only answer. Each request must be what the protocol and this
// program promise: stream on, exactly one tool named bash with its two
// parameters, every tool call answered once under its id, no empty content, the
// assistant's messages as they were sent, earlier messages unchanged. The first
// thing that is wrong is answered with HTTP 400 and its reason, and
// [Server.Close] reports it again, together with replies that nobody asked for.
//
// A [Reply] says text, calls the tool, or misbehaves in one of the ways that
// servers do: an error status, a cut stream, no usage, keep-alive comments, a
// wrong content type. The server writes the wire format by hand, not through
// the client library that it serves, so that a shared mistake cannot hide.
//
// It lies under internal because it is no part of the module's interface, and
// not under testdata because the go command leaves testdata out of ./..., and
// with it this package's own tests. The command cmd/modelserver starts it from
// a shell or a testscript; see [Main].
package modelserver
