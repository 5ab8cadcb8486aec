package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/modelserver"
)

// harborTrial runs the adapter as Harbor runs an agent, with this machine as the container.
const harborTrial = `
import asyncio, os, shutil, subprocess, sys, types
base = types.ModuleType("harbor.agents.base")
class BaseAgent:
    def __init__(self, logs_dir, model_name):
        self.logs_dir, self.model_name = logs_dir, model_name
base.BaseAgent = BaseAgent
sys.modules.update({"harbor": types.ModuleType("harbor"), "harbor.agents": types.ModuleType("harbor.agents"), "harbor.agents.base": base})
import agentbash_harbor
agentbash_harbor.PROGRAM = os.path.abspath("installed")
class Environment:
    async def upload_file(self, source_path, target_path):
        shutil.copy(source_path, target_path)
    async def exec(self, command, env=None):
        p = subprocess.run(["bash", "-c", command], env={**os.environ, **(env or {})}, capture_output=True, text=True)
        return types.SimpleNamespace(stdout=p.stdout, stderr=p.stderr, return_code=p.returncode)
async def main():
    agent, environment, context = agentbash_harbor.Agentbash("logs", "openai/gpt-5"), Environment(), types.SimpleNamespace()
    await agent.setup(environment)
    await agent.run("make 'it'", environment, context)
    print(context.n_input_tokens, context.n_output_tokens, context.cost_usd > 0)
asyncio.run(main())
`

func TestHarborAdapter(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	server, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: calls("touch made"), Expect: expect("make 'it'"), Usage: &modelserver.Usage{PromptTokens: 100, CompletionTokens: 7}},
		{Text: "Done.", Usage: &modelserver.Usage{PromptTokens: 120, CompletionTokens: 2}}}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	contrib, err := filepath.Abs("../../contrib/harbor")
	require.NoError(t, err)
	cmd := program(t, []string{"OPENAI_BASE_URL=" + server.BaseURL, "OPENAI_API_KEY=k", "AGENTBASH=" + os.Args[0], "PYTHONPATH=" + contrib, "PYTHONDONTWRITEBYTECODE=1"})
	require.NoError(t, os.Mkdir(filepath.Join(cmd.Dir, "logs"), 0o700))
	cmd.Path, err = exec.LookPath("python3")
	require.NoError(t, err)
	cmd.Args = []string{"python3", "-c", harborTrial}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "220 9 True\n", string(out))
	require.FileExists(t, filepath.Join(cmd.Dir, "made"))
	text, err := os.ReadFile("../../testdata/atif-v1.4.schema.json")
	require.NoError(t, err)
	schema, err := fieldbash.NewAnswerSchema(text)
	require.NoError(t, err)
	trajectory, err := os.ReadFile(filepath.Join(cmd.Dir, "logs", "trajectory.json"))
	require.NoError(t, err)
	require.Empty(t, schema.Check(trajectory))
	require.Contains(t, string(trajectory), "touch made")
}
