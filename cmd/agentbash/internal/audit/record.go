package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Version is that of the records.
const Version = 1

// The types of records.
const (
	TypeIntent  = "intent"  // an action is about to run, or was denied
	TypeOutcome = "outcome" // it has ended
	TypeTorn    = "torn"    // the line before is a piece of one: its writer was stopped
	TypeGap     = "gap"     // actions have no record: there was no room for it
)

// Record is one line of the log. Its JSON form is an interface that other
// programs build on.
type Record struct {
	V    int    `json:"v"`
	Seq  int64  `json:"seq"`  // 1, 2, 3, ... over all files
	Time string `json:"time"` // RFC 3339, UTC
	Back bool   `json:"clock_went_back,omitempty"`
	Type string `json:"type"`

	Session string `json:"session"`
	PID     int    `json:"pid"`

	// Of an intent.
	Who      string   `json:"who,omitempty"` // person, model or call (from inside bash)
	Dir      string   `json:"dir,omitempty"`
	Target   string   `json:"target,omitempty"`         // the other machine on which it runs; absent for this one
	Command  string   `json:"command,omitempty"`        // secrets left out
	Whole    string   `json:"command_sha256,omitempty"` // of a command that is not here as a whole
	Tool     string   `json:"tool,omitempty"`           // that is called; absent for bash text
	Host     string   `json:"host,omitempty"`           // "host:port" that the command wants to connect to while it runs
	Profile  string   `json:"profile,omitempty"`        // that holds what runs: read, workspace or free
	Decision string   `json:"decision,omitempty"`       // allow, or a denial's: deny, ask, no, limit
	Approved string   `json:"approved,omitempty"`       // who said yes: person, sender, line; absent: nobody had to
	Mode     string   `json:"mode,omitempty"`
	Effects  []string `json:"effects,omitempty"`
	Danger   string   `json:"danger,omitempty"`
	Reasons  []string `json:"reasons,omitempty"`
	Rule     string   `json:"rule,omitempty"`

	// Of an outcome.
	Of         int64  `json:"of,omitempty"` // the intent's seq
	ExitCode   *int   `json:"exit_code,omitempty"`
	Canceled   bool   `json:"canceled,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	Result     string `json:"result_sha256,omitempty"` // of stdout and then stderr; absent where they went past us

	Lost int64 `json:"lost,omitempty"` // of a gap: how many actions

	Prev string `json:"prev"` // hash of the line before; zeros for the first
	Hash string `json:"hash,omitempty"`
}

// first is the Prev of the first record.
var first = strings.Repeat("0", 2*sha256.Size)

const hashStart = `,"hash":"`

// hashLen is the length of what follows a line's hashed bytes: the member and }.
const hashLen = len(hashStart) + 2*sha256.Size + len(`"}`)

// line encodes a record, sets its Hash and returns the line without its end.
func (r *Record) line() ([]byte, error) {
	r.Hash = ""
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	body := bytes.TrimSuffix(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("}"))
	r.Hash = hashHex(body)
	return append(body, hashStart+r.Hash+`"}`...), nil
}

// parseRecord decodes a line and reports whether its hash is that of its bytes.
func parseRecord(line []byte) (r Record, whole bool, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return r, false, err
	}
	return r, len(line) > hashLen && string(line[len(line)-hashLen:]) == hashStart+hashHex(line[:len(line)-hashLen])+`"}`, nil
}

func hashHex(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
