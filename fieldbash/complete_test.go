package fieldbash_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

func TestCommandLinesAreCompleted(t *testing.T) {
	s := server(t, "server-everything")
	state := t.TempDir()
	complete := func(b bench, line string) string {
		return strings.Join(b.Fields.Complete(t.Context(), strings.Split(line, " ")), " ")
	}
	open := func() bench {
		return layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"everything": s}, Functions: config(t, `{"functions":{"fn":[{"name":"now","parameters":{"type":"object","properties":{"city":{"type":"string","enum":["Rome","New York"]}}},"exec":{"argv":["true"]}}]}}`).Functions},
			&fieldbash.Options{State: state})
	}
	b := open()
	require.Equal(t, "field:everything field:everything: field:fn field:fn:", complete(b, "field:"))
	require.Empty(t, complete(b, "field:everything:"), "nothing is kept, and it is not started")
	_, err := b.reg.LoadGroup(t.Context(), "everything") // the listing is kept
	require.NoError(t, err)
	require.Empty(t, complete(b, "field:everything prompt comp"), "it is not trusted")

	b = open()
	for line, want := range map[string]string{
		"field:everything:get-s":                                  "field:everything:get-structured-content field:everything:get-sum",
		"field:everything:get-annotated-message --":               "--includeImage --messageType",
		"field:everything:get-annotated-message --messageType ":   "debug error success",
		"field:everything:get-annotated-message --includeImage f": "false",
		"field:everything re":                                     "read resources",
		"field:fn:":                                               "field:fn:now",
		"field:fn:now --city ":                                    "Rome",
		"field:nope:x ":                                           "",
		"nothing":                                                 "",
	} {
		require.Equal(t, want, complete(b, line), line)
	}
	s.Trust = true
	b = open()
	for line, want := range map[string]string{
		"field:everything prompt comp":                                             "completable-prompt",
		"field:everything prompt completable-prompt --":                            "--department --name",
		"field:everything prompt completable-prompt --department S":                "Sales Support",
		"field:everything prompt completable-prompt --department Sales --name ":    "David Eve Frank",
		"field:everything read demo://resource/dynamic/t":                          "demo://resource/dynamic/text/",
		"field:everything subscribe demo://resource/static/document/architecture.": "demo://resource/static/document/architecture.md",
	} {
		require.Equal(t, want, complete(b, line), line)
	}
}

func TestAResourceIsSubscribedTo(t *testing.T) {
	const uri = "demo://resource/dynamic/text/1"
	b := everything(t, nil)
	done := make(chan out, 1)
	go func() {
		var stdout, stderr bytes.Buffer
		res := b.Fields.Command(t.Context(), "everything", []string{"subscribe", uri, "--count", "2"}, &registry.Call{Dir: b.dir, Stdout: &stdout, Stderr: &stderr})
		done <- out{stdout.String(), stderr.String(), res.ExitStatus}
	}()
	for o := (out{}); ; { // the server tells at once those who have subscribed by then
		b.ok(t, "field:everything:toggle-subscriber-updates")
		select {
		case o = <-done:
			require.Zero(t, o.status, o.stderr)
			require.Equal(t, 2, strings.Count(o.stdout, "Resource 1: This is a plaintext resource"), o.stdout)
			return
		default:
		}
	}
}
