package chat

import "time"

// Event is something that a person wants to see while a turn runs. It is one
// of the types below.
type Event interface{ event() }

// Text is a piece of the model's answer as it arrived.
type Text struct{ Delta string }

// Reasoning is a piece of the model's reasoning, from servers that send it.
type Reasoning struct{ Delta string }

// ToolCall is a command about to be run.
type ToolCall struct {
	ID      string
	Command string
	Timeout time.Duration
	Kill    bool // it ends at its timeout, where others go on in the background
}

// Output is what the [ToolCall] with the same ID wrote to stdout and stderr since the last
// event, a few times a second while it runs: at most 4 KiB, the end of it.
type Output struct {
	ID      string
	Text    string
	Omitted int64 // bytes before Text that are left out
}

// ToolResult is what came of the [ToolCall] with the same ID. A call that could
// not be understood has a result without a ToolCall before it, and Refused set.
type ToolResult struct {
	ID          string
	Output      string // what the model sees
	Display     string // what a tool did, in a line for a person; "": it did not say
	ExitCode    int
	Duration    time.Duration
	Running     int   // the background shell that it went on as; 0: it has ended
	Refused     bool  // not run: the call was malformed
	Interrupted bool  // cancelled while it ran, or before
	Denied      bool  // not run: it is not allowed
	Why         error // of Denied
}

// Usage is what one request cost, in tokens, by the server's own count, or by
// an estimate where it gave none.
type Usage struct {
	Prompt, Completion int
	Cached             int     // of Prompt, read from the server's cache
	Reasoning          int     // of Completion
	Cost               float64 // dollars; 0: not known
	Estimated          bool    // the server gave no numbers
}

// Plus is the sum of two.
func (u Usage) Plus(more Usage) Usage {
	return Usage{u.Prompt + more.Prompt, u.Completion + more.Completion, u.Cached + more.Cached, u.Reasoning + more.Reasoning, u.Cost + more.Cost, u.Estimated || more.Estimated}
}

// Retry tells that a request is sent again after Wait.
type Retry struct {
	Attempt int // the one that failed, from 1
	Wait    time.Duration
	Reason  string
	Void    bool // the reply had begun: what was shown of it is void, and comes again
}

// Compacted tells that the conversation was shortened, in tokens by estimate.
type Compacted struct{ Before, After int }

// Notice is something to know about the server, once.
type Notice struct{ Text string }

func (Text) event()       {}
func (Reasoning) event()  {}
func (ToolCall) event()   {}
func (Output) event()     {}
func (ToolResult) event() {}
func (Usage) event()      {}
func (Retry) event()      {}
func (Compacted) event()  {}
func (Notice) event()     {}
