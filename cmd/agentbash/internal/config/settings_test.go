package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryKeyIsDocumented(t *testing.T) {
	files, err := filepath.Glob("../../../../docs/*.md")
	require.NoError(t, err)
	var docs strings.Builder
	for _, path := range append(files, "../../../../README.md") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		docs.Write(text)
	}
	for _, name := range keyNames(reflect.TypeFor[Settings]()) {
		named, err := regexp.MatchString("[\"`]"+name+"[\"`:]", docs.String())
		require.NoError(t, err)
		require.True(t, named || name == "$schema", "no page names the key %s", name)
	}
}

// TestAProjectIsToldWhatItCannotSay expects each key that is the user's alone to be named, once.
func TestAProjectIsToldWhatItCannotSay(t *testing.T) {
	for project, want := range map[string]string{
		`{"models": {"gpt-5": {"window": 5}}}`:                   "models: a project's file cannot say what is known of models: set it in your own file; it is ignored",
		`{"fallbacks": ["ollama"]}`:                              "fallbacks: a project's file cannot choose who is asked",
		`{"targetKeep": 5}`:                                      "targetKeep: a project's file cannot say where commands run",
		`{"theme": "light", "keys": {"ctrl-s": "submit"}}`:       "theme, keys: a project's file cannot say how your terminal is used",
		`{"promptCommand": true}`:                                "promptCommand: a project's file cannot have PROMPT_COMMAND run",
		`{"backgroundLimit": 7200}`:                              "backgroundLimit: a project's file cannot raise a limit from 3600 to 7200",
		`{"trustedRepositories": ["/"]}`:                         "trustedRepositories: a project's file cannot widen what commands reach",
		`{"limits": {"session": {"calls": 9}}}`:                  "limits.session.calls: a project's file cannot raise a limit from 5 to 9",
		`{"mcpServers": {"a": {"command": "x", "trust": true}}}`: "mcpServers.a.trust: a project's file cannot vouch for a server",
	} {
		w := newTestHome(t, map[string]string{userFile: `{"limits": {"session": {"calls": 5}}}`, projectOwn: project})
		w.approve()
		r := w.load()
		require.Len(t, r.Warnings, 1, project)
		require.ErrorContains(t, r.Warnings[0], "config "+w.path(projectOwn)+": "+want)
		require.Empty(t, r.Models)
		require.Empty(t, r.Fallbacks)
		require.Equal(t, Terminal{}, r.Terminal)
		require.Equal(t, 5, r.Limits.Session.Calls)
		require.False(t, r.Fields.MCPServers["a"].Trust)
	}
}

// TestNullSaysNothing expects every key to take null.
func TestNullSaysNothing(t *testing.T) {
	want := newTestHome(t, map[string]string{userFile: `{}`}).load()
	for _, k := range keysOf(reflect.TypeFor[Settings]()) {
		if k.name == "rules" || k.name == "mcpServers" || k.name == "functions" {
			continue
		}
		r := newTestHome(t, map[string]string{userFile: `{"` + k.name + `": null}`}).load()
		require.Equal(t, want.Settings, r.Settings, k.name)
	}
}
