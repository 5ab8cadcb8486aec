package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// conformanceClient is the client that the MCP conformance suite drives, a scenario a run:
// args are the URL of the suite's server, the environment says which scenario it plays.
func conformanceClient(args []string) error {
	var conf conformanceConfig
	if about := os.Getenv("MCP_CONFORMANCE_CONTEXT"); about != "" {
		if err := json.Unmarshal([]byte(about), &conf); err != nil {
			return fmt.Errorf("conformance context: %w", err)
		}
	}
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	spec := mcp.Spec{URL: args[len(args)-1], StartTimeout: time.Minute}
	if strings.HasPrefix(scenario, "auth/") {
		spec.OAuth = &mcp.OAuth{
			AsClient: strings.HasPrefix(scenario, "auth/client-credentials-"),
			Open:     visitLogin, ClientID: conf.ClientID, ClientSecret: conf.ClientSecret,
			MetadataURL: "https://conformance-test.local/client-metadata.json", // the suite knows it by this name
		}
	}
	answer := map[string]any{}
	if scenario == "sep-2322-client-request-state" {
		answer["confirmed"] = true
	}
	c := mcp.NewClient(spec, &mcp.Options{
		Version: "conformance",
		Elicit: func(context.Context, mcp.Question) (mcp.Answer, error) {
			return mcp.Answer{Action: "accept", Content: answer}, nil
		},
	})
	err := conf.play(context.Background(), c, scenario)
	return errors.Join(err, c.Close())
}

// conformanceConfig is what the suite tells a scenario's client.
type conformanceConfig struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

// play does what the scenario wants to see. Where it wants a refusal, the
// calls' errors are not ours.
func (conf conformanceConfig) play(ctx context.Context, c *mcp.Client, scenario string) error {
	if scenario == "request-metadata" {
		_, err := c.Start(ctx)
		return err
	}
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	call := func(name, args string) error {
		_, err := c.Call(ctx, mcp.Call{Tool: name, Arguments: json.RawMessage(args)})
		return err
	}
	switch scenario {
	case "tools_call":
		return call("add_numbers", `{"a":5,"b":3}`)
	case "elicitation-sep1034-client-defaults":
		return call("test_client_elicitation_defaults", `{}`)
	case "sse-retry":
		return call("test_reconnection", `{}`)
	case "json-schema-2020-12-preservation":
		for _, t := range tools {
			if t.Name == "json_schema_2020_12_tool" {
				return call("json_schema_echo", `{"schema":`+string(t.InputSchema)+`}`)
			}
		}
		return errors.New("no tool json_schema_2020_12_tool")
	case "sep-2322-client-request-state":
		for _, name := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
			call(name, `{}`)
		}
	case "http-standard-headers":
		return touchEverything(ctx, c, tools)
	case "http-custom-headers":
		for _, t := range conf.ToolCalls {
			call(t.Name, string(t.Arguments))
		}
	case "http-invalid-tool-headers":
		for _, t := range tools {
			call(t.Name, `{"region":"us-west1"}`)
		}
	}
	if strings.HasPrefix(scenario, "auth/") {
		return call("test-tool", `{}`)
	}
	return nil
}

// touchEverything sends one request of each kind.
func touchEverything(ctx context.Context, c *mcp.Client, tools []mcp.Tool) error {
	if len(tools) > 0 {
		if _, err := c.Call(ctx, mcp.Call{Tool: tools[0].Name}); err != nil {
			return err
		}
	}
	resources, err := c.Resources(ctx)
	if err != nil {
		return err
	}
	if len(resources) > 0 {
		if _, _, err := c.ReadResource(ctx, resources[0].URI); err != nil {
			return err
		}
	}
	prompts, err := c.Prompts(ctx)
	if err != nil || len(prompts) == 0 {
		return err
	}
	_, _, err = c.GetPrompt(ctx, prompts[0].Name, map[string]string{})
	return err
}

// visitLogin stands for the person: the suite's login says yes to whoever comes,
// and sends the visitor back to us.
func visitLogin(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
