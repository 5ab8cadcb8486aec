package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainWait bounds how long a result is held back for the notes before it.
const drainWait = 100 * time.Millisecond

// isNote reports whether a method is one of the notifications that a call's
// reader sees.
func isNote(method string) bool {
	return method == "notifications/progress" || method == "notifications/message"
}

// noteArrived counts a note as it comes off the wire.
func (k *conn) noteArrived() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.arrived++
}

// noteHandled counts a note that was dealt with; k.mu is held.
func (k *conn) noteHandled() {
	k.handled++
	close(k.shown)
	k.shown = make(chan struct{})
}

// drain waits until the notes that came before a result are shown: the SDK
// delivers results at once and notifications from a queue.
func (k *conn) drain() {
	timer := time.NewTimer(drainWait)
	defer timer.Stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	for arrived := k.arrived; k.handled < arrived; {
		shown := k.shown
		k.mu.Unlock()
		select {
		case <-shown:
			k.mu.Lock()
		case <-timer.C:
			k.mu.Lock()
			k.handled = arrived // what the SDK dropped will not come
			return
		}
	}
}

// progress gives the call more time and its reader something to see.
func (k *conn) progress(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	token, _ := req.Params.ProgressToken.(string)
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.noteHandled()
	call := k.calls[token]
	if call == nil || !call.limit.Stop() {
		return
	}
	call.limit.Reset(call.after)
	if call.notes == nil {
		return
	}
	p := req.Params
	line := strconv.FormatFloat(p.Progress, 'f', -1, 64)
	if p.Total > 0 {
		line += "/" + strconv.FormatFloat(p.Total, 'f', -1, 64)
	}
	if p.Message != "" {
		line += " " + plainText(strings.ReplaceAll(p.Message, "\n", " "))
	}
	fmt.Fprintf(call.notes, "[progress] %s\n", line)
}

// logged shows a server's log message to the calls under way; the protocol
// does not say which of them it belongs to.
func (k *conn) logged(_ context.Context, req *sdk.LoggingMessageRequest) {
	text, ok := req.Params.Data.(string)
	if !ok {
		b, _ := json.Marshal(req.Params.Data)
		text = string(b)
	}
	line := fmt.Sprintf("[%s] %s", req.Params.Level, plainText(strings.ReplaceAll(text, "\n", " ")))
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.noteHandled()
	shown := false
	for _, call := range k.calls {
		if call.notes != nil {
			fmt.Fprintln(call.notes, line)
			shown = true
		}
	}
	if !shown {
		k.client.logf("%s", line)
	}
}
