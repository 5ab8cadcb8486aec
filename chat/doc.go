// Package chat is the agent loop: the model's reply is streamed, each call of
// its one tool is run, the outputs go back, until the model stops calling.
//
// A [Conversation] is one such exchange with one model server over OpenAI's
// Chat Completions, or its Responses API where the model wants that. It offers
// exactly one tool, bash, in the same bytes with every request; what a command
// means is the [Runner]'s business.
//
// What is promised to the server: every tool call is answered once, under its
// id, even when the turn was cancelled; content and arguments are never empty;
// arguments that were no JSON object are sent back inside one; messages
// are only ever appended, until the window is full, and are written otherwise where
// the server refuses their form. What is promised to the caller: after an error or a
// cancel the conversation is whole and goes on with the next [Conversation.Turn];
// text that was shown is kept; nothing is run twice, so a request is only sent
// again as long as no byte of its reply has arrived.
//
// Everything that happens is an [Event], shown as it comes, and a record of the
// [Journal], written before it is shown; package transcript has a journal on
// disk. A conversation whose history is given to [New] goes on byte for byte as
// it was. When it no longer fits the model's window, old outputs and then old
// turns are replaced by a summary.
//
// What is not done here: no command is judged or run, no file is read but the
// pictures that a prompt names, no environment is read and nothing printed. The
// package is the only one that imports go-openai, for the types of the messages.
//
// A protocol is a function that writes a request and one that adds an event to a
// reply; everything else is shared.
package chat
