#!/bin/bash
#SBATCH --job-name={{.Name}}
#SBATCH --array=0-{{.Last}}%{{.Parallel}}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{.CPUs}}
#SBATCH --mem={{.MiB}}M
#SBATCH --time={{.Minutes}}
#SBATCH --signal=B:TERM@{{.Grace}}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="{{sbatchPath .Results}}-%a.log"
# mkdir -p RESULTS; sbatch this; agentbash batch collect RESULTS
mkdir -p {{word .Results}} || exit
{{- if .Secret}}
set -a; . {{word .Secret}} || exit; set +a # OPENAI_API_KEY=... and so on, readable by you alone
{{- end}}
{{.Script}}
case $status in {{pattern .Again}})
	if [ "${SLURM_RESTART_COUNT:-0}" -lt {{.Retries}} ]; then
		scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 60 # until it is ended
	fi ;;
esac
exit $status
