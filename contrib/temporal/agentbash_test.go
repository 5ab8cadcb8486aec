package temporal

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
)

// TestABatchWithTheRealProgram runs the workflow in Temporal's test environment: a model's
// server that fails is tried again in the same session, what makes no sense is not.
func TestABatchWithTheRealProgram(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir+"/", "./cmd/agentbash", "./internal/modelserver/cmd/modelserver")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	script := filepath.Join(dir, "script.json")
	require.NoError(t, os.WriteFile(script, []byte(`{"replies": [
		{"tool_calls": [{"command": "echo ran >> ran"}]}, {"status": 400, "error": "no"},
		{"expect": {"contains": ["Go on with what was interrupted."]}, "text": "Done."}]}`), 0o600))
	server := exec.Command(filepath.Join(dir, "modelserver"), "-script", script)
	address, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	line := make([]byte, 200)
	n, err := address.Read(line)
	require.NoError(t, err)

	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterActivity(&Activities{Program: filepath.Join(dir, "agentbash"), Env: append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir,
		"OPENAI_BASE_URL="+string(line[:n-1]), "OPENAI_API_KEY=k", "AGENTBASH_MODEL=m")})
	env.ExecuteWorkflow(Batch, []Task{{Key: "good", Prompt: "Do it.", Dir: dir, Words: []string{"--mode", "full"}}, {Key: "bad", Prompt: "x", Words: []string{"--no-such-flag"}}})
	require.NoError(t, env.GetWorkflowError())
	var outcomes []Outcome
	require.NoError(t, env.GetWorkflowResult(&outcomes))
	require.Equal(t, "Done.", outcomes[0].Result.Answer)
	require.Equal(t, 2, outcomes[0].Result.Requests)
	require.Contains(t, outcomes[1].Error, "no-such-flag")
	ran, err := os.ReadFile(filepath.Join(dir, "ran"))
	require.NoError(t, err)
	require.Equal(t, "ran\n", string(ran))

	activities := suite.NewTestActivityEnvironment()
	a := &Activities{Program: filepath.Join(dir, "agentbash")}
	activities.RegisterActivity(a)
	_, err = activities.ExecuteActivity(a.Run, Task{Key: "bad", Words: []string{"--no-such-flag"}})
	var failed *sdk.ApplicationError
	require.ErrorAs(t, err, &failed)
	require.True(t, failed.NonRetryable())
	require.Equal(t, "Status2", failed.Type())
}
