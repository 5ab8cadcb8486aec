package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// EnvHeaders is the variable that may hold a collector's key.
const EnvHeaders = "OTEL_EXPORTER_OTLP_HEADERS"

// Exporter sends to a collector. A nil one sends nothing.
type Exporter struct {
	traces, metrics string // URLs; "" sends none
	headers         http.Header
	timeout         time.Duration
	resource        []attribute
	version         string
	hide            func(string) string // a command's secrets; nil: no text of a conversation is sent
	parent          spanContext
	warn            func(error)

	sending sync.WaitGroup
	warned  sync.Once
}

// New returns an exporter as the environment wants it, nil where it wants none. hide takes the
// secrets out of a command. warn is told once, from another goroutine, that nothing arrives.
func New(lookup func(string) (string, bool), version string, hide func(string) string, warn func(error)) (*Exporter, error) {
	get := func(name string) string {
		v, _ := lookup(name)
		return strings.TrimSpace(v)
	}
	e := &Exporter{version: version, warn: warn, timeout: 10 * time.Second, headers: http.Header{}}
	for signal, into := range map[string]*string{"traces": &e.traces, "metrics": &e.metrics} {
		upper := strings.ToUpper(signal)
		base, own, exporter := get("OTEL_EXPORTER_OTLP_ENDPOINT"), get("OTEL_EXPORTER_OTLP_"+upper+"_ENDPOINT"), get("OTEL_"+upper+"_EXPORTER")
		switch {
		case exporter != "" && exporter != "otlp":
		case own != "":
			*into = own
		case base != "" || exporter == "otlp":
			*into = strings.TrimSuffix(cmp.Or(base, "http://localhost:4318"), "/") + "/v1/" + signal
		}
	}
	if e.traces == "" && e.metrics == "" || strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	if p := get("OTEL_EXPORTER_OTLP_PROTOCOL"); p == "grpc" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not spoken, so no telemetry is sent: name the collector's HTTP port (4318), and http/json")
	}
	if ms, err := strconv.Atoi(get("OTEL_EXPORTER_OTLP_TIMEOUT")); err == nil && ms > 0 {
		e.timeout = time.Duration(ms) * time.Millisecond
	}
	for name, value := range pairs(get(EnvHeaders)) {
		e.headers.Set(name, value)
	}
	if strings.EqualFold(get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"), "true") {
		e.hide = hide
	}
	resource := pairs(get("OTEL_RESOURCE_ATTRIBUTES"))
	resource["service.name"] = cmp.Or(get("OTEL_SERVICE_NAME"), resource["service.name"], "agentbash")
	resource["service.version"] = version
	for name, value := range resource {
		e.resource = append(e.resource, text(name, value))
	}
	e.parent = parseParent(get("TRACEPARENT"))
	return e, nil
}

// pairs reads NAME=VALUE,... with values as in a URL.
func pairs(s string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(part, "=")
		if v, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
			out[strings.TrimSpace(name)] = v
		}
	}
	return out
}

// Close waits until everything is sent, no longer than the timeout.
func (e *Exporter) Close() error {
	if e != nil {
		e.sending.Wait()
	}
	return nil
}

// send sends one request in the background.
func (e *Exporter) send(to string, body []byte) {
	if to == "" {
		return
	}
	e.sending.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), e.timeout)
		defer cancel()
		if err := e.post(ctx, to, body); err != nil {
			e.warned.Do(func() {
				e.warn(fmt.Errorf("telemetry does not arrive: %w: look at OTEL_EXPORTER_OTLP_ENDPOINT, or set OTEL_SDK_DISABLED=true", err))
			})
		}
	})
}
