package manifests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	nomad "github.com/hashicorp/nomad/api"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const tasks = `{"id": "a", "prompt": "say \"hi\": {{x}} # $(HOME)"}
{"id": "b", "prompt": "and: 'then'"}
`

// print is what agentbash batch prints for an engine.
func printed(t *testing.T, engine string, words ...string) []byte {
	dir := t.TempDir()
	program := filepath.Join(dir, "agentbash")
	build := exec.Command("go", "build", "-o", program, "./cmd/agentbash")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	file := filepath.Join(dir, "My_Tasks.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(tasks), 0o600))
	cmd := exec.Command(program, append([]string{"batch", engine, file, "--image", "example/agentbash:1", "--results", "/srv/results", "--secret", "keys"}, words...)...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	require.NoError(t, err)
	return text
}

func TestKubernetesTakesTheManifest(t *testing.T) {
	var tasksMap corev1.ConfigMap
	var claim corev1.PersistentVolumeClaim
	var job batchv1.Job
	docs := bytes.Split(printed(t, "kubernetes", "--jobs", "3", "--", "--append-system-prompt", "$(date) it's"), []byte("\n---\n"))
	require.Len(t, docs, 3)
	for i, into := range []any{&tasksMap, &claim, &job} {
		require.NoError(t, yaml.UnmarshalStrict(docs[i], into), "%s", docs[i])
	}
	require.Equal(t, []string{"ConfigMap", "PersistentVolumeClaim", "Job", "batch/v1", "my-tasks"}, []string{tasksMap.Kind, claim.Kind, job.Kind, job.APIVersion, job.Name})
	require.Equal(t, tasks, tasksMap.Data["tasks.jsonl"])
	spec, pod := job.Spec, job.Spec.Template.Spec
	require.Equal(t, batchv1.IndexedCompletion, *spec.CompletionMode)
	require.Equal(t, []int32{2, 3, 3}, []int32{*spec.Completions, *spec.Parallelism, *spec.BackoffLimitPerIndex})
	// What the API server checks besides the types (pkg/apis/batch/validation).
	require.Equal(t, corev1.RestartPolicyNever, pod.RestartPolicy, "a podFailurePolicy wants it")
	for _, rule := range spec.PodFailurePolicy.Rules {
		require.True(t, (rule.OnExitCodes == nil) != (rule.OnPodConditions == nil), "exactly one of the two")
		if rule.OnExitCodes != nil {
			require.Equal(t, pod.Containers[0].Name, *rule.OnExitCodes.ContainerName)
			require.IsIncreasing(t, rule.OnExitCodes.Values)
			require.NotContains(t, rule.OnExitCodes.Values, int32(0))
		}
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		require.True(t, volumes[m.Name], "%s is no volume", m.Name)
	}
	require.Equal(t, "keys", pod.Containers[0].EnvFrom[0].SecretRef.Name)
	require.NotContains(t, strings.ReplaceAll(pod.Containers[0].Command[2], "$$(", ""), "$(", "Kubernetes replaces these")
	requireBash(t, pod.Containers[0].Command[2])
}

func TestNomadTakesTheJob(t *testing.T) {
	var file struct{ Job *nomad.Job }
	d := json.NewDecoder(bytes.NewReader(printed(t, "nomad")))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&file))
	file.Job.Canonicalize()
	group := file.Job.TaskGroups[0]
	require.Equal(t, []any{"batch", 2, "docker"}, []any{*file.Job.Type, *group.Count, group.Tasks[0].Driver})
	require.Equal(t, tasks, *group.Tasks[0].Templates[0].EmbeddedTmpl)
	requireBash(t, group.Tasks[0].Config["args"].([]any)[0].(string))
}

func requireBash(t *testing.T, script string) {
	cmd := exec.Command("bash", "-n")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, script)
}

// TestSlurmTakesTheScript asks a controller of Slurm's, started for it, whether it would run the job.
func TestSlurmTakesTheScript(t *testing.T) {
	for _, name := range []string{"sbatch", "slurmctld", "munged", "mungekey"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: there is no %s: apt-get install slurm-client slurmctld munge", name)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: slurmctld wants root here")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "SLURM_CONF="+dir+"/slurm.conf")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		return string(out)
	}
	host, err := os.Hostname()
	require.NoError(t, err)
	host, _, _ = strings.Cut(host, ".")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/slurm.conf", fmt.Appendf(nil, `ClusterName=t
SlurmctldHost=%s(127.0.0.1)
SlurmctldPort=%d
SlurmUser=root
AuthInfo=socket=%[3]s/munge.sock
StateSaveLocation=%[3]s
SlurmctldPidFile=%[3]s/slurmctld.pid
ProctrackType=proctrack/linuxproc
SchedulerType=sched/builtin
SelectType=select/cons_tres
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=600
NodeName=n1 NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 State=CLOUD
PartitionName=p Nodes=n1 Default=YES MaxTime=INFINITE State=UP
`, host, free.Addr().(*net.TCPAddr).Port, dir), 0o600))
	require.NoError(t, free.Close())
	run("mungekey", "--create", "--keyfile="+dir+"/key")
	for _, daemon := range [][]string{
		{"munged", "--force", "--foreground", "--key-file=" + dir + "/key", "--socket=" + dir + "/munge.sock", "--pid-file=" + dir + "/munge.pid", "--log-file=" + dir + "/munge.log", "--seed-file=" + dir + "/seed"},
		{"slurmctld", "-D", "-c", "-f", dir + "/slurm.conf"},
	} {
		cmd := exec.Command(daemon[0], daemon[1:]...)
		cmd.Dir = dir
		log, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		for lines := bufio.NewScanner(log); lines.Scan() && !strings.Contains(lines.Text(), "unning as primary controller") && daemon[0] == "slurmctld"; {
		}
		for daemon[0] == "munged" && exec.Command("munge", "--socket="+dir+"/munge.sock", "-n").Run() != nil {
			require.Nil(t, cmd.ProcessState)
		}
	}
	script := filepath.Join(dir, "run.sh")
	require.NoError(t, os.WriteFile(script, printed(t, "slurm", "--results", `r s%j"x`, "--", "--append-system-prompt", "$$ `id` it's"), 0o600))
	require.Contains(t, run("sbatch", "--test-only", script), "to start at")
}
