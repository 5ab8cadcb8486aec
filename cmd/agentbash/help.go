package main

const helpRoot = `agentbash: an agent with one tool, bash

usage:
  agentbash ["PROMPT"]             chat with a model; without one, you type the commands
  agentbash -p "PROMPT"            one prompt, no terminal needed; prints the answer
  agentbash -c, -r [ID]            go on with the last session of this directory, or with another
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
  acp       serve the Agent Client Protocol: an editor drives it
  sessions  list, show, delete or export recorded sessions
  audit     show what was run, or check that the record of it is whole
  batch     run a file of tasks with Kubernetes, Slurm, Nomad or GNU parallel
  eval      give tasks to a model, and compare two configurations
  config    show the configuration, or trust a project's
  doctor    look for what is wrong: bash, kernel, configuration, key, model
  completion  print a shell's completions
  version   print the version

flags of chat and -p (agentbash help chat has all):
  -p, --prompt TEXT     run one prompt and print the final answer
  -c, --continue        go on with the last session of this directory
  -r, --resume [ID]     with another; without an ID you choose from a list
      --provider NAME   openai, anthropic, gemini, openrouter, deepseek, minimax, ollama, ...
  -m, --model NAME      the model (or AGENTBASH_MODEL, or "model" in a config file)
      --base-url URL    an OpenAI-compatible server (or OPENAI_BASE_URL, or "baseURL")
      --api-key KEY     its key (better OPENAI_API_KEY: a command line can be seen by others)
      --config FILE     one more config file, trusted
      --dir DIR         work in DIR
      --on TARGET       work on another machine: ssh:HOST[/DIR], docker:NAME, podman:NAME,
                        kubectl:POD[/CONTAINER], exec:'ARGV...', or a name of "targets"; before
                        a COMMAND or TOOL too: agentbash --on web1 read ...
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

const helpChat = `usage: agentbash [chat] [flags] ["PROMPT"]
       agentbash -p PROMPT [flags]

Chat with a model that has one tool, bash. Without a key and a base URL a model
server on this machine is looked for (Ollama, LM Studio, llama.cpp, vLLM); when
there is none, you are asked at the first start, or are in the model's place: each
line goes through the router. PROMPT, in quotes, is what the chat begins with.

  -p, --prompt TEXT     one prompt, no terminal needed; prints the final answer. What
                        stdin brings is added to it; -p - or -p alone takes the prompt
                        itself from there; -p -r ID alone has that session go on
the model:
      --provider NAME   openai, anthropic, gemini, openrouter, deepseek, minimax, ollama,
                        lmstudio, vllm: base URL, key variable and default model by name
                        (or AGENTBASH_PROVIDER, or "provider" in a config file)
  -m, --model NAME      the model (or AGENTBASH_MODEL, or "model")
      --effort LEVEL    how much it thinks before it answers: none, minimal, low, medium, high,
                        xhigh, max (or "effort" of it under "models")
      --base-url URL    an OpenAI-compatible server (or OPENAI_BASE_URL, or "baseURL")
      --api-key KEY     its key (better OPENAI_API_KEY: a command line can be seen by others)
      --config FILE     one more config file, trusted
      --dir DIR         work in DIR
      --on TARGET       have commands run on another machine (or "target"), where --dir is
                        then; the model, its keys, servers and questions stay here
      --mode MODE       how much runs without a question: plan (what reads), ask (the
                        rest is asked about; the default), auto (what writes the
                        workspace runs too), full; or "mode". With -p there is nobody
                        to ask, so what would be asked about is denied
for this run:
      --add-dir DIR     may be written, too; again for more
      --allow RULE      a rule above those of the files, such as 'git push ...' or
      --deny RULE       agent:write; again for more
      --append-system-prompt TEXT
                        add to the system prompt
      --worktree        work in a git work tree of its own, on a branch of its own; it is
                        kept, and named, if something was changed in it
sessions:
  -c, --continue        go on with the last session of this directory
  -r, --resume [ID]     go on with this session, where its shell was; without an ID
                        you choose from a list
      --fork            go on with a copy of it
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
      --input-format F  text, or stream-json: a message a line on stdin, for many turns
      --json-schema S   a JSON Schema, or a file with one, that the answer must fit;
                        --output-schema is the same
one of many runs (docs/batch.md):
      --task-file FILE  -p takes the prompt from a line of FILE, {"id": ID, "prompt": TEXT}:
      --task N          that one, from 0, or as Kubernetes, Slurm, GNU parallel ... number it
      --run-key KEY     started again, the run goes on; a finished one tells its result
      --result-file FILE   the result as JSON; {id} is the task's, also in --run-key
      --result-patch FILE  what the repository is against the commit at the start
      --log-format F    of stderr: text or json
  -o, --output FILE     write the answer to a file, too
      --debug-file FILE append every request and response, without the key

Ctrl-C stops the turn and keeps the conversation and the shell; at the prompt,
twice ends the program. @shot.png in a prompt sends the picture.

examples:
  agentbash --base-url http://127.0.0.1:11434/v1 --model qwen3
  agentbash "make the tests pass" --mode auto
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
      --on TARGET       on another machine: ssh:HOST[/DIR], docker:NAME, ... (agentbash --help);
                        --dir is then there
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
       agentbash tools --format openai|anthropic|mcp|gemini [--single] [QUERY]

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
       agentbash sessions export ID [--markdown | --json | --bash | --format F] [-o FILE]
       agentbash sessions delete ID...

Lists the recorded sessions of this directory, the last one first; shows one, deletes
some, or exports one for people, for programs, or as a script that runs its commands
again through agentbash exec. The beginning of an ID is enough.

      --all             the sessions of every directory
      --json            list: an array; show and export: one object
      --markdown        export as markdown (the default)
      --bash            export as a bash script
      --format F        markdown, json, bash, or atif: a trajectory for Harbor
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
The shell is bash, 4.4 or later; macOS has 3.2, so install one from Homebrew there (brew install bash).

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
