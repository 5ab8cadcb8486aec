package main

const helpEval = `usage: agentbash eval [flags] CONFIG [CONFIG]

Gives each task of a directory to a model, as the config file says, checks what came of it,
and prints success, calls, tokens, cost and time with their 95 % intervals; of two config
files the difference too. docs/eval.md tells what a task is.

      --tasks DIR       where the tasks are; testdata/eval
      --repeat N        attempts at each task; 1
      --jobs N          attempts at once; 1
      --mode M          the mode of the runs; auto
      --max-time S      seconds for an attempt; 600
      --json            one object with every attempt

examples:
  agentbash eval model.json
  agentbash eval --repeat 5 --jobs 4 old.json new.json

exit status: 0 all attempts were made, whatever came of them; 1 failed; 2 usage; 130 interrupted.
`
