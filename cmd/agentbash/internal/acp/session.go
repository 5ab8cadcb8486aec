package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/agentbash/agentbash/agentbash/todo"
	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/coder/acp-go-sdk"
)

// session is one open session: what happens in it is told to the editor, and what is
// asked in it is asked there. It implements [Editor].
type session struct {
	Session
	agent *agent
	id    acp.SessionId
	known atomic.Bool // to the editor; not while it is being opened

	mu    sync.Mutex
	over  bool                      // nothing begins any more
	stop  context.CancelFunc        // of the turn that runs; nil: none does
	idle  chan struct{}             // closed when that turn has ended
	call  call                      // that ran last
	ids   map[string]acp.ToolCallId // that calls are told by, by the model's; the last has it
	again int                       // how many had an ID that was used
	mode  string                    // that the editor knows
	plan  []todo.Item               // the same
}

// call is a tool call that was told.
type call struct {
	id     acp.ToolCallId
	tail   string            // the end of its output so far
	before map[string]string // of the files that it may write
}

// begin begins a turn.
func (s *session) begin(ctx context.Context) (context.Context, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, nil, unknownSession(s.id)
	}
	if s.stop != nil {
		return nil, nil, acp.NewInvalidRequest("a prompt is being answered: wait for its end, or send session/cancel")
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the connection cancels a prompt where another comes
	idle := make(chan struct{})
	s.stop, s.idle = cancel, idle
	return ctx, func() {
		s.mu.Lock()
		s.stop = nil
		s.mu.Unlock()
		cancel()
		close(idle)
	}, nil
}

// cancel ends the turn that runs.
func (s *session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}

// end ends the turn that runs, and the session.
func (s *session) end() error {
	s.mu.Lock()
	s.over = true
	idle := s.idle
	if s.stop != nil {
		s.stop()
	}
	s.mu.Unlock()
	if idle != nil {
		<-idle
	}
	return s.Close()
}

func (s *session) modes() *acp.SessionModeState {
	s.mode = s.Mode()
	return &acp.SessionModeState{AvailableModes: modes, CurrentModeId: acp.SessionModeId(s.mode)}
}

// update tells the editor. An editor that is gone is noticed where its stream ends.
func (s *session) update(ctx context.Context, u acp.SessionUpdate) {
	_ = s.agent.conn.SessionUpdate(context.WithoutCancel(ctx), acp.SessionNotification{SessionId: s.id, Update: u})
}

func (s *session) say(ctx context.Context, text string) {
	s.update(ctx, acp.UpdateAgentMessageText(text))
}

// tellCommands tells what can be typed.
func (s *session) tellCommands() {
	list := []acp.AvailableCommand{}
	for _, c := range s.Commands() {
		one := acp.AvailableCommand{Name: c.Name, Description: c.Help}
		if c.Args != "" {
			one.Input = &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: c.Args}}
		}
		list = append(list, one)
	}
	s.update(context.Background(), acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: list}})
}

// tellState tells the mode, when it changed, and the room in the window.
func (s *session) tellState(ctx context.Context) {
	if m := s.Mode(); m != s.mode {
		s.mode = m
		s.update(ctx, acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: acp.SessionModeId(m)}})
	}
	if used, window := s.Context(); window > 0 {
		s.update(ctx, acp.SessionUpdate{UsageUpdate: &acp.SessionUsageUpdate{Used: used, Size: window}})
	}
}

// tell tells what happened in a turn.
func (s *session) tell(ctx context.Context, e chat.Event) {
	switch e := e.(type) {
	case chat.Text:
		s.say(ctx, e.Delta)
	case chat.Reasoning:
		s.update(ctx, acp.UpdateAgentThoughtText(e.Delta))
	case chat.Notice:
		s.update(ctx, acp.UpdateAgentThoughtText("["+e.Text+"]\n"))
	case chat.Retry:
		s.update(ctx, acp.UpdateAgentThoughtText(fmt.Sprintf("[%s; trying again]\n", e.Reason)))
	case chat.ToolCall:
		seen := s.Foresee(e.Command)
		s.setCall(call{id: s.nameCall(e.ID), before: readAll(seen.Write)})
		s.update(ctx, startCall(s.call.id, e.Command, seen, acp.ToolCallStatusInProgress))
	case chat.Output:
		s.setCall(call{id: s.call.id, before: s.call.before, tail: lastBytes(s.call.tail+e.Text, shownOutput)})
		s.update(ctx, acp.UpdateToolCall(s.ids[e.ID], acp.WithUpdateContent(textContent(s.call.tail))))
	case chat.ToolResult:
		s.update(ctx, s.endCall(e))
		s.tellPlan(ctx)
	}
}

// tellPlan tells the model's list of steps, when it changed.
func (s *session) tellPlan(ctx context.Context) {
	items := s.Plan()
	if slices.Equal(items, s.plan) {
		return
	}
	s.plan = items
	entries := []acp.PlanEntry{}
	for _, i := range items {
		entries = append(entries, acp.PlanEntry{Content: i.Content, Status: acp.PlanEntryStatus(i.Status), Priority: acp.PlanEntryPriorityMedium})
	}
	s.update(ctx, acp.UpdatePlan(entries...))
}

func (s *session) setCall(c call) {
	s.mu.Lock()
	s.call = c
	s.mu.Unlock()
}

// nameCall is the ID by which a call is told: models use theirs again, and an editor would take
// the second call for the first one.
func (s *session) nameCall(id string) acp.ToolCallId {
	name := acp.ToolCallId(id)
	if _, used := s.ids[id]; used {
		s.again++
		name = acp.ToolCallId(fmt.Sprintf("%s again %d", id, s.again))
	}
	if s.ids == nil {
		s.ids = map[string]acp.ToolCallId{}
	}
	s.ids[id] = name
	return name
}

// startCall is the beginning of a tool call.
func startCall(id acp.ToolCallId, command string, seen Foreseen, status acp.ToolCallStatus) acp.SessionUpdate {
	locations := []acp.ToolCallLocation{}
	for _, p := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(seen.Write, seen.Reads)))) {
		locations = append(locations, acp.ToolCallLocation{Path: p})
	}
	return acp.StartToolCall(id, title(command), acp.WithStartKind(kindOf(seen)), acp.WithStartStatus(status),
		acp.WithStartLocations(locations), acp.WithStartRawInput(map[string]any{"command": command}))
}

// kinds are what the agent commands do, for an editor's icons.
var kinds = map[string]acp.ToolKind{"read": acp.ToolKindRead, "grep": acp.ToolKindSearch, "glob": acp.ToolKindSearch, "recall": acp.ToolKindSearch,
	"write": acp.ToolKindEdit, "edit": acp.ToolKindEdit, "apply_patch": acp.ToolKindEdit, "web_fetch": acp.ToolKindFetch, "web_search": acp.ToolKindFetch}

func kindOf(seen Foreseen) acp.ToolKind {
	if k, ok := kinds[seen.Tool]; ok {
		return k
	}
	return acp.ToolKindExecute
}

// title is the first line of a command.
func title(command string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(command), "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

// endCall is the end of a tool call: what it wrote, and how the files it was known to write changed.
func (s *session) endCall(e chat.ToolResult) acp.SessionUpdate {
	status := acp.ToolCallStatusCompleted
	if e.ExitCode != 0 || e.Refused || e.Denied || e.Interrupted {
		status = acp.ToolCallStatusFailed
	}
	content := []acp.ToolCallContent{}
	afters := readAll(slices.Collect(maps.Keys(s.call.before)))
	for _, path := range slices.Sorted(maps.Keys(afters)) {
		before, after := s.call.before[path], afters[path]
		if before == after || s.call.id != s.ids[e.ID] {
			continue
		}
		if before == "" {
			content = append(content, acp.ToolDiffContent(path, after))
		} else {
			content = append(content, acp.ToolDiffContent(path, after, before))
		}
	}
	if len(content) == 0 {
		content = textContent(e.Output)
	}
	return acp.UpdateToolCall(s.ids[e.ID], acp.WithUpdateStatus(status), acp.WithUpdateContent(content),
		acp.WithUpdateRawOutput(map[string]any{"output": e.Output, "exit_code": e.ExitCode, "denied": e.Denied, "running": e.Running}))
}

const (
	shownOutput = 16 << 10 // bytes of a running command's output that are shown
	diffedFile  = 1 << 20  // bytes of a file above which no diff is shown
)

// readAll reads files that can be compared; one that is not there is empty.
func readAll(paths []string) map[string]string {
	out := map[string]string{}
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil {
			if errors.Is(err, os.ErrNotExist) {
				out[p] = ""
			}
			continue
		}
		if !st.Mode().IsRegular() || st.Size() > diffedFile {
			continue
		}
		if data, err := os.ReadFile(p); err == nil && utf8.Valid(data) {
			out[p] = string(data)
		}
	}
	return out
}

// Unsaved implements [Editor].
func (s *session) Unsaved(ctx context.Context, path string) (string, bool) {
	s.agent.mu.Lock()
	offered := s.agent.client.Fs.ReadTextFile
	s.agent.mu.Unlock()
	saved, known := readAll([]string{path})[path]
	if !offered || !known {
		return "", false
	}
	got, err := s.agent.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: s.id, Path: path})
	return got.Content, err == nil && sameLines(got.Content) != sameLines(saved)
}

// sameLines is a text as every editor has it, whatever its lines end with.
func sameLines(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}

func textContent(text string) []acp.ToolCallContent {
	return []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(text))}
}

// runCommand runs a slash command.
func (s *session) runCommand(ctx context.Context, c *term.Command, words string) error {
	text, err := c.Run(ctx, words)
	if err != nil {
		return err
	}
	s.say(ctx, "```\n"+strings.TrimSuffix(text, "\n")+"\n```\n")
	return nil
}

// replay tells what was said before.
func (s *session) replay(ctx context.Context) {
	for _, r := range transcript.Settled(s.Records()) {
		switch r.Type {
		case transcript.TypeUser:
			s.update(ctx, acp.UpdateUserMessageText(r.Text))
		case transcript.TypeText:
			s.say(ctx, r.Text)
		case transcript.TypeAssistant:
			if r.Reasoning != "" {
				s.update(ctx, acp.UpdateAgentThoughtText(r.Reasoning))
			}
			if r.Text != "" {
				s.say(ctx, r.Text)
			}
			for _, c := range r.Calls {
				var args struct{ Command string }
				_ = json.Unmarshal([]byte(c.Arguments), &args) // what was no object was refused
				s.update(ctx, startCall(s.nameCall(c.ID), args.Command, s.Foresee(args.Command), acp.ToolCallStatusPending))
			}
		case transcript.TypeToolResult:
			s.update(ctx, s.endCall(chat.ToolResult{ID: r.ID, Output: r.Output, ExitCode: r.ExitCode, Refused: r.Refused, Denied: r.Denied, Interrupted: r.Interrupted, Running: r.Running}))
		}
	}
}
