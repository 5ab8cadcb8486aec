package fieldbash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// A function definition becomes a command: its words are read by its schema,
// and its program gets them as JSON.
func Example() {
	var cfg fieldbash.Config
	err := json.Unmarshal([]byte(`{"functions": {"db": [{
		"name": "query", "description": "Runs a read-only query",
		"parameters": {"type": "object", "properties": {"sql": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["sql"]},
		"exec": {"argv": ["cat"]}
	}]}}`), &cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fields, err := fieldbash.New(cfg, &fieldbash.Options{Env: os.Environ()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer fields.Close()
	reg := registry.New()
	if err := fields.Register(reg); err != nil {
		fmt.Println(err)
		return
	}
	tool, err := reg.Resolve(context.Background(), "field:db:query")
	if err != nil {
		fmt.Println(err)
		return
	}
	parsed, err := tool.Parse([]string{"select 1", "--limit", "10"}, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	tool.Invoke(context.Background(), &registry.Call{Kwargs: parsed.Kwargs, Stdout: os.Stdout, Stderr: os.Stderr})
	// Output: {"limit":10,"sql":"select 1"}
}
