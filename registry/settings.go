package registry

import "cmp"

// Settings are the words in which messages tell a person what to change in the
// program that runs the tools: a flag, say, or a key of its configuration. An
// empty one names the option of this module, or leaves the words out.
type Settings struct {
	Workspace    string // adds a directory to the workspace
	Secrets      string // changes the list of secrets
	WebAllow     string // lets web_fetch reach an address, for which ADDRESS stands
	WebSearch    string // says which service web_search asks
	Rules        string // where rules stand
	Hosts        string // allows connections to a host, for which HOST stands
	AddServers   string // adds servers and functions
	TurnLimit    string // what the limits of a turn are called; ".calls" follows it, say
	SessionLimit string // what the limits of a whole session are called
}

// WithDefaults returns the settings with words for those that have none but need
// some.
func (s Settings) WithDefaults() Settings {
	s.Workspace = cmp.Or(s.Workspace, "add the directory to confinement.WorkspaceOptions.Write")
	s.Secrets = cmp.Or(s.Secrets, "change confinement.WorkspaceOptions.Secrets")
	s.WebAllow = cmp.Or(s.WebAllow, "ADDRESS in web.Options.Allow")
	s.WebSearch = cmp.Or(s.WebSearch, "set web.Options.Search")
	return s
}
