package chat

import (
	"cmp"
	_ "embed" // models.json
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// Prices are dollars for a million tokens. The zero value is not known.
type Prices struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"` // input from the server's cache; 0: as Input
	Output float64 `json:"output"`
}

// of is what a request cost, or 0.
func (p Prices) of(u Usage) float64 {
	return (float64(u.Prompt-u.Cached)*p.Input + float64(u.Cached)*cmp.Or(p.Cached, p.Input) + float64(u.Completion)*p.Output) / 1e6
}

// ModelFacts are what is known of a model by its name.
type ModelFacts struct {
	Window int `json:"window"` // tokens; 0: not known
	Prices
}

// KnownModels are the facts of models by the beginning of their names. A beginning with a
// "-" at its end is a family, any other a model with its dated and named variants: gpt-5 is
// gpt-5-2025-08-07 and gpt-5-codex, and not gpt-5.7.
type KnownModels map[string]ModelFacts

//go:embed models.json
var modelsJSON []byte

var builtInModels = sync.OnceValue(func() KnownModels {
	k, err := KnownModels{}.With(modelsJSON)
	if err != nil {
		panic("models.json: " + err.Error())
	}
	return k
})

// With is k with what a file of the form of
// models.json says instead.
func (k KnownModels) With(data []byte) (KnownModels, error) {
	var more KnownModels
	if err := json.Unmarshal(data, &more); err != nil {
		return k, err
	}
	out := KnownModels{}
	maps.Copy(out, k)
	for name, facts := range more {
		out[plainName(name)] = facts
	}
	return out, nil
}

// BuiltInModels are the models that are known without a file.
func BuiltInModels() KnownModels { return builtInModels() }

var otherVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-?\d{1,2}(\D|$)|[^-:@])`) })

// plainName is a name without its maker (OpenRouter's) and with one way to write versions.
func plainName(name string) string {
	return strings.ReplaceAll(strings.ToLower(name[strings.LastIndexByte(name, '/')+1:]), ".", "-")
}

// Find finds window and prices of a model, each by the longest beginning of its name that
// has it.
func (k KnownModels) Find(model string) (facts ModelFacts) {
	name, window, prices := plainName(model), 0, 0
	for begin, f := range k {
		rest, found := strings.CutPrefix(name, begin)
		if !found || !strings.HasSuffix(begin, "-") && otherVersion().MatchString(rest) {
			continue
		}
		if f.Window > 0 && len(begin) > window {
			facts.Window, window = f.Window, len(begin)
		}
		if f.Prices != (Prices{}) && len(begin) > prices {
			facts.Prices, prices = f.Prices, len(begin)
		}
	}
	return facts
}
