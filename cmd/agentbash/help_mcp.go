package main

const helpMCP = `usage: agentbash mcp [flags]

Serves the one bash tool to other MCP clients, over stdin and stdout or over HTTP. All
that they run is subject to hooks, mode and rules, and is recorded, as in a chat; nobody can be
asked, so what would be asked about is denied. All clients share one bash.

      --all-tools       offer each agent and field command as a tool of its own, too;
                        field:db:query is then field__db__query
      --http ADDR       serve streamable HTTP at http://ADDR/mcp; a port alone is one of
                        127.0.0.1. Requests from web pages are refused
      --mode MODE       plan, ask, auto or full (default: the configured one, or ask)
      --kill-at-limit   end a command at its time limit; without it, it goes on as a
                        background shell
      --dir DIR         start in DIR
      --config FILE     one more config file, trusted

With AGENTBASH_MCP_TOKEN set, clients over HTTP have to send it: Authorization: Bearer TOKEN.
Without it only addresses of this machine are served.

examples:
  agentbash mcp --mode auto
  agentbash mcp --http 8765 --all-tools

exit status: 0 when the client has gone, 130 interrupted, 1 failed, 2 usage.
`
