package main

const helpMCP = `usage: agentbash mcp [flags]
       agentbash mcp install CLIENT [--take-over] [--mode MODE] [--yes]
       agentbash mcp uninstall CLIENT [--yes]

Serves the one bash tool to other MCP clients, over stdin and stdout or over HTTP. All
that they run is subject to hooks, mode and rules, and is recorded, as in a chat; nobody can be
asked, so what would be asked about is denied. Each client over HTTP has a bash of its own.

install registers it with claude-code, cursor, vscode, codex, windsurf, gemini, opencode or
zed: it shows what changes in that client's file, asks, and keeps what the file held.
uninstall takes all back.

      --take-over       move the client's own servers behind the one tool: each is started
                        to count its tools, and one that does not work here stays
      --yes             write it without being asked
      --all-tools       offer each agent and field command as a tool of its own, too;
                        field:db:query is then field__db__query
      --http ADDR       serve streamable HTTP at http://ADDR/mcp; a port alone is one of
                        127.0.0.1. Requests from web pages are refused
      --shared          over HTTP: all clients have one bash
      --sessions N      over HTTP: this many clients at a time (default: 200)
      --idle SECONDS    over HTTP: a client that sent nothing for so long has gone, and its
                        bash ends (default: 14400)
      --mode MODE       plan, ask, auto or full (default: the configured one, or ask)
      --kill-at-limit   end a command at its time limit; without it, it goes on as a
                        background shell
      --dir DIR         start in DIR
      --on TARGET       on another machine: ssh:HOST[/DIR], docker:NAME, ... (agentbash --help);
                        --dir is then there
      --config FILE     one more config file, trusted

With AGENTBASH_MCP_TOKEN set, clients over HTTP have to send it: Authorization: Bearer TOKEN.
Without it only addresses of this machine are served.

examples:
  agentbash mcp install claude-code --take-over
  agentbash mcp --mode auto
  agentbash mcp --http 8765 --all-tools

exit status: 0 when the client has gone, 130 interrupted, 1 failed, 2 usage.
`
