package main

const helpField = `usage: agentbash field [list]
       agentbash field test [NAME ...]
       agentbash field add NAME -- COMMAND ARGS...
       agentbash field add NAME --url URL
       agentbash field import [--from CLIENT|FILE] [--all | NAME ...]
       agentbash field remove NAME

Lists, tries, adds and removes MCP servers in the user's configuration. test starts a
server, lists its tools and reports the times. import shows the servers of other clients
(Claude Desktop and Code, Cursor, VS Code, Codex, Windsurf, Gemini CLI, OpenCode, Zed,
mcporter, Continue), and takes those that are named.

      --url URL         connect to a server instead of starting one
      --env K=V         a variable for the server (repeatable; '${VAR}' is expanded when it starts)
      --header K=V      a header for --url (repeatable; '${VAR}' is expanded)
      --from FILE       import from this file, or client, alone; add --from takes it all
      --all             import all that was found
      --json            print JSON
      --config FILE     one more config file, trusted (list, test)

examples:
  agentbash field add memory -- npx -y @modelcontextprotocol/server-memory
  agentbash field test memory

exit status: 0; 1 not there; 2 usage; 3 the server does not work.
`
