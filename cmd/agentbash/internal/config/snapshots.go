package config

import (
	"encoding/json"
	"errors"
)

const snapshotKeys = "files bytes days"

// Snapshots bounds the snapshots of the workspace that undo --turn goes back to: in a file
// an object, or false for none. Only the user's own files say it.
type Snapshots struct {
	Off   bool
	Files int     // in a workspace of more none are taken; 0: the default
	Bytes int64   // nor in one of more bytes; 0: the default
	Days  float64 // older ones are dropped; 0: the default
}

// UnmarshalJSON reads it.
func (s *Snapshots) UnmarshalJSON(b []byte) error {
	var on bool
	if json.Unmarshal(b, &on) == nil {
		*s = Snapshots{Off: !on}
		return nil
	}
	var o struct {
		Files int     `json:"files"`
		Bytes int64   `json:"bytes"`
		Days  float64 `json:"days"`
	}
	err := json.Unmarshal(b, &o)
	if err == nil && (o.Files < 0 || o.Bytes < 0 || o.Days < 0) {
		err = errors.New("a limit is below 0: leave it out for its default, or write false for no snapshots")
	}
	*s = Snapshots{Files: o.Files, Bytes: o.Bytes, Days: o.Days}
	return err
}
