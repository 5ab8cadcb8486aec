package audit

import (
	"strings"

	"github.com/agentbash/agentbash/internal/secrettext"
)

// NewSecrets takes secrets that must not get into the log, and the values of those
// variables of an environment whose names say that they are secret.
func NewSecrets(known, environ []string) *secrettext.Hider {
	for _, e := range environ {
		if name, value, ok := strings.Cut(e, "="); ok && secrettext.Name(name) {
			known = append(known[:len(known):len(known)], value)
		}
	}
	return secrettext.New(known...)
}
