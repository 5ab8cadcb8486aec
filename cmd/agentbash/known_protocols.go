package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/atomicfile"
)

// knownProtocols is what servers told of their models, kept from one run to the next:
// the protocol of a model that does not speak the usual one. Losing the file
// costs one request more.
type knownProtocols struct{ path string }

func (b *configuredBash) knownProtocols() knownProtocols {
	return knownProtocols{filepath.Join(b.cfg.Dirs.State, "models.json")}
}

func modelKey(m chat.Model) string { return m.BaseURL + " " + m.Name }

func (k knownProtocols) readAll() map[string]string {
	apis := map[string]string{}
	if data, err := os.ReadFile(k.path); err == nil {
		json.Unmarshal(data, &apis) // a file that is no JSON is as good as none
	}
	return apis
}

// protocolOf is the protocol that is known of a model, or "".
func (k knownProtocols) protocolOf(m chat.Model) string {
	if api := k.readAll()[modelKey(m)]; slices.Contains(chat.APIs(), api) {
		return api
	}
	return ""
}

// saveProtocol remembers a model's protocol. Two programs that learn at the same time
// may lose one of the two, so an error is none either.
func (k knownProtocols) saveProtocol(m chat.Model) {
	apis := k.readAll()
	if apis[modelKey(m)] = m.KnownAPI; m.KnownAPI == chat.APIChat {
		delete(apis, modelKey(m)) // the usual
	}
	if data, err := json.MarshalIndent(apis, "", "  "); err == nil {
		atomicfile.Write(k.path, append(data, '\n'))
	}
}
