package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tooLongWords are a refusal because of the window, in the words of servers; OpenAI, Anthropic,
// Gemini, Mistral, llama.cpp, Ollama, LM Studio, vLLM, SGLang, TGI, MLX and TabbyAPI among them.
var tooLongWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)context.?(length|window|size|shift|limit|overflow)|prompt (is )?too (long|large)|too many (input )?tokens|maximum.{0,30}tokens` +
		`|(input|prompt|request|message)s?\b.{0,40}(too long|longer than|greater than|exceed)|token count.{0,40}exceeds|must have less than \d+ tokens|max_(seq|model)_len|reduce the length of the (messages|prompt|input)` +
		`|inputs.{0,40}must be <=`)
})

// isTooLong reports a refusal because of the window, in the words of several servers.
func isTooLong(status int, e *errorBody) bool {
	if status == http.StatusRequestEntityTooLarge || e.window > 0 || e.code == "context_length_exceeded" || e.kind == "exceed_context_size_error" {
		return true
	}
	refused := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError
	return refused && tooLongWords().MatchString(e.text)
}

var (
	windowNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:(?:context length|context window|context size|token limit|model length|max_seq_len|maximum number of tokens allowed)(?: of this model)?(?: is| of|:)?(?: only)? ?\(?(\d[\d,]{2,9})|> (\d[\d,]{2,9}) max|maximum of (\d[\d,]{2,9})|less than (\d{3,9}) tokens|<= ?(\d{3,9}))`)
	})
	bigNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d[\d,]{2,9}\b`) })
)

// tokens are what a refusal says: the window, and what was sent; 0: it does not say. Of two numbers
// whose meaning is not known the smaller is the window.
func (e *errorBody) tokens() (window, sent int) {
	number := func(s string) int {
		n, _ := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
		return n
	}
	window, sent = e.window, e.sent
	if window == 0 {
		m := windowNumber().FindStringSubmatch(e.text)
		window = number(strings.Join(m[min(1, len(m)):], ""))
	}
	all := bigNumber().FindAllString(e.text, -1)
	for _, s := range all {
		if n := number(s); e.sent == 0 {
			sent = max(sent, n)
		}
	}
	if window == 0 && len(all) == 2 {
		window = min(number(all[0]), number(all[1]))
	}
	return window, sent
}

// isLocal reports whether the server is on this machine.
func (c *Conversation) isLocal() bool {
	u, err := url.Parse(c.opts.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// askTime bounds how long a server is asked for its window.
const askTime = 2 * time.Second

// askWindow asks a server on this machine, once, for the window of its model, while the
// reply comes: some know it only when the model is loaded. nil: it is not asked.
func (c *Conversation) askWindow(ctx context.Context) <-chan int {
	if c.size.asked || c.size.window > 0 || !c.isLocal() {
		return nil
	}
	c.size.asked = true
	answer := make(chan int, 1)
	ctx, cancel := context.WithTimeout(ctx, askTime)
	base, model, key := c.opts.BaseURL, c.opts.Model, c.opts.APIKey
	go func() {
		defer cancel()
		root := strings.TrimSuffix(base, "/v1")
		// llama.cpp, Ollama, LM Studio, vLLM and SGLang, in this order.
		for _, address := range []string{root + "/props", root + "/api/ps", root + "/api/v0/models", base + "/models"} {
			if n := readWindow(ctx, address, key, model); n > 0 || ctx.Err() != nil {
				answer <- n
				return
			}
		}
		answer <- 0
	}()
	return answer
}

// serverFacts are what servers say of their models.
type serverFacts struct {
	Window   int `json:"n_ctx"`
	Settings struct {
		Window int `json:"n_ctx"`
	} `json:"default_generation_settings"`
	Data, Models []struct {
		ID, Name, Model string
		MaxModelLen     int `json:"max_model_len"`
		LoadedContext   int `json:"loaded_context_length"`
		ContextLength   int `json:"context_length"`
	}
}

func readWindow(ctx context.Context, address, key, model string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without a proxy: it is this machine
	resp, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	var f serverFacts
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&f) != nil {
		return 0
	}
	for _, m := range append(f.Data, f.Models...) {
		if model == m.ID || model == m.Name || model == m.Model || model+":latest" == m.Name {
			return max(m.MaxModelLen, m.LoadedContext, m.ContextLength)
		}
	}
	return max(f.Window, f.Settings.Window)
}

// noteWindow notes the window that a server told.
func (c *Conversation) noteWindow(n int) {
	if n > 0 && c.size.window == 0 {
		c.size.window = n
	}
}

// leastWindow is in tokens: no server's window is smaller.
const leastWindow = 2000

// noteCount compares the server's count of a prompt with what was sent. Ollama leaves out the
// beginning of what does not fit, and says nothing: then the count stays far below, or where it
// was while the conversation grew.
func (c *Conversation) noteCount(u Usage) (cut bool) {
	s, ours := &c.size, toolTokens+estimateTokens(c.messages)
	same := u.Prompt == s.count && ours > s.ours+leastWindow/10
	far := c.isLocal() && u.Cached == 0 && ours*2 > u.Prompt*5
	s.count, s.ours = u.Prompt, ours
	if u.Prompt < leastWindow || !same && !far {
		return false
	}
	s.window = u.Prompt
	s.forget()
	if !s.told {
		s.told = true
		c.emitEvent(Notice{Text: fmt.Sprintf("the server read only %d tokens of about %d and left out the beginning: its window is too small. Room is made from here on; a larger one helps more (Ollama: OLLAMA_CONTEXT_LENGTH=32768 ollama serve)", u.Prompt, ours)})
	}
	return true
}

// makeRoomAgain compacts where a reply came of a conversation that had no room: one whose beginning
// the server left out, or that left none for an answer. It reports whether to ask again.
func (c *Conversation) makeRoomAgain(ctx context.Context, t *turn, r *reply) bool {
	full := r.finish == "length" && strings.TrimSpace(r.text.String()) == ""
	if t.blind || len(r.calls) > 0 || !full && !r.cut {
		return false
	}
	t.blind = true
	if full {
		c.noteFull(0)
	}
	reason := "the conversation left the model no room for an answer"
	if r.cut {
		reason = "the model did not see all of the conversation"
	}
	t.compactions++
	if !c.shortenHistory(ctx, 2) { // the newest output is what was too large
		return false
	}
	c.emitEvent(Retry{Attempt: 1, Reason: reason, Void: r.text.Len() > 0})
	return c.syncJournal() == nil
}

// explainSize says of a conversation that does not fit, and cannot be made to, what takes the room.
func (c *Conversation) explainSize(err error) error {
	e, ok := err.(*Error)
	if !ok || !e.tooLong {
		return err
	}
	window, sent := e.refusal.tokens()
	if window == 0 {
		window = c.size.window
	}
	if sent <= window {
		sent = c.size.estimate(c.messages)
	}
	large, name := 0, ""
	for i := range c.messages {
		m := &c.messages[i]
		what := map[string]string{"system": "the system prompt with the instructions of the project", "user": "the prompt", "tool": "the output of a command"}[m.Role]
		if strings.Contains(m.rec.Text, "<stdin>") {
			what = "what came on stdin"
		}
		if n := estimateTokens(c.messages[i : i+1]); n > large && what != "" {
			large, name = n, what
		}
	}
	if large > 0 && window > 0 {
		e.Text += fmt.Sprintf(", or raise the window of the server: it has %d tokens, the conversation about %d, and %s about %d of these", window, sent, name, large)
	}
	return e
}
