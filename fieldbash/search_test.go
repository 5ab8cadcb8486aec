package fieldbash_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// BenchmarkSearchKept searches 1,000 tools on 20 servers, of which none runs: from
// their kept listings to the answer, and again once they are loaded.
func BenchmarkSearchKept(b *testing.B) {
	text, err := os.ReadFile("../registry/testdata/search/tools.json")
	require.NoError(b, err)
	var real map[string][]map[string]any
	require.NoError(b, json.Unmarshal(text, &real))
	var all []map[string]any
	for _, list := range real {
		all = append(all, list...)
	}
	cfg, opts := fieldbash.Config{MCPServers: map[string]fieldbash.Server{}}, fieldbash.Options{State: b.TempDir(), Dir: b.TempDir(), Env: os.Environ()}
	for i := range 20 {
		var some []map[string]any
		for j := range 50 {
			def := all[(i*50+j)%len(all)]
			def["name"] = fmt.Sprintf("%s_%d", def["name"], j)
			some = append(some, def)
		}
		definitions, err := json.Marshal(some)
		require.NoError(b, err)
		cfg.MCPServers[fmt.Sprintf("server%d", i)], _ = listed(b, string(definitions))
	}
	open := func() (*fieldbash.Fields, *registry.ToolRegistry) {
		f, err := fieldbash.New(cfg, &opts)
		require.NoError(b, err)
		reg := registry.New()
		require.NoError(b, f.Register(reg))
		require.Empty(b, reg.LoadGroups(b.Context()))
		return f, reg
	}
	f, reg := open() // this starts them, to be listed
	require.NoError(b, f.Close())
	b.Run("fresh", func(b *testing.B) {
		for b.Loop() {
			f, reg := open()
			require.NotEmpty(b, reg.Search("take a screenshot"))
			require.NoError(b, f.Close())
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			require.NotEmpty(b, reg.Search("take a screenshot"))
		}
	})
}
