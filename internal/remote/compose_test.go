package remote_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nearTools is a configuration with a function and a server of this side.
func nearTools(t *testing.T, more string) string {
	argv, err := json.Marshal(program)
	require.NoError(t, err)
	return `{"functions": {"local": [{"name": "upper", "description": "Upper case.", "parameters": {"type": "object",
		"properties": {"text": {"type": "string"}, "n": {"type": "integer"}}, "required": ["text"]},
		"exec": {"argv": ["sh", "-c", "jq -r .text | tr a-z A-Z; echo home=$HOME"]}}]},
		"mcpServers": {"box": {"command": ` + string(argv) + `, "args": ["mcp", "--mode", "full"]}}` + more + `}`
}

func TestNearToolsThere(t *testing.T) {
	n := newNear(t, nearTools(t, ""))
	home := startSSHD(t, n)
	d := n.drive("--on", "ssh:box", "exec", "--jsonl")
	for command, want := range map[string]string{
		"field:local:upper --text hi": "HI\nhome=" + n.home + "\n",
		"cd; printf there > f; cat f | field:local:upper --text@=- | sed s/^there/ho/I; cd": "ho\nhome=" + n.home + "\n",
		"for i in 1 2; do field:local:upper --text a$i | head -n 1; done":                   "A1\nA2\n",
		"x=$(field:local:upper --text sub | head -n 1); echo \"[$x] $HOME\"":                "[SUB] " + home + "\n",
		"field:box:bash --command 'echo $HOME'":                                             n.home + "\n",
		"field:box:bash --command 'echo $HOME' | tr / +":                                    strings.ReplaceAll(n.home, "/", "+") + "\n",
	} {
		r := d.ask(command)
		require.Equal(t, want, r.Stdout, "%s: %s", command, r.Output)
		require.Equal(t, 0, r.ExitCode, command)
	}
	require.NoError(t, os.WriteFile(home+"/value", []byte("from there"), 0o600))
	require.Contains(t, d.ask("field:local:upper --text@=value").Stdout, "FROM THERE\n", "a file is one of the far side")
	r := d.ask("field:local:upper --txt hi")
	require.Equal(t, 2, r.ExitCode)
	require.Contains(t, r.Output, "text")
	require.Contains(t, d.ask("field:").Stdout, "field:local")
	require.Contains(t, d.ask("field:local --help").Stdout, "upper")
	require.Contains(t, d.ask("field:local:upper --help").Stdout, "Upper case.")
	require.Contains(t, d.ask("field:local:nope").Output, "nope")
	require.NotEqual(t, 0, d.ask("field:local:nope").ExitCode)
	require.Contains(t, d.ask("field:local:upper --text hi | field:local:upper --text ho | wc -l").Stdout, "2")
}

// TestSameResultsThere compares results of tools of this side as they are called here and there.
func TestSameResultsThere(t *testing.T) {
	n := newNear(t, `{"functions": {"local": [{"name": "echo", "parameters": {"type": "object", "properties": {"s": {"type": "string"}, "b": {"type": "boolean"}, "o": {"type": "object"}}}, "exec": {"argv": ["cat"]}}]}}`)
	here, there := n.drive("exec", "--jsonl"), n.drive("--on", "exec:env", "exec", "--jsonl", "--dir", n.home)
	for _, command := range []string{
		"field:local:echo --s x --b yes", "field:local:echo --b yes --s x", `field:local:echo --o '{"z": 1, "a": [1.50, {"y": 0, "b": 1}]}' --s x`,
		"field:local:echo --o.z 1 --o.a 2", `field:local:echo --json '{"s": "x", "o": {"z": 1, "a": 2}}'`, `echo '{"o": {"z": 1e3, "a": 2}}' | field:local:echo`,
		"field:local:echo --nope x", "field:local:nope", "field:nope:nope", "field:local nope",
		"web_fetch --url ftp://x", "web_fetch", "skill --name nosuch", "skill --name nosuch | cat", "x=$(skill --name nosuch 2>&1); echo \"[$x] $?\"",
	} {
		require.Equal(t, here.ask(command), there.ask(command), command)
	}
}

// TestNearToolsAreJudgedHere has the far side call tools that this side's mode does not allow.
func TestNearToolsAreJudgedHere(t *testing.T) {
	n := newNear(t, nearTools(t, ""))
	startSSHD(t, n)
	d := n.drive("--on", "ssh:box", "exec", "--jsonl", "--mode", "ask")
	r := d.ask("field:box:bash --command 'touch x'")
	require.Equal(t, 126, r.ExitCode, r.Output)
	require.Contains(t, r.Output, "nobody can be asked here")
	r = d.ask("echo x | field:box:bash --command 'touch x'; echo $?")
	require.Contains(t, r.Output, "nobody can be asked here")
	require.Contains(t, r.Stdout, "126")
	require.NoFileExists(t, n.home+"/x")
}

// TestOnCommand is the command on: several targets, in pipes, each with a shell of its own.
func TestOnCommand(t *testing.T) {
	far := [2]string{t.TempDir(), t.TempDir()}
	n := newNear(t, `{"targets": {"web1": "exec:env HOME=`+far[0]+`", "web2": "exec:env HOME=`+far[1]+`"}}`)
	for _, args := range [][]string{{"exec", "--jsonl"}, {"--on", "web1", "exec", "--jsonl"}} {
		d := n.drive(args...)
		for _, c := range []struct{ command, want string }{
			{"for h in web1 web2; do on $h 'echo $HOME'; done", far[0] + "\n" + far[1] + "\n"},
			{"on web2 'x=5; cd /usr'; on web2 'echo $x $PWD'", "5 /usr\n"},
			{"echo hi | on web2 'read line; echo got $line; tr a-z A-Z'; on web2 'echo $line'", "got hi\nhi\n"},
			{"seq 100000 | on web2 'cat' | on web2 'wc -l'", "100000\n"},
			{"on web2 'exit 3'; echo $?", "3\n"},
			{"on web2 yes | head -n 1; echo ${PIPESTATUS[0]}", "y\n141\n"},
			{"on web2 'echo out; echo err >&2' 2>/dev/null", "out\n"},
			{"on web2 'read --file_path /etc/hostname' | wc -l", "1\n"},
			{"head -c 300000 /dev/zero | on web2 'md5sum' | cut -c 1-8", "\n"},
		} {
			r := d.ask(c.command)
			if strings.Contains(c.command, "md5sum") {
				c.want = d.ask("head -c 300000 /dev/zero | md5sum | cut -c 1-8").Stdout
			}
			require.Equal(t, c.want, r.Stdout, "%s: %s", c.command, r.Output)
		}
		require.Contains(t, d.ask("on --help").Stdout, "Targets: web1, web2")
		r := d.ask("on web3 uptime")
		require.NotEqual(t, 0, r.ExitCode)
		require.Contains(t, r.Output, "web1, web2")
		require.NoError(t, d.in.Close())
		require.NoError(t, d.cmd.Wait())
		requireNoSession(t, far[0])
		requireNoSession(t, far[1])
	}
}

func TestModesThere(t *testing.T) {
	n := newNear(t, `{"rules": ["allow touch allowed", "deny touch denied"]}`)
	home := startSSHD(t, n)
	require.NoError(t, os.MkdirAll(home+"/project/.git", 0o755))
	d := n.drive("--on", "ssh:box"+home+"/project", "exec", "--jsonl", "--mode", "ask")
	require.Equal(t, 126, d.ask("touch other").ExitCode, "nobody can be asked")
	require.Equal(t, 0, d.ask("touch allowed").ExitCode)
	require.Equal(t, 126, d.ask("touch denied").ExitCode)
	require.Equal(t, 0, d.ask("ls").ExitCode)
	d = n.drive("--on", "ssh:box"+home+"/project", "exec", "--jsonl", "--mode", "auto")
	r := d.ask("touch other; echo $?")
	require.Equal(t, "0\n", r.Stdout, r.Output)
	require.Equal(t, "workspace", r.Profile)
}
