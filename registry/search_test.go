package registry

import (
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listedTools are the tools of real servers, by their whole names.
func listedTools(t testing.TB) (tools []*Tool) {
	t.Helper()
	text, err := os.ReadFile("testdata/search/tools.json")
	require.NoError(t, err)
	var servers map[string][]struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	require.NoError(t, json.Unmarshal(text, &servers))
	for server, list := range servers {
		for _, def := range list {
			name := FieldPrefix + server + ":" + def.Name
			params, err := ParseSchema(name, def.InputSchema)
			require.NoError(t, err)
			summary, _, _ := strings.Cut(strings.TrimSpace(def.Description), ". ")
			tools = append(tools, &Tool{Name: name, Summary: summary, Detail: def.Description, Params: params, Tags: []string{"field", server}})
		}
	}
	return tools
}

// TestSearchFindsTheRightTool asks what people and models ask: the right tool is among the
// first five for at least 95 % of the queries, and none is without an answer.
func TestSearchFindsTheRightTool(t *testing.T) {
	tools := listedTools(t)
	reg := New()
	for _, tool := range tools {
		reg.tools[tool.Name] = tool
	}
	text, err := os.ReadFile("testdata/search/queries.txt")
	require.NoError(t, err)
	queries, right, first := 0, 0, 0
	for line := range strings.Lines(string(text)) {
		query, wanted, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok {
			continue
		}
		queries++
		var got []string
		for _, tool := range reg.Search(query) {
			got = append(got, strings.TrimPrefix(tool.Name, FieldPrefix))
		}
		require.NotEmpty(t, got, query)
		at := slices.IndexFunc(got, func(name string) bool {
			return slices.ContainsFunc(strings.Split(wanted, ", "), func(pattern string) bool {
				ok, err := path.Match(pattern, name)
				require.NoError(t, err)
				return ok
			})
		})
		switch {
		case at == 0:
			first++
			fallthrough
		case at > 0 && at < 5:
			right++
		default:
			t.Logf("%q wants %s, got %v", query, wanted, got)
		}
	}
	t.Logf("%d queries: %d in the first five, %d first", queries, right, first)
	require.Greater(t, queries, 100)
	require.GreaterOrEqual(t, float64(right), 0.95*float64(queries))
}
