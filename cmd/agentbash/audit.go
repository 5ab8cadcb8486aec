package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/audit"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
)

// Who sends commands.
const (
	whoPerson = "person"
	whoModel  = "model"
)

func auditDir(dirs config.Dirs) string { return filepath.Join(dirs.State, "audit") }

// newRecorder writes the record of a session's commands; close it with its log.
// session tells the ID once there is one; nil, and as long as it is "", the
// record has one of its own.
func (a *app) newRecorder(dirs config.Dirs, who string, keys []string, session func() string) *audit.Recorder {
	own := make([]byte, 6)
	rand.Read(own) // never fails
	id := hex.EncodeToString(own)
	return &audit.Recorder{
		Log: audit.Open(auditDir(dirs)), Who: who, Secrets: audit.NewSecrets(keys, a.environ),
		Session: func() string {
			if session != nil {
				if s := session(); s != "" {
					return s
				}
			}
			return id
		},
		Lost: func(err error) {
			fmt.Fprintf(a.err, "agentbash: the audit log has not all of the last command: %v\n", err)
		},
	}
}
