package mcp_test

//lint:file-ignore SA1019 the suite asks for sampling, roots and log messages, which are deprecated from MCP 2026-07-28 on

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/internal/testneeds"
)

// suite runs the MCP conformance suite.
func suite(t *testing.T, failures string, words ...string) (passed, failed int) {
	bin := filepath.Dir(testneeds.NPM(t, "mcp/conformance", ".bin/conformance"))
	words = append([]string{filepath.Join(bin, "conformance")}, append(words, "--suite", "all", "--expected-failures", filepath.Join(bin, "../..", failures), "--timeout", "600000")...)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "node"), words...)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	_, err = fmt.Sscanf(string(regexp.MustCompile(`Total: .*`).Find(out)), "Total: %d passed, %d failed", &passed, &failed)
	require.NoError(t, err, "%s", out)
	t.Logf("%d passed, %d failed", passed, failed)
	return passed, failed
}

// TestServerConformance has the suite drive our HTTP server with what its scenarios want to
// see there: tools, prompts and resources of which the program has none.
func TestServerConformance(t *testing.T) {
	s := mcp.NewServer(nil, func() (mcp.Backend, error) { return &backend{}, nil }, &mcp.ServerOptions{Name: "fixtures", Version: "1"})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for _, server := range s.Underlying() {
		addFixtures(server)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	suite(t, "fixture-failures.yml", "server", "--url", web.URL+"/mcp")
}

// TestClientConformance has the suite drive our client. The figures are what the SDK's own
// example client reaches in version 0.2.0-alpha.12 of the suite.
func TestClientConformance(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	passed, failed := suite(t, "expected-failures.yml", "client", "--command", "env MCP_TEST_ROLE=conformance "+self)
	require.GreaterOrEqual(t, passed, 494)
	require.LessOrEqual(t, failed, 13)
}

const (
	dot   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
	sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
)

// The results of tools and prompts that always say the same.
var (
	plainTools = map[string]string{
		"test_simple_text":            `{"content":[{"type":"text","text":"This is a simple text response for testing."}]}`,
		"test_image_content":          `{"content":[{"type":"image","data":"` + dot + `","mimeType":"image/png"}]}`,
		"test_audio_content":          `{"content":[{"type":"audio","data":"` + sound + `","mimeType":"audio/wav"}]}`,
		"test_embedded_resource":      `{"content":[{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}]}`,
		"test_multiple_content_types": `{"content":[{"type":"text","text":"Multiple content types test:"},{"type":"image","data":"` + dot + `","mimeType":"image/png"},{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}]}`,
		"test_error_handling":         `{"isError":true,"content":[{"type":"text","text":"This tool intentionally returns an error for testing"}]}`,
		"json_schema_2020_12_tool":    `{"content":[]}`,
		"test_x_mcp_header":           `{"content":[]}`,
	}
	schemas = map[string]string{
		"json_schema_2020_12_tool": `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
			`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
			`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`,
		"test_x_mcp_header": `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`,
	}
	prompts = map[string]string{
		"test_simple_prompt":                 `{"messages":[{"role":"user","content":{"type":"text","text":"This is a simple prompt for testing."}}]}`,
		"test_prompt_with_arguments":         `{"messages":[{"role":"user","content":{"type":"text","text":"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"}}]}`,
		"test_prompt_with_embedded_resource": `{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"{resourceUri}","mimeType":"text/plain","text":"Embedded resource content for testing."}}},{"role":"user","content":{"type":"text","text":"Please process the embedded resource above."}}]}`,
		"test_prompt_with_image":             `{"messages":[{"role":"user","content":{"type":"image","data":"` + dot + `","mimeType":"image/png"}},{"role":"user","content":{"type":"text","text":"Please analyze the image above."}}]}`,
	}
	questions = map[string]string{ // the schemas of what tools ask
		"test_elicitation":                  `{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}}`,
		"test_elicitation_sep1034_defaults": `{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`,
		"test_elicitation_sep1330_enums": `{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]},` +
			`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"}]}}}`,
	}
)

func said(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

func ask(message, property string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(`{"type":"object","properties":{"` + property + `":{"type":"string"}},"required":["` + property + `"]}`)}
}

func sample(text string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
}

// rounds are the tools that ask for input, and what: a round is over when all of it is there.
var rounds = map[string][]sdk.InputRequestMap{
	"test_input_required_result_elicitation":     {{"user_name": ask("What is your name?", "name")}},
	"test_input_required_result_sampling":        {{"capital_question": sample("What is the capital of France?")}},
	"test_input_required_result_list_roots":      {{"client_roots": &sdk.ListRootsParams{}}},
	"test_input_required_result_request_state":   {{"confirm": ask("Please confirm", "ok")}},
	"test_input_required_result_tampered_state":  {{"confirm": ask("Please confirm", "ok")}},
	"test_input_required_result_multiple_inputs": {{"user_name": ask("What is your name?", "name"), "greeting": sample("Generate a greeting"), "client_roots": &sdk.ListRootsParams{}}},
	"test_input_required_result_multi_round":     {{"step1": ask("Step 1: What is your name?", "name")}, {"step2": ask("Step 2: What is your favorite color?", "color")}},
	"test_streaming_elicitation":                 {{"user_name": ask("What is your name?", "name")}},
}

// askInRounds answers a call by the state that it carries.
func askInRounds(req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	todo, state := rounds[req.Params.Name], req.Params.RequestState
	at := 0
	if state != "" {
		if _, err := fmt.Sscanf(state, "signed-%d", &at); err != nil || state != fmt.Sprintf("signed-%d", at) || at >= len(todo) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the state is not ours"}
		}
	}
	for key := range todo[at] {
		if req.Params.InputResponses[key] == nil {
			return &sdk.CallToolResult{InputRequests: todo[at], RequestState: fmt.Sprintf("signed-%d", at)}, nil
		}
	}
	if at++; at < len(todo) {
		return &sdk.CallToolResult{InputRequests: todo[at], RequestState: fmt.Sprintf("signed-%d", at)}, nil
	}
	text, err := json.Marshal(req.Params.InputResponses)
	return said("state-ok Hello, " + string(text)), err
}

// offered leaves out what a client cannot be asked for.
func offered(c *sdk.ClientCapabilities) sdk.InputRequestMap {
	all := sdk.InputRequestMap{}
	if c != nil && c.Elicitation != nil {
		all["user_name"] = ask("What is your name?", "name")
	}
	if c != nil && c.Sampling != nil {
		all["greeting"] = sample("Generate a greeting")
	}
	return all
}

func callFixture(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name, session := req.Params.Name, req.Session
	var args map[string]string
	json.Unmarshal(req.Params.Arguments, &args)
	switch {
	case plainTools[name] != "":
		var res sdk.CallToolResult
		return &res, json.Unmarshal([]byte(plainTools[name]), &res)
	case rounds[name] != nil:
		return askInRounds(req)
	case questions[name] != "":
		res, err := session.Elicit(ctx, &sdk.ElicitParams{Mode: "form", Message: name + args["message"], RequestedSchema: json.RawMessage(`{"type":"object","properties":` + questions[name] + `}`)})
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(res.Content)
		return said("Elicitation completed: action=" + res.Action + ", content=" + string(text)), err
	}
	switch name {
	case "test_tool_with_logging", "test_logging_tool":
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text})
		}
	case "test_tool_with_progress":
		for _, n := range []float64{0, 50, 100} {
			if token := req.Params.GetProgressToken(); token != nil {
				session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Total: 100})
			}
		}
	case "test_sampling":
		res, err := session.CreateMessage(ctx, sample(args["prompt"]))
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(res.Content)
		return said("LLM response: " + string(text)), err
	case "test_reconnection":
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
	case "test_missing_capability":
		if c := req.ClientCapabilities(); c == nil || c.Sampling == nil {
			return nil, &jsonrpc.Error{Code: -32021, Message: "sampling is wanted", Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`)}
		}
	case "test_input_required_result_capabilities":
		if req.Params.InputResponses == nil {
			return &sdk.CallToolResult{InputRequests: offered(req.ClientCapabilities())}, nil
		}
	}
	return said("done"), nil
}

func addFixtures(server *sdk.Server) {
	names := []string{"test_tool_with_logging", "test_logging_tool", "test_tool_with_progress", "test_sampling", "test_reconnection", "test_missing_capability", "test_input_required_result_capabilities"}
	for _, all := range []map[string]string{plainTools, questions} {
		for name := range all {
			names = append(names, name)
		}
	}
	for name := range rounds {
		names = append(names, name)
	}
	for _, name := range names {
		schema := `{"type":"object"}`
		if schemas[name] != "" {
			schema = schemas[name]
		}
		server.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)}, callFixture)
	}
	for name, text := range prompts {
		server.AddPrompt(&sdk.Prompt{Name: name, Description: name, Arguments: arguments(text)}, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			filled := text
			for key, v := range req.Params.Arguments {
				filled = strings.ReplaceAll(filled, "{"+key+"}", v)
			}
			var res sdk.GetPromptResult
			return &res, json.Unmarshal([]byte(filled), &res)
		})
	}
	server.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "asks first"}, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if req.Params.InputResponses["user_context"] == nil {
			return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": ask("What context should the prompt use?", "context")}}, nil
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "done"}}}}, nil
	})
	read := func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		c := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: "This is the content of the static text resource."}
		switch id, isTemplate := strings.CutPrefix(req.Params.URI, "test://template/"); {
		case strings.HasSuffix(req.Params.URI, "binary"):
			c.MIMEType, c.Text, c.Blob = "image/png", "", []byte("dot")
		case isTemplate:
			id = strings.TrimSuffix(id, "/data")
			c.MIMEType, c.Text = "application/json", `{"id":"`+id+`","templateTest":true,"data":"Data for ID: `+id+`"}`
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
	}
	for _, name := range []string{"static-text", "static-binary", "watched-resource"} {
		server.AddResource(&sdk.Resource{Name: name, URI: "test://" + name}, read)
	}
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data"}, read)
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			switch method {
			case "completion/complete":
				return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{"paris", "park"}, Total: 2}}, nil
			case "resources/subscribe", "resources/unsubscribe":
				return &rawAnswer{raw: `{}`}, nil
			}
			return next(ctx, method, req)
		}
	})
}

// arguments are those that a prompt's text has places for.
func arguments(text string) (out []*sdk.PromptArgument) {
	for _, m := range regexp.MustCompile(`\{(arg1|arg2|resourceUri)\}`).FindAllStringSubmatch(text, -1) {
		out = append(out, &sdk.PromptArgument{Name: m[1], Description: m[1], Required: true})
	}
	return out
}
