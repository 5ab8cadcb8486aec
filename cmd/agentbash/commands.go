package main

import (
	"embed"
	"io/fs"
	"path/filepath"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
)

//go:embed commands
var builtInPrompts embed.FS

// commandDirs are where slash commands are that are prompts, the first of a name first: ours and
// those of other programs, the user's before the project's, and what is built in.
func commandDirs(dirs config.Dirs, root string) []term.CommandDir {
	own := []term.CommandDir{{Path: filepath.Join(dirs.Config, "commands")}}
	trust := commandTrust{dir: filepath.Join(dirs.State, "commands")}
	project := []term.CommandDir{{Path: filepath.Join(root, ".agentbash", "commands"), Trust: trust}}
	for _, other := range []string{".claude", ".agents"} {
		if dirs.Home != "" {
			own = append(own, term.CommandDir{Path: filepath.Join(dirs.Home, other, "commands")})
		}
		if root != dirs.Home {
			project = append(project, term.CommandDir{Path: filepath.Join(root, other, "commands"), Trust: trust})
		}
	}
	files, err := fs.Sub(builtInPrompts, "commands")
	if err != nil {
		panic(err) // its name is valid
	}
	return append(append(own, project...), term.CommandDir{Path: "built in", Files: files})
}
