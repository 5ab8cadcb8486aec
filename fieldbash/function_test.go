package fieldbash_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

// execFunction is a function that is this test binary in a role, or for "echo" cat.
func execFunction(t testing.TB, name, role, schema string) fieldbash.Function {
	self, err := os.Executable()
	require.NoError(t, err)
	argv := []string{self, role}
	if role == "echo" {
		argv = []string{"cat"}
	}
	f := fieldbash.Function{Name: name, Exec: &fieldbash.Exec{
		Argv: argv, Env: map[string]string{"FIELD_TEST_ROLE": "function", "GORACE": os.Getenv("GORACE"), "X": "y z"},
	}}
	if schema != "" {
		f.Parameters = json.RawMessage(schema)
	}
	return f
}

func functions(t testing.TB, defs ...fieldbash.Function) bench {
	return layer(t, fieldbash.Config{Functions: map[string][]fieldbash.Function{"fn": defs}}, nil)
}

func TestDefinitionForms(t *testing.T) {
	schema := `{"type":"object","properties":{"sql":{"type":"string"}},"$defs":{"x":{"const":9007199254740993}}}`
	for name, text := range map[string]string{
		"openai":              `{"type":"function","function":{"name":"q","description":"d","parameters":` + schema + `},"exec":{"argv":["x"]}}`,
		"openai, exec inside": `{"type":"function","function":{"name":"q","description":"d","parameters":` + schema + `,"exec":{"argv":["x"]}}}`,
		"bare":                `{"name":"q","description":"d","parameters":` + schema + `,"exec":{"argv":["x"]}}`,
		"anthropic":           `{"name":"q","description":"d","input_schema":` + schema + `,"exec":{"argv":["x"]}}`,
		"mcp":                 `{"name":"q","description":"d","inputSchema":` + schema + `,"exec":{"argv":["x"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var f fieldbash.Function
			require.NoError(t, json.Unmarshal([]byte(text), &f))
			require.Equal(t, fieldbash.Function{Name: "q", Description: "d", Parameters: json.RawMessage(schema), Exec: &fieldbash.Exec{Argv: []string{"x"}}}, f)
			again, err := json.Marshal(f)
			require.NoError(t, err)
			var g fieldbash.Function
			require.NoError(t, json.Unmarshal(again, &g))
			require.Equal(t, f, g)
		})
	}
}

func TestParseFunctions(t *testing.T) {
	const one = `{"name":"q","input_schema":{"type":"object"}}`
	for name, row := range map[string]struct {
		text string
		want int // -1: an error
	}{
		"a list": {"[" + one + "," + one + "]", 2}, "tools": {`{"model":"x","tools":[` + one + `]}`, 1},
		"functions": {`{"functions":[` + one + `]}`, 1}, "one": {one, 1}, "none": {"[]", 0},
		"text": {`"x"`, -1}, "nothing": {"", -1}, "broken": {"[{", -1}, "tools of another kind": {`{"tools":{}}`, -1},
		"a list of texts": {`["x"]`, -1}, "a name of another kind": {`[{"name":1}]`, -1},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := fieldbash.ParseFunctions([]byte(row.text))
			require.Equal(t, row.want < 0, err != nil, err)
			require.Len(t, list, max(row.want, 0))
		})
	}
}

func TestExecFunction(t *testing.T) {
	b := functions(t,
		execFunction(t, "echo", "echo", `{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n"]}`),
		execFunction(t, "any", "echo", ""),
		execFunction(t, "fail", "fail", ""),
		execFunction(t, "world", "world", ""),
		fieldbash.Function{Name: "gone", Exec: &fieldbash.Exec{Argv: []string{"no-such-program"}}},
	)
	require.Equal(t, `{"n":9007199254740993,"s":"<&> 'x'"}`+"\n", b.ok(t, "field:fn:echo", "9007199254740993", "--s", "<&> 'x'"))
	require.JSONEq(t, `{"free":1,"flag":true}`, b.ok(t, "field:fn:any", "--free", "1", "--flag"))

	o := b.run(t, "field:fn:fail")
	require.Equal(t, 1, o.status)
	require.Contains(t, o.stderr, "no such table\n")
	require.Contains(t, o.stderr, "exit status 3")

	o = b.run(t, "field:fn:gone")
	require.Equal(t, 3, o.status)
	require.Contains(t, o.stderr, `no-such-program: not found: install it, or correct "argv"`)

	var world map[string]string
	require.NoError(t, json.Unmarshal([]byte(b.ok(t, "field:fn:world")), &world))
	require.Equal(t, map[string]string{"function": "world", "cwd": b.dir, "wd": b.dir, "secret": "", "x": "y z"}, world)
}

func TestExecFunctionTimeLimit(t *testing.T) {
	slow := execFunction(t, "slow", "sleep", "")
	slow.Timeout = 0.3
	b := functions(t, slow)
	o := b.run(t, "field:fn:slow")
	require.Equal(t, 124, o.status)
	require.Contains(t, o.stderr, "timed out after 300ms")

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	require.Equal(t, 130, b.runCtx(ctx, t, "field:fn:slow").status)
}

func TestHTTPFunction(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /now", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.Header.Get("X-Key")+" "+string(body))
	})
	mux.HandleFunc("GET /city/{name}", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("name")+"?"+r.URL.RawQuery)
	})
	mux.HandleFunc("/denied", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "who are you", http.StatusUnauthorized) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "oh no", http.StatusInternalServerError) })
	var leaked []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { leaked = append(leaked, r.Header.Get("X-Key")) }))
	defer other.Close()
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	def := func(name, method, path string) fieldbash.Function {
		return fieldbash.Function{Name: name, HTTP: &fieldbash.HTTP{Method: method, URL: srv.URL + path, Headers: map[string]string{"X-Key": "k"}}}
	}
	b := functions(t, def("now", "", "/now"), def("city", "GET", "/city/{name}"), def("denied", "", "/denied"),
		def("broken", "", "/broken"), def("away", "", "/away"), def("shared", "GET", "/city/{function}"),
		fieldbash.Function{Name: "dead", HTTP: &fieldbash.HTTP{URL: "http://127.0.0.1:1/"}})

	require.Equal(t, "k {\"city\":\"Oslo\"}\n", b.ok(t, "field:fn:now", "--city", "Oslo"))
	require.Equal(t, "a/b c?days=2&tags=x\n", b.ok(t, "field:fn:city", "--name", "a/b c", "--days", "2", "--tags", "x"))
	require.Equal(t, "shared?\n", b.ok(t, "field:fn:shared"))
	for _, name := range []string{"..", ".", ""} {
		o := b.run(t, "field:fn:city", "--name="+name)
		require.Equal(t, 2, o.status, "no argument climbs out of the configured path: %q %s", name, o.stdout)
	}
	o := b.run(t, "field:fn:city")
	require.Equal(t, 2, o.status)
	require.Contains(t, o.stderr, "--name is required: it is a part of the address")
	for name, want := range map[string]struct {
		status int
		text   string
	}{
		"denied": {4, "401 Unauthorized: who are you"},
		"broken": {1, "500 Internal Server Error: oh no"},
		"away":   {3, "it redirects to " + other.URL},
		"dead":   {3, "connection refused"},
	} {
		o := b.run(t, "field:fn:"+name)
		require.Equal(t, want.status, o.status, o.stderr)
		require.Contains(t, o.stderr, want.text)
		require.Empty(t, o.stdout)
	}
	require.Empty(t, leaked, "no header of the configuration leaves its origin")
}

func TestStaticNeedsNoIO(t *testing.T) {
	b := functions(t, fieldbash.Function{Name: "q", Exec: &fieldbash.Exec{Argv: []string{"/no/such/file"}}})
	require.Len(t, b.Static(), 1)
	require.Equal(t, "field:fn:q", b.Static()[0].Name)
}
