package router

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// TestOccurs compares the fast search with the plain way to say it.
func TestOccurs(t *testing.T) {
	rows := []struct {
		text string
		want bool
	}{
		{"read", true}, {"read x", true}, {" read", true}, {"x;read", true}, {"x|read", true}, {"(read)", true}, {"x\nread y", true}, {"`read`", true}, {"&&read", true},
		{"xread", false}, {"reads", false}, {"read-only", false}, {"read.go", false}, {"/read", false}, {"./read x", false}, {`\read x`, false}, {"'read' x", true}, {"bash -c \"read x", true}, {"--read", false}, {"$read", false}, {"=read", false}, {"rea", false}, {"", false}, {"r", false},
		{"field:", true}, {"field:a:b", true}, {"x | field:a:b", true}, {"agent:", true}, {"agent:x", true}, {"xagent:x", false}, {"fields", false}, {"agents", false},
		{"edit", true}, {"echo edit", true}, {"edited", false}, {"ed", false}, {"é read", true}, {"日read", false}, {"read日", false}, {"field:a:工具 x", true}, {"glob", true}, {"xx glob", true}, {"xxx glob", true}, {"xxxx glob", true},
	}
	r := newTest(t)
	for _, row := range rows {
		require.Equal(t, row.want, r.names.Load().occurs(row.text), "%q", row.text)
		for pad := range 9 {
			require.Equal(t, row.want, r.names.Load().occurs(strings.Repeat("x", pad)+" "+row.text), "%q after %d bytes", row.text, pad)
		}
	}
}

// TestShortNames: a tool may have a name of any length.
func TestShortNames(t *testing.T) {
	for _, name := range []string{"q", "qq", "qqq", "a-very-long-name-of-a-tool"} {
		reg := registry.New()
		require.NoError(t, reg.Register(says(name, "here\n", "")))
		r, err := New(reg, &Options{Dir: t.TempDir()})
		require.NoError(t, err)
		defer r.Close()
		require.Equal(t, "here\n", run(t, r, name).Stdout)
		require.Equal(t, "here\n", run(t, r, "true && "+name+" | cat").Stdout)
		require.Empty(t, r.Plan("echo x"+name+"x | cat").Calls)
	}
}

// TestNamesOfBuiltins: what the registry takes can be called, also where bash has a
// builtin of that name.
func TestNamesOfBuiltins(t *testing.T) {
	out, err := exec.Command("bash", "-c", "compgen -b").Output()
	require.NoError(t, err)
	r := newTest(t)
	for _, name := range append(strings.Fields(string(out)), "a.b", "ns:x", "a+b", "2x", "größe") {
		if r.Registry().Register(text(name, stringParam("v", false))) != nil {
			continue // also read and write, which have rules of their own
		}
		for _, form := range []string{"%s v1", "%s v1 | cat", "(%s v1)", "agent:%s v1 | cat"} {
			command := fmt.Sprintf(form, name)
			require.Equal(t, "v=v1\n", run(t, r, command).Stdout, command)
		}
	}
}
