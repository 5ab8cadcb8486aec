package telemetry

import (
	"strconv"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
)

// journal makes spans of a conversation's records, and passes them on. It is used from one
// goroutine, as every journal.
type journal struct {
	e     *Exporter
	inner chat.Journal // nil: nowhere

	model         string
	turn          *span // nil: between turns
	spans         []*span
	began, since  time.Time // of the turn; of what happens in it
	call          transcript.Record
	tokens, times map[string][]float64 // by type
	cost          float64
}

// Journal is a journal that is watched, of a conversation that begins with a model.
func (e *Exporter) Journal(inner chat.Journal, model string) chat.Journal {
	if e == nil {
		return inner
	}
	return &journal{e: e, inner: inner, model: model}
}

// Append implements [chat.Journal].
func (j *journal) Append(r transcript.Record) error {
	j.watch(r, time.Now())
	if j.inner == nil {
		return nil
	}
	return j.inner.Append(r)
}

// Sync implements [chat.Journal].
func (j *journal) Sync() error {
	if j.inner == nil {
		return nil
	}
	return j.inner.Sync()
}

func (j *journal) watch(r transcript.Record, now time.Time) {
	switch r.Type {
	case transcript.TypeModel:
		j.model = r.Model
	case transcript.TypeUser:
		j.beginTurn(now)
	}
	if j.turn == nil {
		return
	}
	switch r.Type {
	case transcript.TypeRetry:
		j.add("chat "+j.model, kindClient, now).fail("retry", j.message(r.Text))
	case transcript.TypeUsage:
		j.addRequest(r.Usage, now)
	case transcript.TypeToolCall:
		j.call, j.since = r, now
	case transcript.TypeToolResult:
		j.addCall(r, now)
	case transcript.TypeEnd:
		j.endTurn(r, now)
	}
}

func (j *journal) beginTurn(now time.Time) {
	j.began, j.since, j.spans, j.cost = now, now, nil, 0
	j.tokens, j.times = map[string][]float64{}, map[string][]float64{}
	j.turn = &span{TraceID: j.e.parent.trace, SpanID: newID(8), Parent: j.e.parent.span, Name: "invoke_agent agentbash", Kind: kindInternal, Start: nanos(now),
		Attributes: []attribute{text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", "agentbash"), text("gen_ai.request.model", j.model)}}
	if j.turn.TraceID == "" {
		j.turn.TraceID = newID(16)
	}
	j.spans = append(j.spans, j.turn)
}

// add adds what has gone on since the last.
func (j *journal) add(name string, kind int, now time.Time) *span {
	s := &span{TraceID: j.turn.TraceID, SpanID: newID(8), Parent: j.turn.SpanID, Name: name, Kind: kind, Start: nanos(j.since), End: nanos(now), Attributes: []attribute{}}
	j.spans, j.since = append(j.spans, s), now
	return s
}

func (j *journal) addRequest(u *transcript.Usage, now time.Time) {
	j.times["chat"] = append(j.times["chat"], now.Sub(j.since).Seconds())
	j.tokens["input"] = append(j.tokens["input"], float64(u.Prompt))
	j.tokens["output"] = append(j.tokens["output"], float64(u.Completion))
	j.cost += u.Cost
	s := j.add("chat "+j.model, kindClient, now)
	s.Attributes = append(s.Attributes, text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", j.model),
		number("gen_ai.usage.input_tokens", u.Prompt), number("gen_ai.usage.output_tokens", u.Completion))
	if u.Cost > 0 {
		s.Attributes = append(s.Attributes, attribute{"agentbash.cost", map[string]float64{"doubleValue": u.Cost}})
	}
}

func (j *journal) addCall(r transcript.Record, now time.Time) {
	j.times["execute_tool"] = append(j.times["execute_tool"], now.Sub(j.since).Seconds())
	s := j.add("execute_tool bash", kindInternal, now)
	s.Attributes = append(s.Attributes, text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", "bash"), text("gen_ai.tool.type", "function"),
		text("gen_ai.tool.call.id", r.ID), number("process.exit.code", r.ExitCode))
	if j.e.hide != nil {
		s.Attributes = append(s.Attributes, text("gen_ai.tool.call.arguments", j.e.hide(j.call.Command)), text("gen_ai.tool.call.result", r.Output))
	}
	switch {
	case r.Denied:
		s.fail("denied", "")
	case r.Refused:
		s.fail("malformed", "")
	case r.Interrupted:
		s.fail("interrupted", "")
	case r.ExitCode != 0:
		s.fail("exit_"+strconv.Itoa(r.ExitCode), "")
	}
}

// message is an error's text where text is sent: a server may quote in it what it was asked.
func (j *journal) message(text string) string {
	if j.e.hide == nil {
		return ""
	}
	return j.e.hide(text)
}

// The bounds that the conventions advise.
var (
	tokenBounds = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	timeBounds  = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
)

func (j *journal) endTurn(r transcript.Record, now time.Time) {
	j.turn.End = nanos(now)
	if r.Error != "" {
		j.turn.fail("exit_"+strconv.Itoa(r.ExitCode), j.message(r.Error))
	}
	j.e.send(j.e.traces, j.e.scoped("Spans", j.spans))
	if all := j.metrics(now); all != nil {
		j.e.send(j.e.metrics, j.e.scoped("Metrics", all))
	}
	j.turn = nil
}

// metrics are those of the turn; one without values is none.
func (j *journal) metrics(now time.Time) (all []any) {
	model := text("gen_ai.request.model", j.model)
	for _, m := range []struct {
		name, unit, by string
		bounds         []float64
		points         map[string][]float64
	}{
		{"gen_ai.client.token.usage", "{token}", "gen_ai.token.type", tokenBounds, j.tokens},
		{"gen_ai.client.operation.duration", "s", "gen_ai.operation.name", timeBounds, j.times},
	} {
		var points []any
		for key, values := range m.points {
			points = append(points, histogramPoint(m.bounds, values, j.began, now, model, text(m.by, key)))
		}
		if points != nil {
			all = append(all, map[string]any{"name": m.name, "unit": m.unit, "histogram": map[string]any{"aggregationTemporality": deltas, "dataPoints": points}})
		}
	}
	if j.cost > 0 {
		all = append(all, map[string]any{"name": "agentbash.cost", "unit": "USD", "sum": map[string]any{"aggregationTemporality": deltas, "isMonotonic": true,
			"dataPoints": []any{map[string]any{"attributes": []attribute{model}, "asDouble": j.cost, "startTimeUnixNano": nanos(j.began), "timeUnixNano": nanos(now)}}}})
	}
	return all
}
