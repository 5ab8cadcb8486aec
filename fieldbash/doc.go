// Package fieldbash turns tools that come from elsewhere into commands: every
// tool of an MCP server and every function definition is a [registry.Tool]
// named field:GROUP:tool.
//
// A [Config] names the groups: MCP servers, started when one of their tools is
// first needed (package fieldbash/mcp speaks to them), and groups of function
// definitions in the form of OpenAI or Anthropic, each run by an argv or an
// HTTP endpoint. Schemas are kept whole. Arguments are checked against them
// here, all mistakes at once with their paths, before anything is sent.
//
// What a server says of itself is not trusted: names are made safe for a
// command line, descriptions are capped and stripped of control and
// bidirectional characters, and hints about harmlessness count only for
// servers that the configuration trusts.
//
// The package reads no configuration file and prints nothing. It knows nothing
// of bash.
package fieldbash
