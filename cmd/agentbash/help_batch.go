package main

const helpBatch = `usage: agentbash batch kubernetes|slurm|nomad|parallel TASKS [flags] [-- FLAGS OF -p]
       agentbash batch collect DIR [--tasks TASKS] [--format text|csv|html|json]

Prints a manifest or script that runs each line of a task file, {"id": ID, "prompt": TEXT},
with an engine that is there, or what came of the runs. docs/batch.md has it all.

      --name NAME       of the batch, and what its run keys begin with; the task file's
      --results DIR     where the result files are to be; results
      --image IMAGE     of the containers (kubernetes, nomad)
      --secret NAME     what has the keys: a Secret of Kubernetes (agentbash), a variable of
                        Nomad (nomad/jobs/NAME), a file of assignments (slurm, parallel)
      --jobs N          runs at once; 8
      --retries N       of a run that ended with status 1 or 130; 3
      --cpus N, --memory SIZE   of a run; 1, 2Gi
      --max-time S      seconds for a run; 3600
      --grace S         seconds that a run has to save after SIGTERM; 60
      --tasks TASKS     collect: tells the tasks without a result, too
      --format F        collect: text, csv, html or json

examples:
  agentbash batch parallel tasks.jsonl --jobs 4 -- --mode auto --model gpt-5 > run.sh
  agentbash batch kubernetes tasks.jsonl --image registry.example/agentbash:1 | kubectl apply -f -
  agentbash batch collect results --tasks tasks.jsonl

exit status: 0; 1 if not every run of collect is done; 2 usage.
`
