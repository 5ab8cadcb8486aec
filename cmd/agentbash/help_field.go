package main

const helpField = `usage: agentbash field [list]
       agentbash field test [NAME ...]
       agentbash field add NAME -- COMMAND ARGS...
       agentbash field add NAME --url URL
       agentbash field import [--from CLIENT|FILE] [--all | NAME ...]
       agentbash field remove NAME
       agentbash field keep NAME ...
       agentbash field status
       agentbash field stop [NAME ...]
       agentbash field generate --lang go|python|ts NAME
       agentbash field --stdio 'COMMAND' | --url URL [list | call TOOL --key value ... |
           resources | read URI | prompts | prompt NAME]

Lists, tries, adds and removes MCP servers in the user's configuration. test starts a
server, lists its tools and reports the times. import shows the servers of other clients
(Claude Desktop and Code, Cursor, VS Code, Codex, Windsurf, Gemini CLI, OpenCode, Zed,
mcporter, Continue), and takes those that are named. With --stdio or --url a server that
is not configured lists its tools, or has one called.

keep starts servers that then stay: one start for the calls of many programs, until nobody
has used the server for ten minutes, or what its "keepAlive" says, which also keeps it without
this command. status shows the kept servers, stop ends them. generate prints a client: a
typed function for each tool, which runs it as agentbash field:NAME:TOOL does.

      --stdio COMMAND   start this server; bash reads the command
      --url URL         connect to a server instead of starting one
      --env K=V         a variable for the server (repeatable; '${VAR}' is expanded when it starts)
      --header K=V      a header for --url (repeatable; '${VAR}' is expanded)
      --from FILE       import from this file, or client, alone; add --from takes it all
      --lang LANGUAGE   of the client that generate prints
      --all             import all that was found
      --json            print JSON
      --config FILE     one more config file, trusted (list, test, keep, generate)

examples:
  agentbash field add memory -- npx -y @modelcontextprotocol/server-memory
  agentbash field test memory
  agentbash field --stdio 'npx -y @modelcontextprotocol/server-memory' call read_graph

exit status: 0; 1 not there; 2 usage; 3 the server does not work.
`
