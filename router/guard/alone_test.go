package guard

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// ownTool is a tool of an embedder's.
func ownTool(name string, kind registry.Kind, params ...registry.Param) *registry.Tool {
	return &registry.Tool{Name: name, Summary: "Does it", Kind: kind, Params: registry.NewParams(params...),
		Run: func(context.Context, *registry.Call) (registry.ToolResult, error) {
			return registry.Success("ran\n"), nil
		}}
}

// TestAModeIsEnough: a guard that was told nothing but its mode knows an
// embedder's tools by what they say of themselves, and the workspace by where
// the work began.
func TestAModeIsEnough(t *testing.T) {
	text := func(name string, role registry.Role) registry.Param {
		return registry.Param{Name: name, Type: registry.String, Required: true, Role: role}
	}
	tools := []*registry.Tool{
		ownTool("greet", registry.ReadOnly, text("name", "")),
		ownTool("drop_table", registry.Write, text("table", "")),
		ownTool("render", registry.Write, text("file", registry.WritesFile), registry.Param{Name: "log", Type: registry.String, Role: registry.WritesFile}),
		ownTool("show", registry.ReadOnly, text("cert", registry.ReadsFile)),
		ownTool("strange", "", text("what", "")),
	}
	for _, row := range []struct {
		mode    policy.Mode
		command string
		status  int
	}{
		{policy.PlanMode, "greet Ada", 0}, {policy.PlanMode, "greet Ada | cat", 0}, {policy.AskMode, "greet Ada", 0}, {policy.AutoMode, "greet Ada", 0},
		{policy.PlanMode, "drop_table users", 126}, {policy.AutoMode, "drop_table users", 126}, {policy.AutoMode, "drop_table --table users", 126},
		{policy.AutoMode, "true; drop_table --table=users", 126}, {policy.FullMode, "drop_table users", 0},
		{policy.AutoMode, "render --file a.html", 0}, {policy.AutoMode, "render --file a.html --log b.log | cat", 0}, {policy.AskMode, "render --file a.html", 126},
		{policy.AutoMode, "render --file a.html --log /etc/cron.d/x", 126}, {policy.AutoMode, "render a.html --log ../x", 126},
		{policy.AutoMode, "cd ..; render --file x", 126}, {policy.PlanMode, "show a.pem", 0},
		{policy.AutoMode, "strange thing", 126}, {policy.PlanMode, "strange thing", 126}, {policy.AutoMode, "greet Ada extra", 2},
	} {
		reg := registry.New()
		require.NoError(t, reg.Register(tools...))
		dir := filepath.Join(t.TempDir(), "work")
		require.NoError(t, os.Mkdir(dir, 0o700))
		r, err := router.New(reg, &router.Options{Dir: dir, Guard: New(&Options{Mode: row.mode})})
		require.NoError(t, err)
		res := r.Run(context.Background(), row.command, nil)
		require.Equal(t, row.status, res.ExitCode, "mode %s: %s\n%s", row.mode, row.command, res.Output)
		require.NoError(t, r.Close())
	}
}
