package generate_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/generate"
	"github.com/agentbash/agentbash/registry"
)

// tool makes a tool of a server.
func tool(t *testing.T, name, schema string) *registry.Tool {
	params, err := registry.ParseSchema(name, json.RawMessage(schema))
	require.NoError(t, err)
	return &registry.Tool{Name: "field:odd:" + name, Summary: "a */ comment\nof two lines", Params: params}
}

func write(t *testing.T, lang string) string {
	var b strings.Builder
	require.NoError(t, generate.Write(&b, lang, "odd-group", []*registry.Tool{
		tool(t, "import", `{"type":"object","properties":{"from":{"type":"string"},"n-1":{"type":"number"},"n_1":{"type":"integer"},"$top":{"type":"boolean"}},"required":["from"]}`),
		tool(t, "Import", `{"type":"object","properties":{"loud":{"type":"string","enum":["a\"b","c"]},"ids":{"type":"array","items":{"type":"integer"}}}}`),
		tool(t, "2nd", `{"type":"object"}`),
	}))
	return b.String()
}

// TestWrite expects names that each language takes, each once, and the types of a schema. That
// clients do what they say is in field_generate.txtar.
func TestWrite(t *testing.T) {
	text := write(t, "go")
	_, err := parser.ParseFile(token.NewFileSet(), "client.go", text, parser.AllErrors)
	require.NoError(t, err, text)
	for lang, wants := range map[string][]string{
		"go":     {"package oddgroup\n", "func Import(", "func Import2(", "func X2nd(", "N1 ", "N12 ", `json:"$top,omitzero"`, "*bool"},
		"python": {"def import_(", "def Import(", "def x_2nd(", "n_1", "n_12", `Literal["a\"b", "c"]`, "list[int]"},
		"ts":     {"function import_(", "function import_2(", "function x2nd(", `"a\"b" | "c"`, "Array<number>"},
	} {
		text := write(t, lang)
		for _, want := range wants {
			require.Contains(t, text, want, lang)
		}
	}
	require.EqualError(t, generate.Write(nil, "cobol", "g", nil), `no language "cobol": it is go, python, ts`)
}

func TestPythonCompiles(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: no python3")
	}
	cmd := exec.Command("python3", "-c", "import sys; compile(sys.stdin.read(), 'client.py', 'exec')")
	cmd.Stdin = strings.NewReader(write(t, "python"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}
