package main

const helpRoot = `agentbash: an agent with one tool, bash

usage:
  agentbash                        chat with a model; without one, you type the commands
  agentbash -p "PROMPT"            one prompt, no terminal needed; prints the answer
  agentbash --continue             go on with the last session of this directory
  agentbash TOOL --key value       run an agent command here and now: read, write, edit, grep, glob, undo
  agentbash field:SERVER:TOOL ...  run a field command; agentbash field: lists the servers
  agentbash COMMAND                one of the commands below

commands:
  chat      the chat session
  exec      run command strings through the router, as a model would send them
  route     explain how a command string would be routed; runs nothing
  tools     list what is registered
  field     list, try, add and remove MCP servers
  mcp       serve the bash tool to other MCP clients
  sessions  list, show, delete or export recorded sessions
  audit     show what was run, or check that the record of it is whole
  config    show the configuration, or trust a project's
  doctor    look for what is wrong: bash, kernel, configuration, key, model
  completion  print a shell's completions
  version   print the version

flags of chat and -p (agentbash help chat has all):
  -p, --prompt TEXT     run one prompt and print the final answer
      --continue        go on with the last session of this directory; --resume ID with another
      --provider NAME   openai, anthropic, gemini, openrouter, deepseek, minimax, ollama, ...
      --model NAME      the model (or AGENTBASH_MODEL, or "model" in a config file)
      --base-url URL    an OpenAI-compatible server (or OPENAI_BASE_URL, or "baseURL")
      --api-key KEY     its key (better OPENAI_API_KEY: a command line can be seen by others)
      --config FILE     one more config file, trusted
      --dir DIR         work in DIR
      --mode MODE       plan, ask, auto or full: how much runs without a question; before a
                        TOOL too: agentbash --mode plan write ...
  -h, --help            this text; agentbash help COMMAND shows a command's
      --version         the version

Flags come before the environment, that before the config files: .agentbash/config.json of the
project, ~/.config/agentbash/config.json of the user.

examples:
  agentbash read --file_path go.mod --limit 5
  agentbash exec 'grep --pattern TODO --path . | head -n 3'

exit status: 0 done, 1 failed, 2 usage, 3 transport (with -p: a limit was reached), 4 authentication, 124 timed out,
126 denied, 127 unknown command, 130 interrupted; exec passes on the command's own.
`

const helpChat = `usage: agentbash [chat] [flags]
       agentbash -p PROMPT [flags]

Chat with a model that has one tool, bash. Without a key and a base URL a model
server on this machine is looked for (Ollama, LM Studio, llama.cpp, vLLM); when
there is none, you are in the model's place: each line goes through the router.

  -p, --prompt TEXT     one prompt, no terminal needed; prints the final answer. What
                        stdin brings is added to it; -p - takes the prompt itself from there
the model:
      --provider NAME   openai, anthropic, gemini, openrouter, deepseek, minimax, ollama,
                        lmstudio, vllm: base URL, key variable and default model by name
                        (or AGENTBASH_PROVIDER, or "provider" in a config file)
      --model NAME      the model (or AGENTBASH_MODEL, or "model")
      --base-url URL    an OpenAI-compatible server (or OPENAI_BASE_URL, or "baseURL")
      --api-key KEY     its key (better OPENAI_API_KEY: a command line can be seen by others)
      --config FILE     one more config file, trusted
      --dir DIR         work in DIR
      --mode MODE       how much runs without a question: plan (what reads), ask (the
                        rest is asked about; the default), auto (what writes the
                        workspace runs too), full; or "mode". With -p there is nobody
                        to ask, so what would be asked about is denied
sessions:
      --continue        go on with the last session of this directory
      --resume ID       go on with this session, where its shell was
      --no-session      record nothing
      --replay FILE     play a recorded model (sessions export ID --json) against the real
                        tools, with the recorded prompts or with -p
limits, and of -p the output:
      --max-turns N     stop after N requests to the model (or "limits": {"turns": N})
      --max-cost USD    stop when so much was spent (or "cost")
      --max-time SEC    stop after so many seconds (or "time")
      --kill-at-limit   end a command at its time limit; without it, it goes on as a
                        background shell (an hour at most, or "backgroundLimit": SEC)
      --output-format F text (the answer), json (one object), stream-json (events)
      --json-schema S   a JSON Schema, or a file with one, that the answer must fit
      --debug-file FILE append every request and response, without the key

Ctrl-C stops the turn and keeps the conversation and the shell; at the prompt,
twice ends the program. @shot.png in a prompt sends the picture.

examples:
  agentbash --base-url http://127.0.0.1:11434/v1 --model qwen3
  git diff | agentbash -p 'Review this change.' --max-turns 20

exit status of -p: 0 done, 1 model or provider error, 2 usage, 3 a limit was reached,
4 authentication, 126 a command was not allowed and none like it ran later, 130 interrupted.
`

const helpExec = `usage: agentbash exec [flags] 'COMMAND'
       agentbash exec --jsonl [flags] < COMMANDS

Runs a command string through the router exactly as a model would send it: an
agent or field command in process, everything else in bash.

      --json            print the result as one JSON object
      --jsonl           read one {"command": "...", "timeout": SECONDS, "kill": BOOL} a
                        line, run all in one session, print one result a line
      --timeout N       time limit in seconds (default 120, at most 600); with --jsonl a
                        command goes on as a background shell then, without "kill": true
      --kill-at-limit   end every command at its time limit
      --dir DIR         start in DIR
      --config FILE     one more config file, trusted
      --mode MODE       plan (what reads), ask, auto (what the workspace can hold)
                        or full. What would have to be asked is denied. Without it, the
                        command has your own authority: you typed it

A result: command, layer (native, agent, field), name, success, output (what a model
sees, without secrets), error, stdout, stderr (the command's own bytes), exit_code,
timed_out, truncated, cwd, duration_ms; where they say something also profile (read,
workspace, free: what held it), denied (by, rule, host, profile), running (the background
shell it went on as), restarted (it ran in a new shell) and lost (what that one has not).

examples:
  agentbash exec 'read --file_path README.md | head -n 3'
  printf '{"command":"cd /tmp"}\n{"command":"pwd"}\n' | agentbash exec --jsonl

exit status: the command's own; 124 timed out, 126 denied, 130 interrupted; with --jsonl 0 when
every line was answered.
`

const helpRoute = `usage: agentbash route [flags] 'COMMAND'
       agentbash route --jsonl < COMMANDS

Explains how a command string would be routed. Runs nothing and starts nothing.

      --json            as one JSON object
      --jsonl           read one {"command": "..."} a line, print one object a line
      --config FILE     one more config file, trusted
      --mode MODE       plan, ask, auto or full: what it would decide, and in which profile
                        it would run (default: the configured one, or ask); JSON then
                        has a "decision" too

An explanation: command, layer, name, args, kwargs, help ("", brief, verbose),
in_process, calls (layer, name, offset), script (what bash runs), error, verdict
(effects, danger, reasons).

examples:
  agentbash route 'read --file_path a.go --limit 5'
  agentbash route --json 'read ./a.go | wc -l'

exit status: 0; 2 when the words of route itself are wrong.
`

const helpTools = `usage: agentbash tools [QUERY] [--json]
       agentbash tools --format openai|anthropic|mcp [--single] [QUERY]

Lists the agent commands, the functions and the servers that are configured; with a
QUERY, those in which every word of it occurs. Starts no server: field:SERVER -h does.

      --json            an array of name, summary, kind, category, tags, input_schema
      --kind KIND       only read-only, write, execute or network ones (plan mode has the
                        read-only ones)
      --format FORMAT   an array of definitions, as requests to OpenAI or Anthropic or MCP's
                        tools/list have them; with the tools of all servers, which are started
      --single          with --format: only the one bash tool
      --config FILE     one more config file, trusted

examples:
  agentbash tools
  agentbash tools --format openai --single
  agentbash tools search files --json

exit status: 0; 1 when nothing matches.
`

const helpSessions = `usage: agentbash sessions [list] [--all] [--json]
       agentbash sessions show ID [--json]
       agentbash sessions export ID [--markdown | --json | --bash] [-o FILE]
       agentbash sessions delete ID...

Lists the recorded sessions of this directory, the last one first; shows one, deletes
some, or exports one for people, for programs, or as a script that runs its commands
again through agentbash exec. The beginning of an ID is enough.

      --all             the sessions of every directory
      --json            list: an array; show and export: one object
      --markdown        export as markdown (the default)
      --bash            export as a bash script
  -o, --output FILE     write to FILE, which must not exist yet

examples:
  agentbash sessions
  agentbash sessions export 20261121 --bash -o again.sh

exit status: 0; 1 failed; 2 usage, an ID that is unknown or not unique.
`

const helpAudit = `usage: agentbash audit [show] [-n N] [--session ID] [--json]
       agentbash audit verify [--contains HASH] [--json]

Shows what was run here: by whom, when, where, what was decided about it and what came
of it. Every command has its record before it runs; without one nothing runs, unless the
disk is full: then the log says how many ran without. verify checks the chain of
hashes that the records make, and names the first broken one.

  -n, --last N          the last N commands (default 20; 0 is all)
      --session ID      those of one session; the beginning of its ID is enough
      --contains HASH   the log must have the record with this hash, which verify told earlier
      --json            show: the records as they stand in the log; verify: one object

examples:
  agentbash audit -n 5
  agentbash audit verify --json

exit status: 0; 1 the log is broken, or cannot be read; 2 usage.
`

const helpDoctor = `usage: agentbash doctor [--config FILE] [--timeout SECONDS]

Looks for what may be wrong, changes nothing and starts no server: bash, the kernel,
the configuration, the state directory, the servers' programs, the key, the model.

      --config FILE     one more config file, trusted
      --timeout N       seconds to wait for the model's server (default 5)

examples:
  agentbash doctor
  agentbash doctor --timeout 30

exit status: 0 nothing is wrong, 1 something is.
`

const helpCompletion = `usage: agentbash completion bash|zsh|fish

Prints a script by which the shell completes agentbash's words.

examples:
  agentbash completion bash > ~/.local/share/bash-completion/completions/agentbash
  agentbash completion fish > ~/.config/fish/completions/agentbash.fish

exit status: 0; 2 usage.
`

const helpConfig = `usage: agentbash config [--json] [--config FILE]
       agentbash config trust [--yes HASH] [FILE]
       agentbash config untrust FILE

Shows what is configured and where it was said, keys left out. A project's file may
add servers and functions only after you trusted that very content, and no file runs a
program in the workspace that changed since it was trusted. config trust shows what is
new and asks at the terminal; without one it trusts nothing, unless --yes gives the
hash that it printed before for the same.

      --yes HASH        the first 12 digits or more
      --json            as one JSON object
      --config FILE     one more config file, trusted

examples:
  agentbash config
  agentbash config trust .agentbash/config.json

exit status: 0; 1 when there is nothing to trust, or nothing was; 2 a file with an error.
`

const helpVersion = `usage: agentbash version

Prints the version, the Go it was built with and the platform.

examples:
  agentbash version
  agentbash --version

exit status: 0.
`
