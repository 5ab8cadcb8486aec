package mcp

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
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

// noteHandled counts a note that was dealt with.
func (k *conn) noteHandled() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.handled++
	close(k.shown)
	k.shown = make(chan struct{})
}

// drainNotifications waits until the notes that came before a result are shown: the SDK
// delivers results at once and notifications from a queue.
func (k *conn) drainNotifications() {
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

// showProgress gives the call more time and its reader something to see.
func (k *conn) showProgress(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	defer k.noteHandled()
	token, _ := req.Params.ProgressToken.(string)
	k.mu.Lock()
	call := k.calls[token]
	k.mu.Unlock()
	if call == nil || !call.limit.Stop() {
		return
	}
	call.limit.Reset(call.after)
	p := req.Params
	line := "[progress] " + strconv.FormatFloat(p.Progress, 'f', -1, 64)
	if p.Total > 0 {
		line += "/" + strconv.FormatFloat(p.Total, 'f', -1, 64)
	}
	if p.Message != "" {
		line += " " + plainText(strings.ReplaceAll(p.Message, "\n", " "))
	}
	call.writeNote(line)
}

// showLog shows a server's log message if it is a warning or worse, to the calls under way; the protocol does
// not say which of them it belongs to.
func (k *conn) showLog(level string, data any) {
	defer k.noteHandled()
	if slices.Contains([]string{"debug", "info", "notice"}, level) { // below warning (RFC 5424, 6.2.1)
		return
	}
	text, ok := data.(string)
	if !ok {
		b, _ := json.Marshal(data)
		text = string(b)
	}
	line := "[" + plainText(level) + "] " + plainText(strings.ReplaceAll(text, "\n", " "))
	k.mu.Lock()
	calls := slices.Collect(maps.Values(k.calls))
	k.mu.Unlock()
	shown := false
	for _, call := range calls {
		shown = call.writeNote(line) || shown
	}
	if !shown {
		k.client.logf("%s", line)
	}
}

// writeNote writes a line for the call's reader, if it has one and is not over.
func (a *activeCall) writeNote(line string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.notes == nil {
		return false
	}
	io.WriteString(a.notes, line+"\n") // a reader that left is no reason to stop
	return true
}

// over returns when nothing more is written to the call's reader.
func (a *activeCall) over() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notes = nil
}
