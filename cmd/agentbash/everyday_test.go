//go:build linux

package main

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// everydayFiles are a workspace in which a few languages live.
var everydayFiles = map[string]string{
	"go.mod":           "module x\n\ngo 1.24\n",
	"add.go":           "package main\n\nfunc add(a, b int) int { return a + b }\n\nfunc main() { println(add(1, 2)) }\n",
	"add_test.go":      "package main\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
	"c/a.c":            "#include <stdio.h>\nint main(void) { puts(\"c\"); return 0; }\n",
	"Makefile":         "all: prog\nprog: c/a.c\n\t$(CC) -o prog c/a.c\nclean:\n\trm -f prog\n",
	"x.py":             "print('py')\n",
	"test_x.py":        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertTrue(True)\n",
	"package.json":     `{"name": "x", "version": "1.0.0", "scripts": {"test": "node t.js", "build": "node -e 'require(\"fs\").mkdirSync(\"dist\", {recursive: true})'"}}`,
	"t.js":             "require('assert').equal(1 + 1, 2); console.log('js')\n",
	"build.sh":         "#!/bin/sh\nmkdir -p build && date > build/stamp\n",
	"run":              "#!/bin/sh\necho ran\n",
	"src/a.pyc":        "",
	"docs/readme.md":   "hello\n",
	"data/numbers.txt": "3\n1\n2\n",
}

// everydayLines are run in mode auto, in this order, by nobody's leave. Each ends with 0.
var everydayLines = strings.Split(`git init -q -b main .
export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e@x GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e@x
git add -A && git commit -qm first
go build ./...
go vet ./...
go test ./...
go test -run TestAdd -count=1 -v ./...
go run .
gofmt -l .
go mod tidy
make
./prog
make clean
cc -o a.out c/a.c && ./a.out
python3 x.py
python3 -m unittest -q
python3 -c 'import tempfile, os; f = tempfile.NamedTemporaryFile(delete=False); f.write(b"x"); print(f.name)'
node t.js
npm test
npm run build
npm ls
sh build.sh
chmod +x run && ./run
bash -c 'set -e; ./run | tr a-z A-Z'
git status --short
git checkout -q -b topic
sed -i 's/hello/hello there/' docs/readme.md && git diff --stat
git commit -qam 'say more'
git switch -q main
git merge -q topic
git checkout -q -b other HEAD~1 && echo more > more.txt && git add more.txt && git commit -qm more
git rebase -q main
git stash -q; git stash list
echo change >> more.txt && git stash -q && git stash pop -q
git add more.txt && git restore --staged more.txt
git branch -D topic
git tag v1 && git log --oneline --decorate | head -3
git worktree list
rm -rf build dist
find . -name '*.pyc' -delete
mkdir -p a/b && cp -r docs a/b && mv a/b/docs a/docs2 && rmdir a/b
sort -n data/numbers.txt -o data/sorted.txt && cat data/sorted.txt
tar czf docs.tgz docs && tar tzf docs.tgz
printf 'a\nb\n' | tee two.txt | wc -l
python3 -m venv --without-pip venv && venv/bin/python -c 'print(1)'
(sleep 0.05; echo later > later.txt) & wait; cat later.txt
python3 -m http.server 18999 --bind 127.0.0.1 >/dev/null 2>&1 & for i in $(seq 50); do curl -sf http://127.0.0.1:18999/x.py && break; sleep 0.1; done; kill %1
mktemp -d && ls /tmp && df . >/dev/null && ps aux >/dev/null && id -u
x=5; f() { echo "f $x"; }; cd docs; f; cd ..
TMP=$(mktemp) && echo hi > "$TMP" && cat "$TMP" && rm "$TMP"`, "\n")

// TestEverydayWork: in mode auto builds, tests, scripts and local git just run.
func TestEverydayWork(t *testing.T) {
	p := newConfinedSetup(t)
	ws := p.home + "/project"
	for name, text := range everydayFiles {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(ws, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(ws, name), []byte(text), 0o644))
	}
	p.ws = ws
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	p.environ = []string{"GOCACHE=" + strings.TrimSpace(string(cache)), "GOFLAGS=-buildvcs=false"} // warm, and it stays as it is
	r := p.newBash(policy.AutoMode).Router()
	outside := func() map[string]string {
		all := p.outside(policy.PlanMode)
		maps.DeleteFunc(all, func(path, _ string) bool { return strings.HasPrefix(path, ws+"/") })
		return all
	}
	before := outside()
	for _, line := range everydayLines {
		if name, _, _ := strings.Cut(line, " "); name == "go" || name == "node" || name == "npm" {
			if _, err := exec.LookPath(name); err != nil {
				t.Errorf("SKIPPED: there is no %s: %s", name, line)
				continue
			}
		}
		res := r.Run(context.Background(), line, &router.RunOptions{Timeout: waitLimit})
		require.Zero(t, res.ExitCode, "%s\n%s", line, res.Output)
		require.Equal(t, router.WorkspaceProfile, res.Profile, line)
	}
	require.Equal(t, before, outside())
}

// TestWrongReads: what was judged to read and writes fails with nothing changed, and
// is asked about or denied as what it was.
func TestWrongReads(t *testing.T) {
	p := newConfinedSetup(t)
	require.NoError(t, os.WriteFile(p.home+"/hidden", []byte("import os; open('made', 'w')\n"), 0o644))
	b := p.newBash(policy.AskMode)
	// A reading that the verdict cannot see through: a function of an environment file.
	r, err := router.New(b.Registry(), &router.Options{Dir: p.ws, Confiner: b.Confinement(), Guard: misjudging{b.Guard()}})
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	res := r.Run(context.Background(), "touch made; echo $?", nil)
	require.NoFileExists(t, p.ws+"/made")
	require.Contains(t, res.Stderr, "Read-only file system")
	require.Contains(t, res.Stderr, "it was judged to read only, and the kernel refused it a write")
	require.Equal(t, &router.Refusal{By: "kernel", Profile: router.ReadProfile}, res.Refusal)
}

// misjudging is a guard that takes everything for a reading.
type misjudging struct{ *guard.Guard }

func (misjudging) Begin(context.Context, *router.Action) (router.Grant, error) {
	return router.Grant{Profile: router.ReadProfile}, nil
}
