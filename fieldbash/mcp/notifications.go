package mcp

//lint:file-ignore SA1019 log messages are deprecated from MCP 2026-07-28 on, and what today's servers speak

import (
	"cmp"
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
	p := req.Params
	line := strconv.FormatFloat(p.Progress, 'f', -1, 64)
	if p.Total > 0 {
		line += "/" + strconv.FormatFloat(p.Total, 'f', -1, 64)
	}
	k.tellProgress(token, strings.TrimSpace(line+" "+p.Message))
}

// tellProgress does so for the call with a token.
func (k *conn) tellProgress(token, text string) {
	k.mu.Lock()
	call := k.calls[token]
	k.mu.Unlock()
	if call == nil || !call.limit.Stop() {
		return
	}
	call.limit.Reset(call.after)
	if line := "[progress] " + plainText(strings.ReplaceAll(text, "\n", " ")); call.showsProgress(line) {
		call.writeNote(line)
	}
}

// LogLevels are the levels of a server's log messages, the least first (RFC 5424, 6.2.1).
var LogLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func (c *Client) logLevel() string { return cmp.Or(c.spec.LogLevel, "warning") }

// askForLogs asks for messages with a request, as MCP 2026-07-28 has it.
func (c *Client) askForLogs(s *sdk.ClientSession, meta sdk.Meta) {
	if hello := s.InitializeResult(); hello != nil && hello.ProtocolVersion >= firstSessionless {
		meta[sdk.MetaKeyLogLevel] = c.logLevel()
	}
}

// askLevel asks a server of an older revision for the messages that the configuration wants.
func (c *Client) askLevel(ctx context.Context, s *sdk.ClientSession) {
	hello := s.InitializeResult()
	if c.spec.LogLevel != "" && hello != nil && hello.Capabilities != nil && hello.Capabilities.Logging != nil && hello.ProtocolVersion < firstSessionless {
		s.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: sdk.LoggingLevel(c.spec.LogLevel)}) // it may not know how
	}
}

// showLog shows a server's log message if it is of the level that is wanted, to the calls under way; the protocol does
// not say which of them it belongs to.
func (k *conn) showLog(level string, data any) {
	defer k.noteHandled()
	if at := slices.Index(LogLevels, level); at >= 0 && at < slices.Index(LogLevels, k.client.logLevel()) {
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

// Of a call's progress the first notes are shown, and those behind them with a pause between each other.
const (
	firstProgress = 20
	progressPause = 500 * time.Millisecond
)

// showsProgress reports whether a line of progress is to be written now. One that is not
// is kept for the end of the call, unless another comes.
func (a *activeCall) showsProgress(line string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.told++; a.told > firstProgress && time.Since(a.toldAt) < progressPause {
		a.held = line
		return false
	}
	a.toldAt, a.held = time.Now(), ""
	return true
}

// over writes what was kept, and returns when nothing more is written to the call's reader.
func (a *activeCall) over() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.notes != nil && a.held != "" {
		io.WriteString(a.notes, a.held+"\n")
	}
	a.notes = nil
}
