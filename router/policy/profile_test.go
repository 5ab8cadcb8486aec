package policy

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/router"
)

// held is the world of the tables on a machine whose kernel can hold everything.
func held() *World {
	w := ws()
	w.Roots = []string{"/ws"}
	w.Holds = Holds{Read: true, Workspace: true, Hosts: true}
	w.Secrets = []string{"/home/u/.ssh"}
	w.Host = func(address string) Answer {
		return map[string]Answer{"good.example:443": Allow, "bad.example:443": Deny}[address]
	}
	return w
}

// decision is what w makes of a line, in words: "allow workspace", "ask outside".
func decision(line string, mode Mode, rules []*Rules, w *World) (string, Decision) {
	v := Judge(testRouter().Plan(line), w)
	d := Decide(mode, rules, &v, w)
	words := string(d.Answer)
	switch {
	case d.Outside:
		words += " outside"
	case d.Profile != "":
		words += " " + string(d.Profile)
	}
	return words, d
}

// TestProfiles: the kernel holds what runs, and the verdict chooses how tightly
// and what is asked.
func TestProfiles(t *testing.T) {
	const reads, works, free = "allow read", "allow workspace", "allow free"
	for _, c := range []struct{ line, plan, ask, auto, full string }{
		{"cat a | grep b", reads, reads, works, free},
		{"cd sub && echo x", reads, reads, works, free},
		{"x=1", reads, reads, works, free},
		{"agent:bash_kill --bash_id $id", reads, reads, works, free},
		{"npm config get registry", reads, reads, works, free},
		{"npm init -y", "deny", "ask workspace", works, free},
		{"cargo init x && go mod init x", "deny", "ask workspace", works, free},
		{"agent:read a", reads, reads, works, free},
		{"field:db:query --sql x", reads, reads, works, free},
		{"echo x > a", "deny", "ask workspace", works, free},
		{"cp a /tmp/b", "deny", "ask workspace", works, free},
		{`echo x > "$X"`, "deny", "ask workspace", works, free},
		{"make test", "deny", "ask workspace", works, free},
		{"./run.sh", "deny", "ask workspace", works, free},
		{"frobnicate", "deny", "ask workspace", works, free},
		{"$X", "deny", "ask workspace", works, free},
		{"echo 'x", "deny", "ask workspace", works, free},
		{"rm -rf build", "deny", "ask workspace", works, free},
		{"git commit -m x", "deny", "ask workspace", works, free},
		{"cat a && make", "deny", "ask workspace", works, free},

		{"curl -s https://good.example/x", "deny", "ask workspace", works, free},
		{"curl -s https://other.example", "deny", "ask workspace", "ask workspace", free},
		{"curl -s https://good.example https://other.example", "deny", "ask workspace", "ask workspace", free},
		{"curl -s https://bad.example", "deny", "deny", "deny", "deny"},
		{"curl -s http://localhost:8080/health", "deny", "ask workspace", works, free},
		{`curl -s "$URL"`, "deny", "ask workspace", works, free},
		{"npm ci", "deny", "ask workspace", works, free},
		{"go get example.com/x", "deny", "ask workspace", works, free},
		{"git clone https://good.example/x", "deny", "ask workspace", works, free},
		{"git clone git@good.example:x/y", "deny", "ask outside", "ask outside", free},
		{"git push", "deny", "ask outside", "ask outside", free},

		{"echo x > ../y", "deny", "ask outside", "ask outside", free},
		{"cp a ~/other/a", "deny", "ask outside", "ask outside", free},
		{"echo x > .git/hooks/x", "deny", "ask outside", "ask outside", "allow free"},
		{"git config user.name x", "deny", "ask outside", "ask outside", free},
		{"cat ~/.ssh/id_rsa", "deny", "ask outside", "ask outside", free},
		{"docker ps", "deny", "ask outside", "ask outside", free},
		{"ssh box ls", "deny", "ask outside", "ask outside", free},
		{"sudo ls", "deny", "ask outside", "ask outside", "allow free"},
		{"cd /other && git commit -m x", "deny", "ask outside", "ask outside", free},
		{"git reset --hard", "deny", "ask workspace", "ask workspace", "allow free"},
		{`rm -rf "$X"`, "deny", "ask workspace", "ask workspace", "allow free"},
		{"rm -rf /", "deny", "deny", "deny", "deny"},
		{"rm -rf *", "deny", "deny", "deny", "deny"},

		{"agent:write --file_path a --content x", "deny", "ask workspace", works, free},
		{"agent:write --file_path ../a --content x", "deny", "ask outside", "ask outside", free},
		{`ls | while read -r f; do agent:write --file_path "$f" --content x; done`, "deny", "ask workspace", works, free},
		{"for f in $(ls); do agent:write $f x; done", "deny", "ask workspace", works, free},
		{"ls | xargs -I{} agent:write {} x", "deny", "ask workspace", works, free},
		{"agent:write --bogus 1 | cat", "allow read", "allow read", works, free},
		{"agent:write a b c | cat", "allow read", "allow read", works, free},
		{"agent:write a b ../c $X | cat", "deny", "ask workspace", works, free},
		{"agent:task 'do something'", "deny", "ask workspace", "ask workspace", free},
		{"field:db:drop --name x", "deny", "ask workspace", "ask workspace", free},
		{"agent:bash_start make", "deny", "ask workspace", works, free},
		{"agent:web_fetch https://other.example/", "ask read", "ask workspace", "ask workspace", free},
		{"agent:web_fetch https://good.example/ | head", "ask read", "ask workspace", works, free},
		{"agent:web_fetch https://bad.example/", "deny", "deny", "deny", "deny"},
	} {
		for mode, want := range map[Mode]string{PlanMode: c.plan, AskMode: c.ask, AutoMode: c.auto, FullMode: c.full} {
			got, d := decision(c.line, mode, nil, held())
			require.Equal(t, want, got, "%s in %s: %q", c.line, mode, d.Because)
			require.Equal(t, d.Answer == Allow, len(d.Because) == 0, "%s in %s: %q", c.line, mode, d.Because)
		}
	}
}

// TestReadsAfterUnseenCode: a name may mean a function that nobody knows of, which the
// profile that only reads holds too. Without it the name is asked about.
func TestReadsAfterUnseenCode(t *testing.T) {
	w := held()
	w.NewShell(true)
	for line, want := range map[string][3]string{ // in plan, ask, auto
		"ls | head":         {"allow read", "allow read", "allow workspace"},
		"touch a":           {"deny", "ask workspace", "allow workspace"},
		"cat ~/.ssh/id_rsa": {"deny", "ask outside", "ask outside"},
	} {
		for i, mode := range []Mode{PlanMode, AskMode, AutoMode} {
			got, d := decision(line, mode, nil, w)
			require.Equal(t, want[i], got, "%s in %s: %q", line, mode, d.Because)
		}
	}
	for line, rule := range map[string]string{
		"ls; /usr/bin/make": `{"rule": "allow /usr/bin/make", "outside": true}`,
		"ls ~/.ssh":         `{"rule": "allow ls ...", "outside": true}`,
	} {
		got, d := decision(line, AskMode, mustRules(t, false, "["+rule+"]"), w)
		require.Contains(t, got, "ask", "nothing holds what ls may mean there: %s: %q", line, d.Because)
	}
	got, d := decision("ls", AskMode, mustRules(t, false, `["deny rm", "deny git push"]`), w)
	require.Equal(t, "allow read", got, "%q", d.Because)
	w.Holds = Holds{}
	got, d = decision("ls", AskMode, nil, w)
	require.Equal(t, "ask free", got)
	require.Equal(t, []string{"ls may be a function that code from elsewhere has defined"}, d.Because)
}

// TestPathOutsideIsNamed: where cd may fail the same words lead elsewhere.
func TestPathOutsideIsNamed(t *testing.T) {
	_, d := decision("cd c && make; cd ..; rm -f c/m", AutoMode, nil, held())
	require.Equal(t, []string{"rm -f deletes c/m", "it writes /c/m, outside the workspace"}, d.Because)
}

// TestWithoutHolds: what the kernel cannot hold is asked about.
func TestWithoutHolds(t *testing.T) {
	for _, c := range []struct {
		line                  string
		none                  [4]string // in plan, ask, auto, full
		read, workspace, auto string    // with Read in ask; with Read and Workspace in ask, and in auto
	}{
		{"cat a", [4]string{"allow", "ask free", "allow", "allow free"}, "allow read", "allow read", "allow workspace"},
		{"x=1", [4]string{"allow", "ask free", "allow", "allow free"}, "allow read", "allow read", "allow workspace"},
		{"read ./a", [4]string{"allow", "allow", "allow", "allow free"}, "allow read", "allow read", "allow workspace"},
		{"touch a", [4]string{"deny", "ask free", "allow", "allow free"}, "ask free", "ask workspace", "allow workspace"},
		{"make", [4]string{"deny", "ask free", "ask free", "allow free"}, "ask free", "ask workspace", "allow workspace"},
		{"docker ps", [4]string{"allow", "ask free", "allow", "allow free"}, "ask free", "ask outside", "ask outside"},
		{"npm ci", [4]string{"deny", "ask free", "ask free", "allow free"}, "ask free", "ask outside", "ask outside"},
		{"curl https://good.example", [4]string{"deny", "ask free", "ask free", "allow free"}, "ask free", "ask outside", "ask outside"},
	} {
		w := held()
		w.Holds = Holds{}
		for i, mode := range []Mode{PlanMode, AskMode, AutoMode, FullMode} {
			got, d := decision(c.line, mode, nil, w)
			require.Equal(t, c.none[i], got, "%s in %s: %q", c.line, mode, d.Because)
		}
		w.Holds.Read = true
		got, _ := decision(c.line, AskMode, nil, w)
		require.Equal(t, c.read, got, c.line)
		w.Holds.Workspace = true
		got, _ = decision(c.line, AskMode, nil, w)
		require.Equal(t, c.workspace, got, c.line)
		got, _ = decision(c.line, AutoMode, nil, w)
		require.Equal(t, c.auto, got, c.line)
	}
}

// TestAllowRulesAndProfiles: an allow rule changes what is asked. Where it runs
// is changed by "outside" alone, and then no other part slips out with it.
func TestAllowRulesAndProfiles(t *testing.T) {
	const outside = `[{"rule": "allow make ...", "outside": true}, "allow go test ..."]`
	for _, c := range []struct {
		rules, line string
		mode        Mode
		want        string
	}{
		{`["allow make ..."]`, "make x", AskMode, "allow workspace"},
		{`["allow make ..."]`, "make x", AutoMode, "allow workspace"},
		{`["allow cat ..."]`, "cat x", AskMode, "allow read"},
		{`["allow cp a ../b"]`, "cp a ../b", AutoMode, "ask outside"},
		{`["allow docker ps"]`, "docker ps", AskMode, "ask outside"},
		{`["allow write ~/notes/**"]`, "echo x > ~/notes/a", AutoMode, "ask outside"},
		{`["allow curl https://bad.example"]`, "curl https://bad.example", AskMode, "deny"},
		{`["allow npm ci"]`, "npm ci", AskMode, "allow workspace"},
		{`["allow curl https://other.example"]`, "curl https://other.example", AutoMode, "allow workspace"},
		{`["ask cat ..."]`, "cat x", AskMode, "ask read"},
		{`["ask make ..."]`, "make", AutoMode, "ask workspace"},
		{outside, "make x", AskMode, "allow free"},
		{outside, "make x", AutoMode, "allow free"},
		{outside, "make x", PlanMode, "deny"},
		{outside, "cd sub && make x 2>&1 | tail -n 3", AskMode, "allow free"},
		{outside, "make > log", AutoMode, "allow free"},
		{outside, "make > log", AskMode, "ask workspace"},
		{outside, "make && ./x", AutoMode, "ask workspace"},
		{outside, "make && go test ./...", AutoMode, "ask workspace"},
		{outside, "make; cat $(cat list)", AutoMode, "ask workspace"},
		{outside, "make $X", AutoMode, "allow workspace"},
		{outside, "go test ./...", AutoMode, "allow workspace"},
		{outside, "make && sudo ls", AutoMode, "ask outside"},
		{outside, "make && rm -rf /", AutoMode, "deny"},
		{`[{"rule": "allow docker ps", "outside": true}]`, "docker ps", AskMode, "allow free"},
		{`[{"rule": "allow cp a ../b", "outside": true}]`, "cp a ../b", AutoMode, "allow free"},
		{`[{"rule": "allow cat ...", "outside": true}]`, "cat ~/.ssh/id_rsa", AutoMode, "allow free"},
		{`[{"rule": "allow write ~/notes/**", "outside": true}]`, "echo x > ~/notes/a", AutoMode, "allow free"},
		{`[{"rule": "allow field:gh:get_*", "reads": true}]`, "field:gh:get_issue --n 1", PlanMode, "allow read"},
		{`[{"rule": "allow make x", "reads": true, "outside": true}]`, "make x", PlanMode, "allow read"},
	} {
		got, d := decision(c.line, c.mode, mustRules(t, false, c.rules), held())
		require.Equal(t, c.want, got, "%s in %s by %s: %q", c.line, c.mode, c.rules, d.Because)
	}
}

// TestSuggestionsOutside: what can only run outside is allowed by a rule that says so.
func TestSuggestionsOutside(t *testing.T) {
	for line, want := range map[string]string{"docker ps": "allow docker ps ...", "cp a ../b": "allow cp a ../b", "echo x > ../y": "allow write ../y"} {
		got, d := decision(line, AskMode, nil, held())
		require.Equal(t, "ask outside", got)
		if line == "echo x > ../y" {
			want = "allow write /y"
		}
		require.Equal(t, []string{want}, d.Suggest, line)
		got, d = decision(line, AskMode, mustRules(t, false, `[{"rule": "`+want+`", "outside": true}]`), held())
		require.Equal(t, "allow free", got, "%s: %q", line, d.Because)
	}
}

// TestHosts: the machines that a text names.
func TestHosts(t *testing.T) {
	for line, want := range map[string]string{
		"curl https://a.example/x": "a.example:443", "curl a.example": "a.example:80", "curl -o f http://A.example:8080/": "a.example:8080",
		"curl --url=https://a.example": "a.example:443", "wget https://a.example b.example": "a.example:443 b.example:80",
		"git clone https://a.example/x.git": "a.example:443", "git ls-remote ssh://git@a.example/x": "a.example:22",
		"curl http://127.0.0.1:80 http://[::1]/ http://localhost": "", `curl "https://$H/x"`: "", "npm ci": "", "cat https://a.example": "",
		"curl https://a.example && make": "a.example:443", "agent:web_fetch https://a.example/": "a.example:443", "agent:web_fetch a.example": "a.example:80",
		"bash -c 'curl https://a.example'": "a.example:443",
	} {
		_, d := decision(line, AskMode, nil, held())
		require.Equal(t, want, strings.Join(d.Hosts, " "), line)
		if want != "" {
			require.Contains(t, strings.Join(d.Because, "; "), "connects to "+strings.ReplaceAll(want, " ", ", "), line)
		}
	}
}

// everyday reads a table of lines: each begins with the answer it must get.
func everyday(t *testing.T, file string, mode Mode) (asked []string, lines int) {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, row := range strings.Split(string(b), "\n") {
		if row == "" || row[0] == '#' {
			continue
		}
		want, line, _ := strings.Cut(row, " ")
		got, d := decision(line, mode, nil, held())
		require.Equal(t, want, string(d.Answer), "%s: %s %q", line, got, d.Because)
		if lines++; d.Answer != Allow {
			asked = append(asked, line)
		}
	}
	return asked, lines
}

// TestEverydayWork: builds, tests and git run unasked in auto.
func TestEverydayWork(t *testing.T) {
	asked, lines := everyday(t, "testdata/everyday.txt", AutoMode)
	require.Equal(t, 107, lines)
	require.LessOrEqual(t, len(asked), 7, "%q", asked)
}

// TestEverydayReads: what only looks runs unasked in ask.
func TestEverydayReads(t *testing.T) {
	asked, lines := everyday(t, "testdata/reads.txt", AskMode)
	require.Equal(t, 218, lines)
	require.LessOrEqual(t, len(asked), 6, "%q", asked)
}

// TestOutsideInRules: the key belongs to rules that allow.
func TestOutsideInRules(t *testing.T) {
	for text, want := range map[string]string{
		`[{"rule": "deny make ...", "outside": true}]`: `"outside" to rules that allow: leave it out`,
		`[{"rule": "allow make ...", "outside": 1}]`:   `"outside" is true or false`,
	} {
		_, err := ParseRules("rules.json", []byte(text), false)
		require.ErrorContains(t, err, want)
	}
	rules, err := ParseRules("rules.json", []byte(`[{"rule": "allow make ...", "outside": true}]`), true)
	require.NoError(t, err)
	require.Len(t, rules.Warnings, 1, "a project's file cannot loosen")
	got, _ := decision("make", AskMode, []*Rules{rules}, held())
	require.Equal(t, "ask workspace", got)
}

// TestNothingRunsFreeUnasked: of all lines of the tables none runs outside of its
// profile in plan, ask or auto, whatever rules allow, as long as none says so.
func TestNothingRunsFreeUnasked(t *testing.T) {
	rules := mustRules(t, false, `["allow rm ...", "allow git ...", "allow make ...", "allow curl ...", "allow docker ...", "allow bash ...", "allow cat ...", "allow write /**", {"rule": "allow npm ...", "reads": true}]`)
	lines := 0
	for _, file := range []string{"adversarial", "harmless", "programs"} {
		for _, row := range readTable(t, "testdata/"+file+".txt") {
			line, v := row.line, judgeLine(row.line, held())
			for mode, want := range map[Mode]router.Profile{PlanMode: router.ReadProfile, AskMode: router.WorkspaceProfile, AutoMode: router.WorkspaceProfile} {
				lines++
				d := Decide(mode, rules, &v, held())
				switch {
				case d.Answer == Deny:
					require.Empty(t, d.Profile, line)
				case d.Outside:
					require.Equal(t, Ask, d.Answer, line)
					require.Equal(t, router.FreeProfile, d.Profile, line)
				case mode == AskMode && d.Profile == router.ReadProfile:
				default:
					require.Equal(t, want, d.Profile, "%s in %s", line, mode)
				}
			}
		}
	}
	require.Greater(t, lines, 5000)
}
