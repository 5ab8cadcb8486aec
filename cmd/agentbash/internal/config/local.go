package config

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/secrettext"
)

// Local is a model server on this machine.
type Local struct {
	Name    string // "Ollama"
	BaseURL string // as for OPENAI_BASE_URL
	Model   string // the first that it lists
}

// Candidate is a place where a model server may listen.
type Candidate struct {
	Name string
	Port int
}

// Candidates are the places where model servers listen by default, the
// preferred one first.
func Candidates() []Candidate {
	return []Candidate{{"Ollama", 11434}, {"LM Studio", 1234}, {"llama.cpp", 8080}, {"vLLM", 8000}}
}

// localTime bounds the whole search.
const localTime = 200 * time.Millisecond

// FindLocal asks all candidates at once, for at most 200 ms, and returns the
// first in their order that lists a model, or nil. What answers must do so as a
// model server does: another program on one of the ports does not count.
func FindLocal(ctx context.Context, candidates []Candidate) *Local {
	ctx, cancel := context.WithTimeout(ctx, localTime)
	defer cancel()
	// No proxy: this machine is not reached through one. No kept connections: most
	// of the servers are never asked again.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	found := make([]chan *Local, len(candidates))
	for i, c := range candidates {
		found[i] = make(chan *Local, 1)
		go func() {
			base := fmt.Sprintf("http://127.0.0.1:%d/v1", c.Port)
			if models, err := listModels(ctx, client, base, "", false); err == nil {
				found[i] <- &Local{Name: c.Name, BaseURL: base, Model: models[0]}
			}
			close(found[i])
		}()
	}
	// The first in order that answered wins without waiting for those after it;
	// the cancel ends them. A port where nobody listens says so at once.
	var first *Local
	for _, c := range found {
		if first == nil {
			first = <-c
		}
	}
	cancel()
	for _, c := range found {
		for range c {
		}
	}
	return first
}

// FirstModel returns the first model that the server at baseURL lists, for those
// who named a server and no model.
func FirstModel(ctx context.Context, baseURL, apiKey string) (string, error) {
	models, err := Models(ctx, baseURL, apiKey)
	if err != nil {
		return "", errors.New(secrettext.Shown(fmt.Sprintf("no model is set, and %s lists none (%v)", baseURL, err)) + ": set --model or " + EnvModel)
	}
	return models[0], nil
}

// Models returns the models that can chat which the server at baseURL lists, at least one.
func Models(ctx context.Context, baseURL, apiKey string) ([]string, error) {
	return listModels(ctx, &http.Client{}, strings.TrimRight(baseURL, "/"), apiKey, true)
}

// listModels are the models that can chat in GET base/models. named: it is known to be a
// model server, so that a list of names alone will do.
func listModels(ctx context.Context, client *http.Client, base, apiKey string, named bool) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil, err
	}
	chat.SetKey(req.Header, APIOf(base), apiKey)
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)) // its own words may repeat the key
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	models, err := modelNames(data, named)
	if err != nil {
		return nil, err
	}
	// LM Studio and Ollama list the models that only embed text among the others.
	models = slices.DeleteFunc(models, func(name string) bool { return name == "" || strings.Contains(strings.ToLower(name), "embed") })
	if len(models) == 0 {
		return nil, errors.New("the list is empty")
	}
	return models, nil
}

// modelNames are the names in a list of models: OpenAI's, Ollama's own, or a list of names.
func modelNames(data []byte, bare bool) (names []string, err error) {
	var answer struct{ Data, Models []json.RawMessage }
	list := answer.Data
	switch {
	case bare && json.Unmarshal(data, &list) == nil:
	case json.Unmarshal(data, &answer) == nil:
		list = append(answer.Data, answer.Models...)
	default:
		return nil, errors.New("the answer is no list of models")
	}
	for _, one := range list {
		var m struct{ ID, Name, Model string }
		if json.Unmarshal(one, &m.Name) != nil {
			json.Unmarshal(one, &m)
		}
		names = append(names, cmp.Or(m.ID, m.Name, m.Model))
	}
	return names, nil
}
