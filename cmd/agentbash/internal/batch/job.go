package batch

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/agentbash/agentbash/internal/quote"
)

// Job is a batch for an engine.
type Job struct {
	Name     string // "" is that of the task file
	File     string // of the tasks
	Results  string // the directory of the results
	Image    string // of the containers
	Secret   string // the name of what has the keys: a Secret, a variable, or a file of assignments
	Parallel int    // runs at once
	Retries  int    // of a run that ended with a status of Again
	CPUs     int
	Memory   string   // "2Gi"
	Seconds  int      // limit of a run
	Grace    int      // seconds between SIGTERM and SIGKILL
	Words    []string // more of agentbash -p
}

//go:embed job
var jobTemplates embed.FS

// engines are the engines: the file of each that is printed, where its containers have the
// tasks, and what keeps it from what it would replace in a command itself: Kubernetes $(NAME),
// with $$ for a $; Nomad ${NAME}, which the quotes of a word tear apart.
var engines = map[string]struct {
	file, tasks string
	own         *strings.Replacer
}{
	"kubernetes": {"kubernetes.yaml", "/tasks/tasks.jsonl", strings.NewReplacer("$", "$$")},
	"nomad":      {"nomad.json", "$NOMAD_TASK_DIR/tasks.jsonl", strings.NewReplacer("${", "$''{")},
	"slurm":      {"slurm.sh", "", strings.NewReplacer()},
	"parallel":   {"parallel.sh", "", strings.NewReplacer()},
}

// sbatchPath is the path of a log as a directive of sbatch has it.
var sbatchPath = strings.NewReplacer("%", "%%", `\`, `\\`, `"`, `\"`)

// maxEmbedded is how much a manifest holds of tasks: a ConfigMap has 1 MiB.
const maxEmbedded = 1_000_000

// script runs a command and passes on the SIGTERM that the shell gets.
const script = `%s &
run=$!
trap 'kill -TERM "$run"' TERM
until wait "$run"; status=$?; ! kill -0 "$run" 2>/dev/null; do :; done`

// jobView is what the templates see.
type jobView struct {
	Job
	Tasks        string // the file
	N, Last      int
	Command      string // of a run
	Script       string // runs it to the end; its status is then in $status
	Again, Never []int
	Minutes      int
	MiB, MHz     int
	Delim        string // of Nomad's templates: it occurs in no task
}

// Print writes the manifest or script of an engine.
func (j Job) Print(w io.Writer, engine string) error {
	e, ok := engines[engine]
	if !ok {
		return fmt.Errorf("%q: it is kubernetes, slurm, nomad or parallel", engine)
	}
	v, err := j.view(e.tasks != "")
	if err != nil {
		return err
	}
	results := j.Results
	switch engine {
	case "kubernetes":
		results, v.Secret = "/results", cmp.Or(j.Secret, "agentbash")
	case "nomad":
		results, v.Secret = "/results", cmp.Or(j.Secret, "nomad/jobs/"+v.Name)
		if !filepath.IsAbs(j.Results) {
			return errors.New("--results: give Nomad the absolute path of a directory that all its clients have")
		}
	}
	tasks := quote.Word(cmp.Or(e.tasks, j.File))
	if strings.HasPrefix(e.tasks, "$") {
		tasks = `"` + e.tasks + `"`
	}
	v.Command = "agentbash -p --task-file " + tasks + e.own.Replace(quote.Line("", append([]string{"--run-key", v.Name + "-{id}", "--result-file", results + "/{id}.json",
		"--max-time", strconv.Itoa(j.Seconds), "--log-format", "json"}, j.Words...)))
	v.Script = fmt.Sprintf(script, v.Command)
	t, err := template.New(e.file).Funcs(template.FuncMap{"json": toJSON, "word": quote.Word, "place": place, "pattern": pattern, "sbatchPath": sbatchPath.Replace}).ParseFS(jobTemplates, "job/"+e.file)
	if err != nil {
		return err
	}
	return t.Execute(w, v)
}

// view is what every engine's template sees, but for the command. The tasks of containers are in
// the manifest.
func (j Job) view(containers bool) (*jobView, error) {
	tasks, err := ReadTasks(j.File)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(j.File)
	if err != nil {
		return nil, err
	}
	notInNames := regexp.MustCompile(`[^a-z0-9]+`)
	stem := strings.TrimSuffix(filepath.Base(j.File), filepath.Ext(j.File))
	j.Name = cmp.Or(j.Name, strings.Trim(notInNames.ReplaceAllString(strings.ToLower(stem), "-"), "-"), "agentbash")
	bytes, err := parseMemory(j.Memory)
	v := &jobView{Job: j, Tasks: string(text), N: len(tasks), Last: len(tasks) - 1, Again: Again, Never: Never,
		Minutes: (j.Seconds + 2*j.Grace + 59) / 60, MiB: int(bytes >> 20), MHz: j.CPUs * 1000, Delim: "[[tasks]]"}
	switch {
	case err != nil:
		return nil, err
	case len(j.Name) > 52 || notInNames.MatchString(strings.ReplaceAll(j.Name, "-", "")) || strings.Trim(j.Name, "-") != j.Name:
		return nil, fmt.Errorf("--name %q: give lower-case letters, digits and - within, 52 at most", j.Name)
	case strings.ContainsFunc(j.File+j.Results+j.Secret, unicode.IsControl):
		return nil, errors.New("the task file, --results and --secret stand in a line: name them without line breaks")
	case containers && len(text) > maxEmbedded:
		return nil, fmt.Errorf("%s has %d bytes, and a manifest holds %d: split it, or put it into a volume", j.File, len(text), maxEmbedded)
	case containers && j.Image == "":
		return nil, errors.New("--image: name one with agentbash in it (packaging/Containerfile builds one)")
	case strings.Contains(v.Tasks, v.Delim):
		return nil, fmt.Errorf("a task has %s in it, with which Nomad would do something: put it in other words", v.Delim)
	}
	return v, nil
}

// place is where a run in a container works, and keeps its session: another one that starts it
// again finds both.
func place(index string) string {
	return fmt.Sprintf("export XDG_STATE_HOME=/results/state/%[1]s && mkdir -p /results/dirs/%[1]s && cd /results/dirs/%[1]s || exit\n", index)
}

func pattern(statuses []int) string {
	var words []string
	for _, s := range statuses {
		words = append(words, strconv.Itoa(s))
	}
	return strings.Join(words, "|")
}

// toJSON is a value as JSON, and so as YAML.
func toJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// parseMemory is the bytes of "512Mi" or "2Gi".
func parseMemory(s string) (int64, error) {
	for unit, shift := range map[string]int{"Mi": 20, "Gi": 30} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			if n, err := strconv.ParseInt(number, 10, 32); err == nil && n > 0 {
				return n << shift, nil
			}
		}
	}
	return 0, fmt.Errorf("--memory %q: give a number with Mi or Gi: 2Gi", s)
}
