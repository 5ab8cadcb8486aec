package telemetry

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The types are those of OTLP's JSON form (opentelemetry.io/docs/specs/otlp, JSON Protobuf
// encoding): 64-bit numbers are strings, identifiers are hexadecimal.

type attribute struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

func text(key, value string) attribute {
	return attribute{key, map[string]string{"stringValue": strings.ToValidUTF8(value, "\uFFFD")}}
}

func number(key string, n int) attribute {
	return attribute{key, map[string]string{"intValue": fmt.Sprint(n)}}
}

type spanContext struct{ trace, span string }

func newID(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// parseParent reads a TRACEPARENT (W3C Trace Context): the span that started this program.
func parseParent(s string) spanContext {
	f := regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}`).FindStringSubmatch(s)
	if f == nil || strings.HasPrefix(s, "ff") || strings.Trim(f[1], "0") == "" || strings.Trim(f[2], "0") == "" {
		return spanContext{}
	}
	return spanContext{f[1], f[2]}
}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes"`
	Status     struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	} `json:"status"`
}

const (
	kindInternal = 1
	kindClient   = 3
	statusError  = 2
	deltas       = 1 // aggregation temporality: since the last time
)

func nanos(t time.Time) string { return fmt.Sprint(t.UnixNano()) }

// fail marks a span.
func (s *span) fail(kind, message string) {
	s.Status.Code, s.Status.Message = statusError, message
	s.Attributes = append(s.Attributes, text("error.type", kind))
}

// scoped wraps what is of a kind (Spans, Metrics) of this program.
func (e *Exporter) scoped(kind string, items any) []byte {
	body, _ := json.Marshal(map[string]any{"resource" + kind: []any{map[string]any{
		"resource":     map[string]any{"attributes": e.resource},
		"scope" + kind: []any{map[string]any{"scope": map[string]string{"name": "agentbash", "version": e.version}, strings.ToLower(kind): items}},
	}}})
	return body
}

// histogramPoint is what values come to between two times.
func histogramPoint(bounds, values []float64, from, to time.Time, attributes ...attribute) any {
	buckets, sum := make([]string, len(bounds)+1), 0.0
	counts := make([]int, len(buckets))
	for _, v := range values {
		i, _ := slices.BinarySearch(bounds, v) // a bound is in the bucket below it
		counts[i]++
		sum += v
	}
	for i, n := range counts {
		buckets[i] = fmt.Sprint(n)
	}
	return map[string]any{"attributes": attributes, "startTimeUnixNano": nanos(from), "timeUnixNano": nanos(to),
		"count": fmt.Sprint(len(values)), "sum": sum, "bucketCounts": buckets, "explicitBounds": bounds}
}

func (e *Exporter) post(ctx context.Context, to string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = e.headers.Clone()
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		answer, _ := io.ReadAll(io.LimitReader(res.Body, 200))
		return errors.New(res.Status + " " + string(answer))
	}
	return nil
}
