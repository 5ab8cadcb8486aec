package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/confinement/network"
	"github.com/agentbash/agentbash/fieldbash"
)

// Settings are what a file may say. The names in its tags are the keys; a struct without a
// name has its keys beside the others. All else about a key follows from its line here:
//
//	expand   variables in its texts are replaced
//	join     the lists of all files together count; without it that of the highest rank
//	project  what a project's file may not do by it; approved: it may, once that is approved;
//	         tighten: it may tighten
type Settings struct {
	Schema    any              `json:"$schema"`     // for editors
	Fields    fieldbash.Config `project:"approved"` // the keys in an entry: see decodeEntries
	Hooks     Hooks            `json:"hooks" project:"approved"`
	Provider  string           `json:"provider" expand:"yes" project:"approved"` // "": none was named
	BaseURL   string           `json:"baseURL" expand:"yes" project:"approved"`
	APIKey    string           `json:"apiKey" expand:"yes" project:"approved"`
	Model     string           `json:"model" expand:"yes"`
	Mode      string           `json:"mode" expand:"yes" project:"tighten"`
	Rules     []Rules          `json:"rules" join:"yes"` // from the highest rank to the lowest
	Tools     map[string]bool  `json:"tools"`            // switched on or off by name; absent: on
	Limits    Limits           `json:"limits" project:"tighten"`
	Confine   Confine
	Shell     Shell                 `project:"tighten"`
	Models    map[string]ModelFacts `json:"models" project:"say what is known of models"`            // by name
	Fallbacks []string              `json:"fallbacks" project:"choose who is asked"`                 // models that go on where a server fails, as a person names them
	WebFetch  *WebFetch             `json:"webFetch" expand:"yes" project:"say what may be reached"` // nil: the defaults
	WebSearch *WebSearch            `json:"webSearch" expand:"yes" project:"choose who is asked"`    // nil: not configured
	Snapshots *Snapshots            `json:"snapshots" project:"say what is kept to be taken back"`   // nil: the defaults
	Targets   Targets               `project:"say where commands run"`
	Terminal  Terminal              `project:"say how your terminal is used"`
}

// Modes, from the strictest to the loosest.
const (
	ModePlan = "plan"
	ModeAsk  = "ask"
	ModeAuto = "auto"
	ModeFull = "full"
)

func modeNames() []string { return []string{ModePlan, ModeAsk, ModeAuto, ModeFull} }

// Rules are one file's rules: their JSON, in the lines and columns where it stands in the file.
type Rules struct {
	File    string
	Project bool // only rules that tighten may be taken from it
	Raw     json.RawMessage
}

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

// Confine is what commands may reach that a model sends.
type Confine struct {
	Workspace []string `json:"workspace" expand:"yes" join:"yes" project:"widen what commands reach"` // directories that may be written, besides where the work is
	Secrets   []string `json:"secrets" expand:"yes" join:"yes"`                                       // files and directories that may not be read, besides the known ones; "!PATH" takes one of those off the list
	Env       []string `json:"env" join:"yes" project:"widen what commands reach"`                    // variables that bash gets, besides the known ones; "NAME" or "PREFIX_*"
	Network   Network  `json:"network" keys:"allow deny" expand:"yes" join:"yes"`

	TrustedRepositories []string `json:"trustedRepositories" expand:"yes" join:"yes" project:"widen what commands reach"` // whose own configuration git obeys in confined commands
}

// Network is rules of hosts: in a file {"allow": [...], "deny": [...]}, or true for all hosts.
type Network struct{ network.Rules }

// UnmarshalJSON reads it; false is no rules.
func (n *Network) UnmarshalJSON(b []byte) (err error) {
	var all bool
	var ports []int
	var lists struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
	}
	switch {
	case json.Unmarshal(b, &all) == nil:
		if all {
			lists.Allow = []string{"*"}
		}
	case json.Unmarshal(b, &ports) == nil:
		for _, p := range ports {
			lists.Allow = append(lists.Allow, fmt.Sprintf(`"*:%d"`, p))
		}
		return fmt.Errorf(`it is a list of ports: for these of every host write {"allow": [%s]}, or name the hosts`, strings.Join(lists.Allow, ", "))
	default:
		if err := json.Unmarshal(b, &lists); err != nil {
			return err
		}
	}
	n.Rules, err = network.ParseRules(lists.Allow, lists.Deny)
	return err
}

// Shell is how bash is run.
type Shell struct {
	BackgroundLimit float64 `json:"backgroundLimit"` // seconds that a command may go on after its time limit; 0: an hour
	PromptCommand   bool    `json:"promptCommand"`   // PROMPT_COMMAND is run after each command
}

// WebFetch is what web_fetch may do.
type WebFetch struct {
	Allow    []string `json:"allow"`    // hosts, host:port, addresses and ranges that may be reached although they are private
	Timeout  float64  `json:"timeout"`  // seconds; 0: the default
	MaxBytes int64    `json:"maxBytes"` // 0: the default
}

// WebSearch is whom web_search asks: it gets what is searched for, and a key.
type WebSearch struct {
	Provider string `json:"provider"` // one of web.Providers
	URL      string `json:"url"`
	KeyVar   string `json:"keyVar"` // the environment variable that holds the key; "": the provider's
}

// Snapshots bounds the snapshots of the workspace that undo --turn goes back to: in a file
// an object, or false for none.
type Snapshots struct {
	Off   bool    `json:"-"`
	Files int     `json:"files"` // in a workspace of more none are taken; 0: the default
	Bytes int64   `json:"bytes"` // nor in one of more bytes; 0: the default
	Days  float64 `json:"days"`  // older ones are dropped; 0: the default
}

// UnmarshalJSON reads true and false.
func (s *Snapshots) UnmarshalJSON(b []byte) error {
	var on bool
	err := json.Unmarshal(b, &on)
	s.Off = err == nil && !on
	return err
}

// Targets are the other machines and containers where commands can run.
type Targets struct {
	Target string            `json:"target"`     // where they run; "" is here
	Names  map[string]string `json:"targets"`    // ssh:HOST and the like, by name
	Keep   float64           `json:"targetKeep"` // seconds that a session there goes on without a connection; 0: the default
}

// Terminal is how the chat looks and behaves on a terminal.
type Terminal struct {
	StatusLine CommandLine       `json:"statusLine"` // prints the status line; "" is the program's own
	Notify     string            `json:"notify"`     // when the person is told that a turn has ended: unfocused, always, never; "" is unfocused
	Theme      string            `json:"theme"`      // "" is the default
	Vim        bool              `json:"vim"`        // the line editor starts with vim's keys
	Keys       map[string]string `json:"keys"`       // what keys do: "ctrl-s": "submit"
}

// CommandLine is one for bash: in a file a text, or an object as other programs write it.
type CommandLine string

// UnmarshalJSON reads it.
func (c *CommandLine) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*string)(c)) == nil {
		return nil
	}
	var o struct{ Type, Command string }
	if err := json.Unmarshal(b, &o); err != nil || o.Command == "" || o.Type != "" && o.Type != "command" {
		return errors.New(`write a command line, or {"type": "command", "command": "..."}`)
	}
	*c = CommandLine(o.Command)
	return nil
}
