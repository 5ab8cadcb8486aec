package chat

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// Options configures New; Model and Runner are required.
type Options struct {
	Model   string
	BaseURL string // up to and without /chat/completions; "" is OpenAI's own
	APIKey  string // "": none is sent
	System  string // the system prompt; "" sends none

	// Description is that of the one tool, which says what can be typed into it:
	// [router.Definition] makes it. "" says that there is bash alone.
	Description string

	// Brief makes a system prompt and a description that have at most so many bytes together. They
	// take the place of the usual ones where the model's window is small, as soon as that is known.
	// nil: the usual ones stay.
	Brief func(bytes int) (system, description string)

	// Runner runs the commands; required.
	Runner Runner

	// Events is called from Turn's goroutine for whatever a person wants to see, and
	// from another with an Output while that one waits for a command.
	// It may be nil; see also OnEvent.
	Events func(Event)

	// HTTPClient sends the requests; nil means one that waits as long as the
	// model does, and follows no redirects. Retries and the checks of the
	// response are put around its Transport.
	HTTPClient *http.Client

	// Attempts bounds how often one request is sent, 0 is 4. Backoff is the wait
	// before the second, which doubles, 0 is 500 ms; Retry-After overrides it.
	Attempts int
	Backoff  time.Duration

	// Idle is how long a reply may be silent before it counts as cut off, 0 is 5
	// minutes, and 30 for a server on this machine. Comments that keep a connection alive count as life.
	Idle time.Duration

	// Journal takes a record of everything before it is shown; nil: nothing is
	// recorded. History is what a journal holds already: the conversation goes on
	// from there.
	Journal Journal
	History []transcript.Record

	// Resumed is what the model is told, with the next prompt, of how the history goes
	// on; "" is that the shell is a new one.
	Resumed string

	// MaxTurns bounds the requests of one Turn, MaxCost the dollars of Budget. 0 is no limit.
	MaxTurns int
	MaxCost  float64
	Budget   *Budget // nil: one of the conversation's own

	// Unattended says that nobody reads along who could send another prompt: what needs one is not
	// offered, and a model that says what it would do, and does it not, is told to.
	Unattended bool

	// MaxTime bounds one Turn; 0 is no limit.
	MaxTime time.Duration

	// Waited is how long questions of calls have waited for a person so far, which is no part of
	// a call's duration; nil: nobody is asked.
	Waited func() time.Duration

	// API is the protocol that the model speaks, [APIChat], [APIResponses] or [APIMessages]; ""
	// is the first until the server answers that it wants the second. KnownAPI is what
	// OnAPI was told of this model before. OnAPI is called from Turn's goroutine
	// when another protocol was found to work: the Model's KnownAPI. It may be nil.
	API      string
	KnownAPI string
	OnAPI    func(Model)

	// Effort is how much the model is to think before it answers, one of [Efforts]; "" leaves
	// it to the server.
	Effort string

	// Window is the model's context window in tokens, and Prices what it costs;
	// zero values mean what Known says of the model by its name; a nil Known is [BuiltInModels].
	Window int
	Prices Prices
	Known  KnownModels

	// Fallback is called from Turn's goroutine when the server failed, after all attempts, and
	// returns the model that goes on, or false. It may be nil.
	Fallback func(context.Context) (Model, bool)

	// Spill stores a text that is left out of the conversation to save room, and
	// returns the path where the model can read it. nil: it is gone.
	Spill func(text string) (path string, err error)

	// Settings are how errors name these options.
	Settings Settings

	// Debug gets every request and response, one JSON line each, without the
	// key; nil: nothing.
	Debug io.Writer

	// Program is the version that goes into records.
	Program string
}

// Conversation is an exchange with one model. It is used from one goroutine.
type Conversation struct {
	opts     Options
	http     *http.Client
	api      string             // the protocol: the options', or what was found out
	tried    bool               // the other protocol is being tried
	refused  error              // why
	quirks   *quirks            // of the model at its server
	known    map[string]*quirks // by server and model
	brief    bool               // the prompts are those for a small window
	server   string             // host of the base URL, for messages
	tools    []openai.Tool
	messages []message
	turns    int

	size        sizer             // of the context
	resumed     string            // a note for the next prompt: the shell is a new one
	pieces      transcript.Record // what was shown of a reply, while a history is read
	sick        error             // the journal's
	summarizing bool              // a summary is written, which nobody is shown
	plain       bool              // the server refuses reasoning that is sent back
	by          string            // the model that answers
	denials     denials
}

// New makes a conversation. It sends nothing yet.
func New(opts *Options) *Conversation {
	c := &Conversation{opts: *opts}
	if c.opts.Description == "" {
		c.opts.Description = router.Definition(registry.New()).Description
	}
	c.tools = toolDefinitions(c.opts.Description)
	c.opts.Settings = c.opts.Settings.orDefaults()
	if c.opts.Budget == nil {
		c.opts.Budget = &Budget{}
	}
	if c.opts.Known == nil {
		c.opts.Known = BuiltInModels()
	}
	if c.opts.Events == nil {
		c.opts.Events = func(Event) {}
	}
	c.connectModel()
	c.loadHistory()
	c.fitPrompt()
	return c
}

// OnEvent puts f in the place of Options.Events. It is not called during a Turn.
func (c *Conversation) OnEvent(f func(Event)) { c.opts.Events = f }

// Turn is Send with a text alone.
func (c *Conversation) Turn(ctx context.Context, prompt string) (final string, err error) {
	return c.Send(ctx, Prompt{Text: prompt})
}

// Prompt is what a person sends: a text, pictures, or both.
type Prompt struct {
	Text   string
	Typed  string  // what the person knows it by, where more was added to it; "" is Text
	Images []Image // beside those that the text names; see NewImage
}

// Send sends a prompt and goes on until the model stops calling the tool. It
// returns the text of the last reply. Words such as @shot.png in what was typed
// send the picture along, when there is such a file.
//
// An error is an [*Error]; the text that came before it is returned too. The
// conversation can be continued with another Send after any error.
func (c *Conversation) Send(ctx context.Context, p Prompt) (final string, err error) {
	if strings.TrimSpace(p.Text) == "" && len(p.Images) == 0 {
		return "", &Error{Exit: ExitUsage, Text: "the prompt is empty: type what is to be done"}
	}
	named, err := loadImages(cmp.Or(p.Typed, p.Text), c.shellDir())
	if err == nil {
		named = append(append([]Image(nil), p.Images...), named...)
		err = checkImages(named)
	}
	if err != nil {
		return "", &Error{Exit: ExitUsage, Text: err.Error(), Err: err}
	}
	c.turns++
	c.beginTurn()
	c.closeTurn()
	c.addRecord(transcript.Record{Type: transcript.TypeUser, Text: p.Text, Typed: p.Typed, Images: named})
	if limit := c.opts.MaxTime; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, OutOfTime(limit, c.opts.Settings.MaxTime))
		defer cancel()
	}
	t := &turn{loops: newLoopDetector(c.opts.Settings.Permission)}
	final, err = c.runTurn(ctx, t)
	end := transcript.Record{Type: transcript.TypeEnd}
	if err != nil {
		end.Error, end.ExitCode = err.Error(), exitOf(err)
	}
	c.appendRecord(end)
	return final, errors.Join(err, c.syncJournal())
}

// Denied is why a command was not run, where none of the same name (`git push`, `rm`)
// has run since; of several the last. nil: there is none.
func (c *Conversation) Denied() error {
	if n := len(c.denials); n > 0 {
		return c.denials[n-1].why
	}
	return nil
}

// turn is the state of one Turn.
type turn struct {
	requests    int
	compactions int    // compactions since the last reply
	blind       bool   // a reply was left out, since its model had not seen all of the conversation
	unusable    int    // replies in a row that said nothing, or a call as text
	called      bool   // there was a call
	nudged      bool   // the model was told to make its calls itself
	skip        string // why the rest of the reply's calls does not run
	loops       *loopDetector
	shown       []Image // by the calls of this reply
}

// runTurn asks and answers until the model has nothing more to call.
func (c *Conversation) runTurn(ctx context.Context, t *turn) (final string, err error) {
	for {
		if err := c.prepareRequest(ctx, t); err != nil {
			return final, err
		}
		r, err := c.requestReply(ctx)
		if err != nil && r.text.Len() == 0 && c.makeRoom(ctx, t, err) || err == nil && c.makeRoomAgain(ctx, t, r) {
			continue
		}
		if err != nil {
			err = c.explainSize(err)
		}
		t.requests++
		t.compactions = 0
		c.appendReply(r, err)
		final = r.text.String()
		if err != nil {
			return final, err
		}
		if len(r.calls) == 0 {
			if err := c.checkFinish(r); err != nil {
				return final, err
			}
			if again, err := c.askAgain(t, r); !again {
				return final, err
			}
			continue
		}
		t.unusable, t.called, t.skip = 0, true, ""
		t.loops.reply++
		for _, call := range r.calls {
			c.runToolCall(ctx, t, r, call)
		}
		c.showImages(t)
		if ctx.Err() != nil {
			return final, c.interruptError(ctx)
		}
		if err := t.loops.stopError(); err != nil {
			return final, err
		}
	}
}

// prepareRequest is what must be so before a request: no limit is reached, the
// conversation fits, and what was shown is on the disk.
func (c *Conversation) prepareRequest(ctx context.Context, t *turn) error {
	if err := c.checkLimits(t); err != nil {
		return err
	}
	c.fitPrompt()
	if c.size.isFull(c.messages) && t.compactions == 0 {
		t.compactions++
		c.shortenHistory(ctx, t.compactions)
	}
	return c.syncJournal()
}

// closeTurn closes a turn that ended before the model had its say, since many chat
// templates refuse two user messages in a row.
func (c *Conversation) closeTurn() {
	if c.waiting() {
		c.addRecord(noReply())
	}
}

// waiting reports whether the last word is not the model's.
func (c *Conversation) waiting() bool {
	n := len(c.messages)
	return n > 0 && (c.messages[n-1].Role == openai.ChatMessageRoleUser || c.messages[n-1].Role == openai.ChatMessageRoleTool)
}

func noReply() transcript.Record {
	return transcript.Record{Type: transcript.TypeAssistant, Text: "[no reply: the turn was interrupted]"}
}

// appendReply appends a reply. Of one that broke off, the text stays, with a note;
// calls that may be incomplete do not.
func (c *Conversation) appendReply(r *reply, err error) {
	rec := transcript.Record{Type: transcript.TypeAssistant, Text: r.text.String(), Reasoning: r.reasoning.String()}
	if strings.TrimSpace(rec.Text) == "" {
		rec.Text = ""
	}
	if err != nil {
		if rec.Partial = true; rec.Text != "" {
			c.addRecord(rec)
		}
		return
	}
	rec.Extra = r.providerFields(c.protocol().order)
	for _, call := range r.calls {
		rec.Calls = append(rec.Calls, call.echo())
	}
	if rec.Text == "" && len(rec.Calls) == 0 {
		rec.Text = "(no answer)"
	}
	c.addRecord(rec)
}
