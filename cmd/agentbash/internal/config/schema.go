package config

import (
	"encoding/json"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// The keys that a file of ours may hold, and those of its entries.
const (
	topKeys      = "$schema mcpServers functions provider model baseURL apiKey mode rules tools limits models hooks webFetch webSearch snapshots " + shellKeys + " " + confineKeys
	limitKeys    = "turns cost time calls output session"
	sessionKeys  = "calls time output"
	modelKeys    = "api window silence input cached output"
	serverKeys   = "type disabled command args env cwd url headers timeout startTimeout allow deny oauth sampling trust roles sandbox"
	functionKeys = "file type function name description parameters input_schema inputSchema strict exec http timeout roles"
	execKeys     = "argv env cwd sandbox"
	httpKeys     = "method url headers"
	oauthKeys    = "clientId clientSecret clientCredentials disabled"
)

// Modes, from the strictest to the loosest.
const (
	ModePlan = "plan"
	ModeAsk  = "ask"
	ModeAuto = "auto"
	ModeFull = "full"
)

func modeNames() []string { return []string{ModePlan, ModeAsk, ModeAuto, ModeFull} }

// Limits bound a turn. 0 is no limit.
type Limits struct {
	Turns   int           `json:"turns"`   // requests to the model
	Cost    float64       `json:"cost"`    // dollars
	Time    float64       `json:"time"`    // seconds
	Calls   int           `json:"calls"`   // commands, and calls from inside bash
	Output  int           `json:"output"`  // bytes that commands write
	Session SessionLimits `json:"session"` // bound all turns together
}

// SessionLimits bound the life of a program. 0 is no limit.
type SessionLimits struct {
	Calls  int     `json:"calls"`  // commands, and calls from inside bash
	Time   float64 `json:"time"`   // seconds
	Output int     `json:"output"` // bytes that commands write
}

// below reports whether a limit is below 0.
func (l *Limits) below() bool {
	return l.Turns < 0 || l.Cost < 0 || l.Time < 0 || l.Calls < 0 || l.Output < 0 ||
		l.Session.Calls < 0 || l.Session.Time < 0 || l.Session.Output < 0
}

// fill takes over what other says and l does not.
func (l *Limits) fill(other Limits) {
	l.Turns = firstSet(l.Turns, other.Turns)
	l.Cost = firstSet(l.Cost, other.Cost)
	l.Time = firstSet(l.Time, other.Time)
	l.Calls = firstSet(l.Calls, other.Calls)
	l.Output = firstSet(l.Output, other.Output)
	l.Session.Calls = firstSet(l.Session.Calls, other.Session.Calls)
	l.Session.Time = firstSet(l.Session.Time, other.Session.Time)
	l.Session.Output = firstSet(l.Session.Output, other.Session.Output)
}

// file is what one file said, checked and expanded.
type file struct {
	path                         string
	model, baseURL, apiKey, mode string
	provider                     string
	models                       map[string]ModelFacts
	rules                        json.RawMessage
	tools                        map[string]bool
	limits                       Limits
	confine                      Confine
	shell                        Shell
	fields                       fieldbash.Config
	hooks                        Hooks
	webFetch                     *WebFetch
	webSearch                    *WebSearch
	snapshots                    *Snapshots
	warnings                     []error  // what was left out
	definitions                  []string // the files of functions that were read
}

// checkKeys reports the keys of an object that are not known. Those of entries
// that other programs define too are only wrong when they look mistyped.
func (s *source) checkKeys(v *value, path *jsonPath, known string, ours bool) (errs []error) {
	if v == nil || !v.object {
		return nil
	}
	names := strings.Fields(known)
	for _, m := range v.members {
		if listContains(names, m.key) {
			continue
		}
		near := registry.Closest(m.key, names, 2)
		switch {
		case len(near) > 0:
			errs = append(errs, s.errorAt(m.offset, joinKey(path.String(), m.key), "unknown key: did you mean "+strings.Join(near, " or ")+"?"))
		case ours:
			errs = append(errs, s.errorAt(m.offset, joinKey(path.String(), m.key), "unknown key: known are "+strings.Join(names, ", ")))
		}
	}
	return errs
}

func listContains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// checkAllKeys looks at the file and into its entries, but for servers and functions:
// see decodeEntries.
func (s *source) checkAllKeys(v *value) []error {
	errs := s.checkKeys(v, nil, topKeys, true)
	errs = append(errs, s.checkKeys(v.find("limits"), &jsonPath{key: "limits"}, limitKeys, true)...)
	errs = append(errs, s.checkKeys(v.find("limits").find("session"), &jsonPath{up: &jsonPath{key: "limits"}, key: "session"}, sessionKeys, true)...)
	errs = append(errs, s.checkKeys(v.find("webFetch"), &jsonPath{key: "webFetch"}, webFetchKeys, true)...)
	errs = append(errs, s.checkKeys(v.find("webSearch"), &jsonPath{key: "webSearch"}, webSearchKeys, true)...)
	errs = append(errs, s.checkKeys(v.find("snapshots"), &jsonPath{key: "snapshots"}, snapshotKeys, true)...)
	errs = append(errs, s.checkKeys(v.find("network"), &jsonPath{key: "network"}, networkKeys, true)...)
	if models := v.find("models"); models != nil {
		for _, m := range models.members {
			errs = append(errs, s.checkKeys(m.value, &jsonPath{up: &jsonPath{key: "models"}, key: m.key}, modelKeys, true)...)
		}
	}
	errs = append(errs, s.checkHookKeys(v.find("hooks"))...)
	return errs
}

// checkServerKeys looks into a server.
func (s *source) checkServerKeys(v *value, path *jsonPath) []error {
	return append(s.checkKeys(v, path, serverKeys, false), s.checkKeys(v.find("oauth"), &jsonPath{up: path, key: "oauth"}, oauthKeys, false)...)
}

// checkFunctionKeys looks into a group of functions.
func (s *source) checkFunctionKeys(v *value, path *jsonPath) (errs []error) {
	for i, f := range v.list {
		path := &jsonPath{up: path, item: true, index: i}
		errs = append(errs, s.checkKeys(f, path, functionKeys, false)...)
		errs = append(errs, s.checkKeys(f.find("exec"), &jsonPath{up: path, key: "exec"}, execKeys, false)...)
		errs = append(errs, s.checkKeys(f.find("http"), &jsonPath{up: path, key: "http"}, httpKeys, false)...)
	}
	return errs
}

// expandUsed expands variables where a value is ours to use.
func (s *source) expandUsed(v *value, lookup func(string) (string, bool)) (errs []error) {
	if m := v.find("apiKey"); m != nil {
		errs = s.expand(m, &jsonPath{key: "apiKey"}, func(name string) (string, bool) {
			s.keyVars = append(s.keyVars, name)
			return lookup(name)
		})
	}
	for _, key := range []string{"provider", "model", "baseURL", "mode", "webFetch", "webSearch", "workspace", "secrets", "network", "trustedRepositories"} {
		if m := v.find(key); m != nil {
			errs = append(errs, s.expand(m, &jsonPath{key: key}, lookup)...)
		}
	}
	return append(errs, s.expandHooks(v.find("hooks"), lookup)...)
}

// expandFunctions expands variables in a group of functions, but not in the texts of
// a schema and a description: they are the model's to read, not ours.
func (s *source) expandFunctions(v *value, path *jsonPath, lookup func(string) (string, bool)) (errs []error) {
	for i, f := range v.list {
		path := &jsonPath{up: path, item: true, index: i}
		for _, at := range []*value{f, f.find("function")} {
			for _, key := range []string{"exec", "http"} {
				if m := at.find(key); m != nil {
					errs = append(errs, s.expand(m, &jsonPath{up: path, key: key}, lookup)...)
				}
			}
		}
	}
	return errs
}
