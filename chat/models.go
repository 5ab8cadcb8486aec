package chat

import "strings"

// Prices are dollars for a million tokens. The zero value is not known.
type Prices struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"` // input from the server's cache; 0: as Input
	Output float64 `json:"output"`
}

// of is what a request cost, or 0.
func (p Prices) of(u Usage) float64 {
	cached := p.Cached
	if cached == 0 {
		cached = p.Input
	}
	return (float64(u.Prompt-u.Cached)*p.Input + float64(u.Cached)*cached + float64(u.Completion)*p.Output) / 1e6
}

// modelFacts are what is known of a model by its name.
type modelFacts struct {
	prefix string
	window int // tokens
	prices Prices
}

// factsOf finds a model by the longest prefix of its name; a name with its maker
// before it, as OpenRouter has them, counts too. What is here was published by
// the makers in 2025; a config file overrides it.
func factsOf(model string) modelFacts {
	name := strings.ToLower(model)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	var best modelFacts
	for _, m := range []modelFacts{
		{"gpt-5", 400_000, Prices{1.25, 0.125, 10}},
		{"gpt-5-mini", 400_000, Prices{0.25, 0.025, 2}},
		{"gpt-5-nano", 400_000, Prices{0.05, 0.005, 0.4}},
		{"gpt-5-pro", 400_000, Prices{15, 0, 120}},
		{"gpt-4.1", 1_047_576, Prices{2, 0.5, 8}},
		{"gpt-4.1-mini", 1_047_576, Prices{0.4, 0.1, 1.6}},
		{"gpt-4.1-nano", 1_047_576, Prices{0.1, 0.025, 0.4}},
		{"gpt-4o", 128_000, Prices{2.5, 1.25, 10}},
		{"gpt-4o-mini", 128_000, Prices{0.15, 0.075, 0.6}},
		{"o3", 200_000, Prices{2, 0.5, 8}},
		{"o4-mini", 200_000, Prices{1.1, 0.275, 4.4}},
		{"claude-", 200_000, Prices{}},
		{"claude-sonnet-4", 200_000, Prices{3, 0.3, 15}},
		{"claude-opus-4", 200_000, Prices{15, 1.5, 75}},
		{"claude-opus-4-5", 200_000, Prices{5, 0.5, 25}},
		{"claude-opus-4.5", 200_000, Prices{5, 0.5, 25}},
		{"claude-haiku-4", 200_000, Prices{1, 0.1, 5}},
		{"gemini-", 1_048_576, Prices{}},
		{"gemini-2.5-pro", 1_048_576, Prices{1.25, 0.125, 10}},
		{"gemini-2.5-flash", 1_048_576, Prices{0.3, 0.03, 2.5}},
		{"gemini-2.5-flash-lite", 1_048_576, Prices{0.1, 0.01, 0.4}},
		{"deepseek-", 128_000, Prices{0.28, 0.028, 0.42}},
		{"minimax-m2", 204_800, Prices{0.3, 0, 1.2}},
	} {
		if strings.HasPrefix(name, m.prefix) && len(m.prefix) > len(best.prefix) {
			best = m
		}
	}
	return best
}
