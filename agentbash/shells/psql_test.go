package shells

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPsql types into psql, at a server of its own.
func TestPsql(t *testing.T) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		t.Skip("SKIPPED: there is no PostgreSQL server: apt-get install postgresql")
	}
	dir, err := os.MkdirTemp("", "psql") // another user is to get to it
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	server := func(name string, args ...string) {
		cmd := exec.Command(filepath.Join(found[0], name), append([]string{"-D", filepath.Join(dir, "data")}, args...)...)
		cmd.Dir = dir
		if os.Geteuid() == 0 { // it does not run as root
			u, err := user.Lookup("postgres")
			require.NoError(t, err)
			uid, err := strconv.Atoi(u.Uid)
			require.NoError(t, err)
			require.NoError(t, os.Chown(dir, uid, -1))
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	server("initdb", "-A", "trust", "-U", "me")
	server("pg_ctl", "-w", "-t", "600", "-l", filepath.Join(dir, "log"), "-o", "-c listen_addresses='' -k "+dir, "start")
	defer server("pg_ctl", "-m", "immediate", "stop")

	b := newBench(t, nil)
	b.env = append(b.env, "HOME="+t.TempDir(), "PAGER=cat", "INPUTRC=/dev/null")
	id := b.onTerminal("psql -X -h "+dir+" -U me postgres", `^postgres=# $`)
	b.input("select 6*7 as n;\n n\n----\n 42\n(1 row)\n\npostgres=# ", id, "select 6*7 as n;", "--wait", `^postgres=# $`, long)
	b.input("\\q\n", id, `\q`, "--wait", "exit", long)
}
