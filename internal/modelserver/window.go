package modelserver

import (
	"bytes"
	"cmp"
	"net/http"
	"strconv"
	"strings"
)

// Window is a model's context window. A token is four bytes of a request. What does not fit is
// refused, or cut without a word; and since a client then sends what it makes of the conversation, later
// requests need not go on from earlier ones.
type Window struct {
	Tokens  int    `json:"tokens"`
	Refusal string `json:"refusal,omitempty"` // the body of the refusal, with {sent} and {window} in it; "": the beginning is left out, as Ollama does
	Status  int    `json:"status,omitempty"`  // of the refusal; 0 is 400
	Summary string `json:"summary,omitempty"` // the answer to a request for a summary, beside the replies
}

const summaryRequest = "Write the summary from which you will go on"

// answer answers a request in place of the next reply, if it has to.
func (win *Window) answer(w http.ResponseWriter, r *http.Request, body []byte, speak speaker) bool {
	if sent := len(body) / 4; win.Refusal != "" && sent > win.Tokens {
		words := strings.NewReplacer("{sent}", strconv.Itoa(sent), "{window}", strconv.Itoa(win.Tokens))
		playStatus(w, &Reply{Status: cmp.Or(win.Status, http.StatusBadRequest), Body: words.Replace(win.Refusal), ContentType: "application/json"})
		return true
	}
	if end := body[max(0, bytes.LastIndex(body, []byte(`"role":`))):]; win.Summary != "" && bytes.Contains(end, []byte(summaryRequest)) {
		playReply(w, r, &Reply{Text: win.Summary, NoUsage: true}, 1, speak)
		return true
	}
	return false
}

// usage is what the model read of a request.
func (win *Window) usage(body []byte) *Usage {
	return &Usage{PromptTokens: min(len(body)/4, win.Tokens), CompletionTokens: 10}
}
