package registry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefinitions(t *testing.T) {
	tool := &Tool{Name: "field:db:query", Summary: "run a query", Detail: "It reads <only> & prints.", Kind: ReadOnly,
		Params: NewParams(Param{Name: "sql", Type: String, Required: true, Description: "What to run."})}
	schema := string(tool.Params.Schema())
	for format, want := range map[string]string{
		OpenAI:    `{"function":{"name":"field__db__query","description":"run a query\n\nIt reads <only> & prints.","parameters":` + schema + `},"type":"function"}`,
		Anthropic: `{"name":"field__db__query","description":"run a query\n\nIt reads <only> & prints.","input_schema":` + schema + `}`,
		Gemini:    `{"name":"field__db__query","description":"run a query\n\nIt reads <only> & prints.","parametersJsonSchema":` + schema + `}`,
		MCP: `{"name":"field__db__query","description":"run a query\n\nIt reads <only> & prints.","inputSchema":` + schema +
			`,"annotations":{"readOnlyHint":true}}`,
	} {
		got, err := tool.Definition().In(format)
		require.NoError(t, err)
		require.Equal(t, want, string(got), format)
	}
	_, err := tool.Definition().In("yaml")
	require.EqualError(t, err, `"yaml" is no format of a definition: it is openai, anthropic, mcp, gemini`)
}

func TestDefinitionNames(t *testing.T) {
	long := "field:" + strings.Repeat("x", 70)
	for name, want := range map[string]string{"read": "read", "field:a-b:c.d e": "field__a-b__c_d_e", "grün": "gr_n"} {
		require.Equal(t, want, definitionName(name))
	}
	require.Len(t, definitionName(long), 64)
	require.NotEqual(t, definitionName(long), definitionName(long+"y"))
}

// A schema from elsewhere may not say that it is an object's; providers want it.
func TestDefinitionsAreOfObjects(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{}}}`:           `{"type":"object","properties":{"a":{}}}`,
		`{"type":["object","null"],"x":1}`:  `{"type":"object","x":1}`,
		`{"type":"object","properties":{}}`: `{"type":"object","properties":{}}`,
		``:                                  `{"type":"object"}`,
	} {
		p, err := ParseSchema("x", []byte(schema))
		require.NoError(t, err)
		got := (&Tool{Name: "x", Params: p}).Definition().Parameters
		require.Contains(t, string(got), strings.TrimSuffix(want, "}"), schema)
	}
	require.JSONEq(t, `{"type":"object","properties":{},"additionalProperties":false}`, string((&Tool{Name: "x"}).Definition().Parameters))
}

func TestDefinitionsAreForCallersWithoutStdin(t *testing.T) {
	tool := &Tool{Name: "w", Params: NewParams(Param{Name: "path", Type: String, Required: true}, Param{Name: "content", Type: String, Required: true, Stdin: true})}
	require.JSONEq(t, `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}`,
		string(tool.Definition().Parameters))
}
