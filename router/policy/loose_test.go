package policy

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// TestAClaimToReadIsNotAll: a tool that says that it only reads is still judged by
// what its parameters contact, run or write, also where its words are not known.
func TestAClaimToReadIsNotAll(t *testing.T) {
	schema := func(text string) *registry.Params {
		p, err := registry.ParseSchema("t", json.RawMessage(text))
		require.NoError(t, err)
		return p
	}
	tools := map[string]*registry.Params{
		"address": schema(`{"properties":{"v":{"type":"string","x-role":"address"},"file":{"type":"string","x-role":"read"}}}`),
		"uri":     schema(`{"properties":{"v":{"type":"string","format":"uri"}}}`),
		"runs":    schema(`{"properties":{"v":{"type":"string","x-role":"command"}}}`),
		"nested":  schema(`{"properties":{"v":{"type":"array","items":{"allOf":[{"$ref":"#/$defs/a"}]}}},"$defs":{"a":{"type":"string","x-role":"address"}}}`),
		"map":     schema(`{"properties":{"v":{"type":"object","additionalProperties":{"x-role":"command"}}}}`),
		"lost":    schema(`{"properties":{"v":{"type":"object","patternProperties":{".":{"x-role":"address"}}}}}`),
		"reads":   schema(`{"properties":{"v":{"type":"string"},"file":{"type":"string","x-role":"read"}}}`),
	}
	reg := registry.New()
	for name, params := range tools {
		tool := testTool(name, registry.ReadOnly)
		tool.Params = params
		require.NoError(t, reg.Register(tool))
	}
	r, err := router.New(reg, &router.Options{Dir: "/", StateDir: os.TempDir(), NoCalls: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	for line, effects := range map[string][]Effect{
		"address --v a.example":      {Read, Network},
		"uri --v https://a.example/": {Read, Network},
		"runs --v 'touch x'":         {Read, Write},
		"nested --v a.example":       {Read, Network},
		`map --v '{"k":"touch x"}'`:  {Read, Write},
		`lost --v '{"k":"a"}'`:       {Unknown},
		"reads --file a":             {Read},
		"reads $X":                   {Read},
		"reads *":                    {Read},
	} {
		plan := r.Plan(line)
		v := Judge(plan, &World{Dir: "/w", Tool: plan.Lookup, Carried: plan.Carried})
		require.Subset(t, v.Effects, effects, line)
		if effects[0] == Read && len(effects) == 1 {
			require.Equal(t, effects, v.Effects, line)
		}
	}
	for name := range tools {
		for _, words := range []string{"$X", "*", `--v "$X" $Y`, "$(cat f)"} {
			line := name + " " + words
			plan := r.Plan(line)
			v := Judge(plan, &World{Dir: "/w", Tool: plan.Lookup, Carried: plan.Carried})
			require.Equal(t, name != "reads", slices.Contains(v.Effects, Unknown) || slices.Contains(v.Effects, Network), "%s: %v", line, v.Effects)
		}
	}
}
