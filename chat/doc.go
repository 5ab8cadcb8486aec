// Package chat is the agent loop: the model's reply is streamed, each call of
// its one tool is run, the outputs go back, until the model stops calling.
//
// A [Conversation] is one such exchange with one model server over OpenAI's
// Chat Completions, or its Responses API where the model wants that. It offers exactly one tool, bash, in the same bytes with
// every request; what a command means is the [Runner]'s business.
//
// What is promised to the server: every tool call is answered once, under its
// id, even when the turn was cancelled; content and arguments are never empty;
// arguments that were no JSON object are not sent back as they came; messages
// are only ever appended. What is promised to the caller: after an error or a
// cancel the conversation is whole and goes on with the next [Conversation.Turn];
// text that was shown is kept; nothing is run twice, so a request is only sent
// again as long as no byte of its reply has arrived.
//
// The package is the only one that imports go-openai. It prints nothing and
// reads no environment.
package chat
