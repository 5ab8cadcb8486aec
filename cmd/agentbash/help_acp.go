package main

const helpACP = `usage: agentbash acp [flags]

Serves the Agent Client Protocol on stdin and stdout, so that an editor (Zed,
JetBrains, Neovim, Emacs and others) drives it: docs/acp.md has the lines for
each. Every session has a shell of its own; the editor asks you what a chat would ask.

  --mode M          plan, ask, auto or full; the editor can switch it
  --model NAME      the model; as in agentbash chat
  --provider NAME   a known provider
  --base-url URL    a server that speaks OpenAI's API
  --config FILE     one more config file
  --listen SOCKET   serves any number of clients on a Unix socket instead

examples:
  agentbash acp                      what the editor's settings start
  agentbash acp --mode auto --model gpt-5

exit status: 0 when the editor has gone, 2 wrong flags, 130 interrupted.
`
