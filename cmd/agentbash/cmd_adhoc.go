package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// adHocName is what a server is called that no configuration has.
const adHocName = "server"

// adHocNotes takes notes that name what is typed behind --stdio or --url: field:server:x is call x there.
type adHocNotes struct{ io.Writer }

func (n adHocNotes) Write(p []byte) (int, error) {
	const server = registry.FieldPrefix + adHocName
	_, err := strings.NewReplacer(server+": ", "", server+":", "call ", server+" ", "").WriteString(n.Writer, string(p))
	return len(p), err
}

// cutCall cuts a call of a tool off the words of agentbash field, whose flags are the
// tool's own.
func cutCall(words []string) (before, call []string) {
	i := slices.Index(words, "call")
	adHoc := func(w string) bool { return strings.HasPrefix(w, "--stdio") || strings.HasPrefix(w, "--url") }
	if i < 0 || !slices.ContainsFunc(words[:i], adHoc) || slices.Contains(words[:i], "add") {
		return words, nil
	}
	return words[:i], words[i:]
}

// fieldAdHoc is agentbash field --stdio 'CMD' or --url URL: it lists the tools of that
// server, calls one, or runs one of the server's own commands.
func (a *app) fieldAdHoc(ctx context.Context, stdio string, s fieldbash.Server, words []string) int {
	if stdio != "" {
		s.Command, s.Args = "bash", []string{"-c", stdio}
	}
	var err error
	name := registry.FieldPrefix + adHocName
	switch {
	case stdio != "" && s.URL != "":
		err = errors.New("a server has --stdio or --url, not both")
	case len(words) == 0 || len(words) == 1 && words[0] == "list":
		words = []string{"-h"}
	case words[0] == "call" && len(words) == 1:
		err = errors.New("call wants the name of a tool: leave call out to list them")
	case words[0] == "call":
		name, words = name+":"+words[1], words[2:]
	}
	if err != nil {
		return a.usageError("field", err)
	}
	return a.callField(ctx, bashOptions{asker: a.newAsker(), guard: typedBy(a.mode), only: map[string]fieldbash.Server{adHocName: s}}, name, words)
}
