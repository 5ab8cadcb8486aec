package fieldbash_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

// A server's log messages below a warning are not shown, unless "log" says so; then the server
// is asked for them.
func TestLogLevelsAreConfigured(t *testing.T) {
	const script = `asked=warning; while read -r line; do
  [[ $line =~ \"id\":\ *([0-9]+) ]] || continue
  id=${BASH_REMATCH[1]}
  say() { echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"'$1'","data":"'"$2"'"}}'; }
  case $line in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}';;
  *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"talk","inputSchema":{"type":"object"}}]}}';;
  *'"logging/setLevel"'*) [[ $line =~ \"level\":\"([a-z]+) ]]; asked=${BASH_REMATCH[1]}; echo '{"jsonrpc":"2.0","id":'$id',"result":{}}';;
  *'"tools/call"'*)
    say debug one; say info two; say warning three; say error "asked for $asked"
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[]}}';;
  *) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done`
	for level, want := range map[string]string{
		"":      "[warning] three\n[error] asked for warning\n",
		"info":  "[info] two\n[warning] three\n[error] asked for info\n",
		"error": "[error] asked for error\n",
	} {
		b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": {Command: "bash", Args: []string{"-c", script}, Log: level}}}, nil)
		require.Equal(t, want, b.run(t, "field:s:talk").stderr, "level %q", level)
	}
	_, err := fieldbash.New(fieldbash.Config{MCPServers: map[string]fieldbash.Server{"x": {Command: "true", Log: "loud"}}}, nil)
	require.ErrorContains(t, err, `"log" is "loud": write one of debug`)
}
