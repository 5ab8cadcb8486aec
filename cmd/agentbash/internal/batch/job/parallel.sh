#!/bin/bash
# bash this, again after a break: what is done stays done. agentbash batch collect RESULTS
mkdir -p {{word .Results}} || exit
{{- if .Secret}}
set -a; . {{word .Secret}} || exit; set +a # OPENAI_API_KEY=... and so on, readable by you alone
{{- end}}
run() {
	local status try
	for ((try = 0; ; try++)); do
		{{.Command}} --task "$1"
		status=$?
		if [ $status != 1 ] || [ $try = {{.Retries}} ]; then
			return $status
		fi
		sleep $((5 << try))
	done
}
export -f run
export PARALLEL_SHELL=$BASH
seq 0 {{.Last}} | parallel --will-cite --jobs {{.Parallel}} --termseq TERM,{{.Grace}}000,KILL run
