package chat

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat/transcript"
)

// Model is a model, the server that has it, and what is known of it.
type Model struct {
	Name    string
	BaseURL string // as Options.BaseURL; "" is OpenAI's own
	APIKey  string
	Window  int           // as Options.Window; 0: by its name
	Prices  Prices        // as Options.Prices; zero: by its name
	Idle    time.Duration // as Options.Idle

	API, KnownAPI, Effort string // as in Options
}

// Model is who answers now. The BaseURL is never empty, the Window as much as
// is known by now.
func (c *Conversation) Model() Model {
	return Model{Name: c.opts.Model, BaseURL: c.opts.BaseURL, APIKey: c.opts.APIKey, Window: c.size.window, Prices: c.opts.Prices, Idle: c.opts.Idle,
		API: c.opts.API, KnownAPI: c.opts.KnownAPI, Effort: c.opts.Effort}
}

// SetModel makes m the model of the options.
func (o *Options) SetModel(m Model) {
	o.Model, o.BaseURL, o.APIKey, o.Window, o.Prices = m.Name, m.BaseURL, m.APIKey, m.Window, m.Prices
	o.API, o.KnownAPI, o.Effort, o.Idle = m.API, m.KnownAPI, m.Effort, m.Idle
}

// SetModel has another model go on with the conversation from the next Send.
// What the one before wants to have back with its replies (signatures, its
// reasoning) is not sent to the new one, and is sent again when it comes back.
// Nothing is sent by SetModel itself. It is not called during a Send.
func (c *Conversation) SetModel(m Model) error {
	c.opts.SetModel(m)
	c.connectModel()
	c.addRecord(transcript.Record{Type: transcript.TypeModel, Model: c.opts.Model, Server: c.opts.BaseURL})
	return c.syncJournal()
}

// connectModel makes the client for the model in the options, and fills in what is
// known of it.
func (c *Conversation) connectModel() {
	o := &c.opts
	// A key that was read from a file often has a newline, which HTTP refuses.
	o.APIKey = strings.TrimSpace(o.APIKey)
	o.BaseURL = BaseURL(o.BaseURL)
	c.http = c.httpClient()
	c.server = hostOf(o.BaseURL)
	facts := o.Known.Find(o.Model)
	c.size = newSizer(cmp.Or(o.Window, facts.Window))
	for i := range c.messages {
		c.messages[i].unseen = false
	}
	c.api, c.tried, c.plain = cmp.Or(o.API, o.KnownAPI), false, false
	if c.known == nil {
		c.known = map[string]*quirks{}
	}
	where := o.BaseURL + " " + o.Model
	if c.quirks = c.known[where]; c.quirks == nil {
		c.quirks = &quirks{}
		c.known[where] = c.quirks
	}
	if o.Prices == (Prices{}) {
		o.Prices = facts.Prices
	}
}

// isOwn reports whether the present model made m. The server is not asked about: the
// same model behind another one usually takes back what it said, and where it
// does not, its refusal is understood (see refusesReasoning).
func (c *Conversation) isOwn(m *message) bool { return m.by == "" || m.by == c.by }

// BaseURL is base as requests and records have it: without the path of a
// protocol, and OpenAI's own for "".
func BaseURL(base string) string {
	if base == "" {
		return "https://api.openai.com/v1"
	}
	base = strings.TrimRight(base, "/")
	for _, api := range APIs() {
		base = strings.TrimSuffix(base, protocolOf(api).path)
	}
	return base
}

// neutralID stands for the id of a call that another model made. Nine letters and
// digits are what the strictest servers take (Mistral's).
func neutralID(id string) string {
	sum := sha256.Sum256([]byte(id))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:9])
}
