package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/atomicfile"
)

// learnt is what servers told of their models, kept from one run to the next:
// the protocol of a model that does not speak the usual one. Losing the file
// costs one request more.
type learnt struct{ path string }

func (w *world) learnt() learnt { return learnt{filepath.Join(w.cfg.Dirs.State, "models.json")} }

func modelKey(m chat.Model) string { return m.BaseURL + " " + m.Name }

func (l learnt) read() map[string]string {
	apis := map[string]string{}
	if data, err := os.ReadFile(l.path); err == nil {
		json.Unmarshal(data, &apis) // a file that is no JSON is as good as none
	}
	return apis
}

// api is the protocol that is known of a model, or "".
func (l learnt) api(m chat.Model) string {
	switch api := l.read()[modelKey(m)]; api {
	case chat.APIChat, chat.APIResponses:
		return api
	}
	return ""
}

// keep remembers a model's protocol. Two programs that learn at the same time
// may lose one of the two, so an error is none either.
func (l learnt) keep(m chat.Model) {
	apis := l.read()
	if apis[modelKey(m)] = m.KnownAPI; m.KnownAPI == chat.APIChat {
		delete(apis, modelKey(m)) // the usual
	}
	if data, err := json.MarshalIndent(apis, "", "  "); err == nil {
		atomicfile.Write(l.path, append(data, '\n'))
	}
}
