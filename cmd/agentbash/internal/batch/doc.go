// Package batch is what a run needs to be one of many that an engine starts: its line of a
// task file, a key under which it is done once, the patch of what it changed, and a table
// of the results. [Job] prints the manifest or script of such a batch for Kubernetes, Slurm,
// Nomad and GNU parallel: this program schedules nothing itself.
package batch
