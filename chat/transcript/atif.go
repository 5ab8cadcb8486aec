package transcript

import (
	"encoding/json"
	"io"
	"strings"
	"time"
)

// ATIFVersion is the version of the Agent Trajectory Interchange Format that [WriteATIF]
// writes: the format of Harbor and Terminal-Bench (harborframework.com/docs/trajectory-format).
const ATIFVersion = "ATIF-v1.4"

type atif struct {
	SchemaVersion string      `json:"schema_version"`
	SessionID     string      `json:"session_id"`
	Agent         atifAgent   `json:"agent"`
	Steps         []*atifStep `json:"steps"`
	FinalMetrics  atifTotals  `json:"final_metrics"`
}

type atifAgent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Model   string `json:"model_name,omitempty"`
}

type atifStep struct {
	ID          int              `json:"step_id"` // from 1
	Timestamp   *time.Time       `json:"timestamp,omitempty"`
	Source      string           `json:"source"`
	Model       string           `json:"model_name,omitempty"`
	Message     string           `json:"message"`
	Reasoning   string           `json:"reasoning_content,omitempty"`
	Calls       []atifCall       `json:"tool_calls,omitempty"`
	Observation *atifObservation `json:"observation,omitempty"`
	Metrics     *atifMetrics     `json:"metrics,omitempty"`
}

type atifCall struct {
	ID        string         `json:"tool_call_id"`
	Name      string         `json:"function_name"`
	Arguments map[string]any `json:"arguments"`
}

type atifObservation struct {
	Results []atifResult `json:"results"`
}

type atifResult struct {
	Call    string `json:"source_call_id"`
	Content string `json:"content"`
}

type atifMetrics struct {
	Prompt     int     `json:"prompt_tokens"`
	Completion int     `json:"completion_tokens"`
	Cached     int     `json:"cached_tokens,omitempty"`
	Cost       float64 `json:"cost_usd,omitempty"`
}

type atifTotals struct {
	Prompt     int     `json:"total_prompt_tokens"`
	Completion int     `json:"total_completion_tokens"`
	Cached     int     `json:"total_cached_tokens"`
	Cost       float64 `json:"total_cost_usd,omitempty"`
	Steps      int     `json:"total_steps"`
}

// WriteATIF writes a session as a trajectory: a step for each text of the system and the
// user, and for each reply of the model with its calls, what came of them and what it cost.
func WriteATIF(w io.Writer, records []Record) error {
	head := records[0]
	t := atif{SchemaVersion: ATIFVersion, SessionID: head.ID, Agent: atifAgent{Name: "agentbash", Version: head.Program}, Steps: []*atifStep{}}
	model := ""
	add := func(r Record, source string) *atifStep {
		s := &atifStep{ID: len(t.Steps) + 1, Source: source, Message: strings.ToValidUTF8(r.Text, "\uFFFD")}
		if !r.Time.IsZero() {
			s.Timestamp = &r.Time
		}
		t.Steps = append(t.Steps, s)
		return s
	}
	var reply *atifStep // the last
	var spent *atifMetrics
	for _, r := range Settled(records) {
		switch r.Type {
		case TypeModel:
			model, t.Agent.Model = r.Model, r.Model
		case TypeSystem:
			add(r, "system")
		case TypeUser:
			add(r, "user")
		case TypeUsage:
			if u := r.Usage; u != nil {
				spent = &atifMetrics{Prompt: u.Prompt, Completion: u.Completion, Cached: u.Cached, Cost: u.Cost}
				t.FinalMetrics.add(spent)
			}
		case TypeAssistant:
			reply = add(r, "agent")
			reply.Model, reply.Reasoning = model, r.Reasoning
			for _, c := range r.Calls {
				one := atifCall{ID: c.ID, Name: c.Name, Arguments: map[string]any{}}
				if json.Unmarshal([]byte(c.Arguments), &one.Arguments) != nil {
					one.Arguments = map[string]any{"text": c.Arguments}
				}
				reply.Calls = append(reply.Calls, one)
			}
			reply.Metrics, spent = spent, nil
		case TypeToolResult:
			if reply == nil {
				continue
			}
			if reply.Observation == nil {
				reply.Observation = &atifObservation{}
			}
			reply.Observation.Results = append(reply.Observation.Results, atifResult{r.ID, r.Output})
		}
	}
	t.FinalMetrics.Steps = len(t.Steps)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(t)
}

func (t *atifTotals) add(m *atifMetrics) {
	t.Prompt += m.Prompt
	t.Completion += m.Completion
	t.Cached += m.Cached
	t.Cost += m.Cost
}
