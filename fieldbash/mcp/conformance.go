package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Conformance plays one scenario of the MCP client conformance suite (npm
// @modelcontextprotocol/conformance) against the suite's server at url, with
// the client that everything else uses. config is the scenario's
// MCP_CONFORMANCE_CONTEXT, a JSON object or nothing.
func Conformance(ctx context.Context, scenario, url string, config []byte) error {
	var conf conformanceConfig
	if len(config) > 0 {
		if err := json.Unmarshal(config, &conf); err != nil {
			return fmt.Errorf("conformance context: %w", err)
		}
	}
	spec := Spec{URL: url, StartTimeout: time.Minute}
	if strings.HasPrefix(scenario, "auth/") {
		spec.OAuth = &OAuth{
			AsClient: strings.HasPrefix(scenario, "auth/client-credentials-"),
			Open:     visitLogin, ClientID: conf.ClientID, ClientSecret: conf.ClientSecret,
			MetadataURL: "https://conformance-test.local/client-metadata.json", // the suite knows it by this name
		}
	}
	answer := map[string]any{}
	if scenario == "sep-2322-client-request-state" {
		answer["confirmed"] = true
	}
	c := NewClient(spec, &Options{
		Version: "conformance",
		Elicit: func(context.Context, Question) (Answer, error) {
			return Answer{Action: "accept", Content: answer}, nil
		},
	})
	err := conf.play(ctx, c, scenario)
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
func (conf conformanceConfig) play(ctx context.Context, c *Client, scenario string) error {
	if scenario == "request-metadata" {
		_, err := c.connect(ctx)
		return err
	}
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	call := func(name, args string) error {
		_, err := c.Call(ctx, Call{Tool: name, Arguments: json.RawMessage(args)})
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
func touchEverything(ctx context.Context, c *Client, tools []Tool) error {
	if len(tools) > 0 {
		if _, err := c.Call(ctx, Call{Tool: tools[0].Name}); err != nil {
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
