package chat

import "cmp"

// Settings are the words in which errors of a conversation name what a person may
// change, such as "--model". An empty one means the name of the field of [Options],
// such as "Options.Model".
type Settings struct {
	Model, BaseURL, APIKey, Prices, MaxTurns, MaxCost, MaxTime string

	// Permission is what allows a command that the [Runner] denied; "" is "a rule".
	Permission string

	// ReadFile is the command by which the model sees a file, whose name follows
	// it; "" is "cat".
	ReadFile string
}

func (s Settings) orDefaults() Settings {
	return Settings{
		Model: cmp.Or(s.Model, "Options.Model"), BaseURL: cmp.Or(s.BaseURL, "Options.BaseURL"), APIKey: cmp.Or(s.APIKey, "Options.APIKey"),
		Prices: cmp.Or(s.Prices, "Options.Prices"), MaxTurns: cmp.Or(s.MaxTurns, "Options.MaxTurns"), MaxCost: cmp.Or(s.MaxCost, "Options.MaxCost"),
		MaxTime: cmp.Or(s.MaxTime, "Options.MaxTime"), Permission: cmp.Or(s.Permission, "a rule"), ReadFile: cmp.Or(s.ReadFile, "cat"),
	}
}
