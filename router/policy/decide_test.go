package policy

import (
	"encoding/json"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/stretchr/testify/require"
)

// ws is the world that the tables here are about.
func ws() *World {
	return &World{Dir: "/ws", Home: "/home/u", Scratch: []string{"/tmp"}, Protected: []string{"/home/u/.config/agentbash"}, Holds: Holds{Read: true},
		Tool: func(name string) *registry.Tool { t, _ := testRouter().Registry().Lookup(name); return t }, Carried: testRouter().Plan}
}

// mustRules parses rules that are right.
func mustRules(t *testing.T, project bool, texts ...string) []*Rules {
	var out []*Rules
	for _, text := range texts {
		rs, err := ParseRules("rules.json", []byte(text), project)
		require.NoError(t, err)
		require.Empty(t, rs.Warnings)
		out = append(out, rs)
	}
	return out
}

func answer(line string, mode Mode, rules []*Rules) Decision {
	w := ws()
	v := judgeLine(line, w)
	return Decide(mode, rules, &v, w)
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		name, line            string
		plan, ask, auto, full Answer
	}{
		{"reads", "cat a | grep b", Allow, Allow, Allow, Allow},
		{"nothing", "cd sub && echo x", Allow, Allow, Allow, Allow},
		{"drops output", "grep -r x . 2>/dev/null", Allow, Allow, Allow, Allow},
		{"writes the workspace", "echo x > a", Deny, Ask, Allow, Allow},
		{"makes a directory", "mkdir -p a/b", Deny, Ask, Allow, Allow},
		{"copies", "cp a b", Deny, Ask, Allow, Allow},
		{"edits", "sed -i s/a/b/ f", Deny, Ask, Allow, Allow},
		{"stages", "git add -A", Deny, Ask, Allow, Allow},
		{"formats", "gofmt -w .", Deny, Ask, Allow, Allow},
		{"writes scratch", "echo x > /tmp/y", Deny, Ask, Allow, Allow},
		{"writes outside", "echo x > ../y", Deny, Ask, Ask, Allow},
		{"writes elsewhere at home", "cp a ~/other/a", Deny, Ask, Ask, Allow},
		{"writes what cannot be told", "echo x > \"$X\"", Deny, Ask, Ask, Allow},
		{"builds", "make test", Deny, Ask, Ask, Allow},
		{"tests", "go test ./...", Deny, Ask, Ask, Allow},
		{"node tests", "npm test", Deny, Ask, Ask, Allow},
		{"a script", "python x.py", Deny, Ask, Ask, Allow},
		{"a script of its own", "./run.sh", Deny, Ask, Ask, Allow},
		{"a program nobody knows", "frobnicate", Deny, Ask, Ask, Allow},
		{"the network", "curl -s https://example.com", Deny, Ask, Ask, Allow},
		{"half of a line", "cat a && make", Deny, Ask, Ask, Allow},
		{"within a wrapper", "timeout 5 cat a", Allow, Allow, Allow, Allow},
		{"writes within a wrapper", "timeout 5 touch a", Deny, Ask, Allow, Allow},
		{"deletes in the workspace", "rm -rf build", Deny, Ask, Allow, Allow},
		{"confirm", "rm -rf ../build", Deny, Ask, Ask, Allow},
		{"confirm in a substitution", "echo $(sudo cat x)", Deny, Ask, Ask, Allow},
		{"block", "rm -rf /", Deny, Deny, Deny, Deny},
		{"block within", "true; (cd /; rm -rf *)", Deny, Deny, Deny, Deny},
		{"a tool that reads", "agent:read --file_path a", Allow, Allow, Allow, Allow},
		{"a tool that writes", "agent:write --file_path a --content x", Deny, Ask, Allow, Allow},
		{"a tool that writes outside", "agent:write --file_path ../a --content x", Deny, Ask, Ask, Allow},
		{"a text that is no path", "agent:note /etc/passwd", Deny, Ask, Ask, Allow},
		{"a word that is no path", "agent:recall --category /etc", Allow, Allow, Allow, Allow},
		{"an address that is no path", "agent:web_fetch /etc/passwd", Ask, Ask, Ask, Allow},
		{"an ID that is no path", "agent:bash_kill /etc", Allow, Allow, Allow, Allow},
		{"a command that is no path", "agent:bash_start /etc", Deny, Ask, Ask, Allow},
		{"a field tool that reads", "field:db:query --sql x", Allow, Allow, Allow, Allow},
		{"a field tool that writes", "field:db:drop --name x", Deny, Ask, Ask, Allow},
		{"a field tool nobody knows", "field:other:thing", Deny, Ask, Ask, Allow},
		{"what cannot be parsed", "echo 'x", Deny, Ask, Ask, Allow},
	} {
		t.Run(c.name, func(t *testing.T) {
			for mode, want := range map[Mode]Answer{PlanMode: c.plan, AskMode: c.ask, AutoMode: c.auto, FullMode: c.full} {
				d := answer(c.line, mode, nil)
				require.Equal(t, want, d.Answer, "%s in %s: %q", c.line, mode, d.Because)
				require.Equal(t, mode, d.Mode)
				require.NotNil(t, d.Because)
				require.Equal(t, want == Allow, len(d.Because) == 0, "%q", d.Because)
			}
		})
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name, rules, line string
		mode              Mode
		want              Answer
	}{
		{"allow runs", `["allow go test ..."]`, "go test ./x -run Y", AskMode, Allow},
		{"allow is for the whole line", `["allow go test ..."]`, "go test ./x && make", AskMode, Ask},
		{"allow two parts", `["allow go test ...", "allow make"]`, "go test ./x && make", AskMode, Allow},
		{"allow without rest", `["allow make"]`, "make all", AskMode, Ask},
		{"allow not in plan mode", `["allow make ..."]`, "make", PlanMode, Deny},
		{"allow what only reads in plan mode", `[{"rule": "allow field:gh:get_*", "reads": true}]`, "field:gh:get_issue --n 1", PlanMode, Allow},
		{"allow a field tool", `["allow field:gh.get_*"]`, "field:gh:get_issue --n 1", AskMode, Allow},
		{"allow another field tool", `["allow field:gh.get_*"]`, "field:gh:set_issue --n 1", AskMode, Ask},
		{"alternatives", `["allow npm (test|run) ..."]`, "npm run build", AskMode, Allow},
		{"alternatives miss", `["allow npm (test|run) ..."]`, "npm install x", AskMode, Ask},
		{"star", `["allow make test-*"]`, "make test-unit", AskMode, Allow},
		{"star is within a word", `["allow make test-*"]`, "make test-unit all", AskMode, Ask},
		{"quoted star", `["allow make 'test-*'"]`, "make test-unit", AskMode, Ask},
		{"rest in the middle", `["allow go test ... ./x"]`, "go test -v -run Y ./x", AskMode, Allow},
		{"a wrapper's rule is not for what it runs", `["allow timeout ..."]`, "timeout 5 make", AskMode, Ask},
		{"what a wrapper runs has its rule", `["allow make ..."]`, "timeout 5 make x", AskMode, Allow},
		{"allow env is not for what it runs", `["allow env ..."]`, "env A=b make", AskMode, Ask},
		{"allow bash is not for its text", `["allow bash ..."]`, "bash -c 'make'", AskMode, Ask},
		{"allow xargs is not for what it runs", `["allow xargs ...", "allow find ..."]`, "find . | xargs touch", AskMode, Ask},
		{"allow never through confirm", `["allow rm ..."]`, "rm -rf ../build", AutoMode, Ask},
		{"allow never through block", `["allow rm ..."]`, "rm -rf /", FullMode, Deny},
		{"allow not for words that are not known", `["allow make ..."]`, "make $X", AskMode, Ask},
		{"allow not for names that are not known", `["allow make ..."]`, "$X make", AskMode, Ask},
		{"rest is not for options that run programs", `["allow go test ..."]`, "go test -exec ./evil ./x", AskMode, Ask},
		{"unless they are written out", `["allow go test -exec ./run ./x"]`, "go test -exec ./run ./x", AskMode, Allow},
		{"rest is not for settings of git", `["allow git commit ..."]`, "git -c core.pager=./evil commit", AskMode, Ask},
		{"rest is not for files outside", `["allow cp ..."]`, "cp a ../b", AskMode, Ask},
		{"unless a rule allows them", `["allow write /other/**"]`, "cp a /other/b", AskMode, Allow},
		{"allow of an installed program's file", `["allow make ..."]`, "/usr/bin/make x", AskMode, Allow},
		{"allow not of another file", `["allow make ..."]`, "./make x", AskMode, Ask},
		{"a redirection asks for itself", `["allow make ..."]`, "make > log", AskMode, Ask},
		{"a redirection has its rule", `["allow make ...", "allow write ./log"]`, "make > log", AskMode, Allow},
		{"functions are what they run", `["allow make ..."]`, "make() { touch x; }; make", AskMode, Ask},
		{"aliases are what they stand for", `["deny git push ..."]`, "alias g='git push'\ng origin", FullMode, Deny},
		{"deny beats allow", `["allow git push ...", "deny git push ..."]`, "git push origin x", FullMode, Deny},
		{"deny beats ask", `["ask git push ...", "deny git push ..."]`, "git push origin x", FullMode, Deny},
		{"ask beats allow", `["allow make ...", "ask make clean"]`, "make clean", FullMode, Ask},
		{"ask beats full mode", `["ask make ..."]`, "make", FullMode, Ask},
		{"deny reads too", `["deny cat ..."]`, "cat a", FullMode, Deny},
		{"deny through a wrapper", `["deny git push ..."]`, "timeout 5 nice git push", FullMode, Deny},
		{"deny through xargs", `["deny git push ..."]`, "echo origin | xargs git push", FullMode, Deny},
		{"deny through bash -c", `["deny git push ..."]`, "bash -c 'git push'", FullMode, Deny},
		{"deny through quotes", `["deny git push ..."]`, "g''it \"pu\"sh", FullMode, Deny},
		{"deny through a directory", `["deny git push ..."]`, "/usr/bin/git push", FullMode, Deny},
		{"deny through options before the verb", `["deny git push ..."]`, "git -C sub --no-pager push origin", FullMode, Deny},
		{"deny through a variable", `["deny git push ..."]`, "x=push; git $x", FullMode, Deny},
		{"deny what may be it", `["deny git push ..."]`, "git $X", FullMode, Ask},
		{"deny a name that may be it", `["deny git push ..."]`, "$X push", FullMode, Ask},
		{"deny not another verb", `["deny git push ..."]`, "git log $X", FullMode, Allow},
		{"deny an assignment", `["deny GIT_SSH_COMMAND=*"]`, "GIT_SSH_COMMAND='echo x' git status", FullMode, Deny},
		{"deny without rest", `["deny git push"]`, "git push origin", FullMode, Allow},
		{"ask for field tools", `["ask field:github.*"]`, "field:github:get_me", FullMode, Ask},
		{"ask for other field tools", `["ask field:github.*"]`, "field:gitlab:get_me", FullMode, Allow},
		{"deny an agent tool", `["deny agent:write ..."]`, "agent:write --file_path a --content b", FullMode, Deny},
		{"deny an agent tool is not for a command", `["deny agent:cat"]`, "cat a", FullMode, Allow},
		{"a command's rule is not for a tool", `["deny 'write' ..."]`, "agent:write --file_path a --content b", FullMode, Allow},

		{"deny read", `["deny read ~/.ssh/**"]`, "cat ~/.ssh/id_rsa", FullMode, Deny},
		{"deny read a redirection", `["deny read ~/.ssh/**"]`, "wc < /home/u/.ssh/id_rsa", FullMode, Deny},
		{"deny read another directory", `["deny read ~/.ssh/**"]`, "cat ~/.sshx/a", FullMode, Allow},
		{"deny read through cd", `["deny read ~/.ssh/**"]`, "cd ~/.ssh && cat id_rsa", FullMode, Deny},
		{"deny read through a tool", `["deny read ~/.ssh/**"]`, "agent:read --file_path ~/.ssh/id_rsa", FullMode, Deny},
		{"deny read of what lies above", `["deny read ~/.ssh/**"]`, "grep -r key /home/u", FullMode, Ask},
		{"deny read of a glob", `["deny read ~/.ssh/id_*"]`, "cat ~/.ssh/*", FullMode, Ask},
		{"deny read of what is not known", `["deny read ~/.ssh/**"]`, "cat \"$X\"", FullMode, Ask},
		{"deny read of a name anywhere", `["deny read .env"]`, "cat sub/.env", FullMode, Deny},
		{"deny read of a pattern anywhere", `["deny read *.(pem|key)"]`, "cat /x/y/a.key", FullMode, Deny},
		{"deny read is not for writes", `["deny read ./secrets/**"]`, "echo x > secrets/a", FullMode, Allow},
		{"deny write", `["deny write ./secrets/**"]`, "echo x > secrets/a", FullMode, Deny},
		{"deny write of a directory's name", `["deny write ./secrets"]`, "touch secrets/a/b", FullMode, Deny},
		{"deny write of a tree above", `["deny write ./a/b"]`, "mv a c", FullMode, Ask},
		{"deny write by any mode", `["deny write /etc/**"]`, "cp a /etc/b", FullMode, Deny},
		{"deny write with a single star", `["deny write ./*.lock"]`, "touch a/b.lock", FullMode, Allow},
		{"deny write with two stars", `["deny write ./**/*.lock"]`, "touch b.lock", FullMode, Deny},
		{"deny write deep", `["deny write ./**/*.lock"]`, "touch a/c/b.lock", FullMode, Deny},
		{"allow write", `["allow write ./build/**"]`, "mkdir -p build/x && touch build/x/y", AskMode, Allow},
		{"allow write outside", `["allow write ~/notes/**"]`, "echo x > ~/notes/a", AutoMode, Allow},
		{"allow write not elsewhere", `["allow write ./build/**"]`, "touch build/a src/b", AskMode, Ask},
		{"allow write not up again", `["allow write ./build/**"]`, "touch build/../src/b", AskMode, Ask},
		{"allow write not what cannot be told", `["allow write ./build/**"]`, "touch build/$X", AskMode, Ask},
		{"allow write of a glob in it", `["allow write ./build/**"]`, "touch build/*", AskMode, Allow},
		{"allow write is not for running", `["allow write ./build/**"]`, "make > build/log", AskMode, Ask},
		{"allow write not in plan mode", `["allow write ./build/**"]`, "touch build/a", PlanMode, Deny},
		{"allow write never through confirm", `["allow write ~/**"]`, "echo x >> ~/.bashrc", AutoMode, Ask},
		{"allow write one name", `["allow write ./a"]`, "touch a/b", AskMode, Ask},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := answer(c.line, c.mode, mustRules(t, false, c.rules))
			require.Equal(t, c.want, d.Answer, "%s: %q", c.line, d.Because)
		})
	}
}

func TestDecisionSaysWhy(t *testing.T) {
	for _, c := range []struct {
		name, line string
		mode       Mode
		rules      string
		want       Decision
	}{
		{"confirm", "cd x && rm -rf build ../../y", AskMode, `[]`, Decision{Answer: Ask, Profile: router.FreeProfile, Because: []string{"rm -rf deletes build ../../y"}}},
		{"block", "rm -rf ~", FullMode, `[]`, Decision{Answer: Deny, Because: []string{"deletes a home directory (/home/u)"}}},
		{"plan", "touch a", PlanMode, `[]`, Decision{Answer: Deny, Because: []string{"plan mode only reads", "writes a"}}},
		{"mode", "touch a", AskMode, `[]`, Decision{Answer: Ask, Profile: router.FreeProfile, Because: []string{"writes a"}, Suggest: []string{"allow touch ..."}}},
		{"name of a word once", "go env -w A=b", AskMode, `[]`, Decision{Answer: Ask, Profile: router.FreeProfile, Because: []string{"go env changes what every go command does"}}},
		{"name once", "git reset --hard", AskMode, `[]`, Decision{Answer: Ask, Profile: router.FreeProfile, Because: []string{"git reset --hard throws away uncommitted work"}}},
		{"what git does", "git commit -m x", PlanMode, `[]`, Decision{Answer: Deny, Because: []string{"plan mode only reads", "git commit changes the repository"}}},
		{"each part", "touch a && make x > log", AskMode, `[]`, Decision{Answer: Ask, Profile: router.FreeProfile, Because: []string{"writes a", "writes log", "make runs code that is not in the line"},
			Suggest: []string{"allow touch ...", "allow write ./log", "allow make x"}}},
		{"deny", "cat a; git push", FullMode, "[\n  \"deny git push\"]", Decision{Answer: Deny, Because: []string{`git push is what the rule "deny git push" is about (rules.json:2:3)`}, Rule: "deny git push", RuleAt: "rules.json:2:3"}},
		{"maybe", "cat $X", FullMode, `["deny read ~/.ssh/**"]`, Decision{Answer: Ask, Profile: router.FreeProfile, Because: []string{`cat … may be what the rule "deny read ~/.ssh/**" is about (rules.json:1:2)`}, Rule: "deny read ~/.ssh/**", RuleAt: "rules.json:1:2"}},
		{"allow", "make x", AskMode, `["allow make ..."]`, Decision{Answer: Allow, Profile: router.FreeProfile, Because: []string{}, Rule: "allow make ...", RuleAt: "rules.json:1:2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Mode = c.mode
			require.Equal(t, c.want, answer(c.line, c.mode, mustRules(t, false, c.rules)))
		})
	}
}

func TestSuggestions(t *testing.T) {
	for line, want := range map[string][]string{
		"go test ./x -run Y":                       {"allow go test ..."},
		"git commit -m 'a b'":                      {"allow git commit ..."},
		"npm run build --if-present":               {"allow npm run build ..."},
		"npm install":                              {"allow npm install ..."},
		"docker compose up -d":                     {"allow docker compose up ..."},
		"python3 tools/x.py --all":                 {"allow python3 tools/x.py ..."},
		"bash x.sh 1 2":                            {"allow bash x.sh ..."},
		"./run.sh":                                 {"allow ./run.sh ..."},
		"curl -s https://example.com/a":            {"allow curl -s https://example.com/a"},
		"curl 'https://example.com/a?b=1&c=(d|e)'": {"allow curl 'https://example.com/a?b=1&c=(d|e)'"},
		"timeout 5 make":                           {"allow make"},
		"cp a ../b":                                {"allow cp a ../b"},
		"echo x > 'a b'":                           {"allow write './a b'"},
		"field:db:drop --name x":                   {"allow field:db:drop"},
		"agent:write --file_path a --content b":    {"allow agent:write"},
		"go test -exec ./x .":                      nil, // what it runs has effects nobody can tell
		"frobnicate":                               nil,
		"field:other:thing":                        nil,
		"$X":                                       nil,
		"make $X":                                  nil,
		"rm -r a":                                  {"allow rm ..."},
		"rm -r ../a":                               nil,
		"make && sudo ls":                          nil,
		"eval \"$X\"":                              nil,
		"python3 -c 'print(1)'":                    nil,
		"source a":                                 nil,
		"echo x > $X":                              nil,
		"PATH=. ls":                                nil,
		"make $'a\\nb'":                            nil,
		"make $'\\xff'":                            nil,
		"echo x > $'\\xff'":                        nil,
		"rm -rf /":                                 nil,
	} {
		t.Run(line, func(t *testing.T) {
			d := answer(line, AskMode, nil)
			require.NotEqual(t, Allow, d.Answer)
			require.Equal(t, want, d.Suggest, "%q", d.Because)
			if len(want) == 0 {
				return
			}
			for _, text := range want { // a rule is saved as it is shown, and then does what was said
				_, err := parseRule(text)
				require.Nil(t, err)
			}
			require.Equal(t, Allow, answer(line, AskMode, mustRules(t, false, jsonList(t, want))).Answer)
		})
	}
}

func jsonList(t *testing.T, l []string) string {
	b, err := json.Marshal(l)
	require.NoError(t, err)
	return string(b)
}

func TestDecideTool(t *testing.T) {
	w := ws()
	for _, c := range []struct {
		line  string
		rules string
		want  Answer
	}{
		{"agent:read a", `[]`, Allow},
		{"agent:write --file_path a b", `[]`, Ask},
		{"agent:write --file_path a b", `["allow agent:write"]`, Allow},
		{"agent:write --file_path /etc/passwd b", `["allow agent:write"]`, Ask},
		{"agent:write --file_path a b", `["deny agent:(write|edit)"]`, Deny},
		{"agent:write --file_path .git/hooks/x b", `["allow agent:write"]`, Ask},
		{"agent:read --file_path /home/u/.ssh/id_rsa", `["deny read ~/.ssh/**"]`, Deny},
		{"agent:read --filePath ~/.ssh/id_rsa", `["deny read ~/.ssh/**"]`, Deny},
		{"agent:read '~/.ssh/id_rsa'", `["deny read ~/.ssh/**"]`, Deny},
		{"agent:read --show_line_numbers ~/.ssh/id_rsa", `["deny read ~/.ssh/**"]`, Deny},
		{"agent:grep x", `["deny read ./secrets/**"]`, Ask},
		{"agent:grep --ignore_case x open", `["deny read ./secrets/**"]`, Allow},
		{"agent:edit --replace_all private/y A B", `["deny write private/**", "allow agent:edit"]`, Deny},
		{"agent:write --force private/y NEW", `["deny write private/**", "allow agent:write"]`, Deny},
		{"agent:web_fetch https://example.com", `["allow agent:web_fetch"]`, Allow},
		{"agent:bash_start 'ls private'", `[]`, Allow},
		{"agent:bash_start 'rm private/x'", `["deny write private/**"]`, Deny},
		{"agent:bash_start 'agent:read private/x'", `["deny read private/**"]`, Deny},
		{"for f in $(agent:recall); do agent:read --file_path $f; done", `[]`, Allow},
		{"for f in $(agent:recall); do agent:read --file_path $f; done", `["deny read private/**"]`, Ask},
		{"agent:read $x --limit 5", `[]`, Allow},
		{"agent:write --file_path \"$x\" --content y", `[]`, Ask},
		{"agent:write --content \"$x\" --file_path a", `["allow agent:write ..."]`, Ask},
		{"agent:task 'do something'", `[]`, Ask},
		{"agent:note remember", `[]`, Ask},
		{"field:db:drop --name users", `[]`, Ask},
		{"field:db:drop --name users", `["allow field:db:drop"]`, Allow},
		{"field:gh:get --a b", `["allow field:gh:get"]`, Allow},
		{"field:gh:get --a b", `["ask field:gh.*"]`, Ask},
	} {
		t.Run(c.line+c.rules, func(t *testing.T) {
			v := Judge(testRouter().Plan(c.line), w)
			d := Decide(AskMode, mustRules(t, false, c.rules), &v, w)
			require.Equal(t, c.want, d.Answer, "%q", d.Because)
		})
	}
}

// A word that says that a server's own command is called is no listing, the
// program by its own name calls tools too, and a value that comes later may be any.
func TestCallsThatHide(t *testing.T) {
	w := ws()
	for line, want := range map[string]Answer{
		"field:gh": Allow, "field:gh --help": Allow, "field:gh read file:///ws/private/x": Ask, "field:gh read x | cat": Ask,
		"agentbash read private/x": Deny, "/usr/bin/agentbash edit private/y A B": Deny, "agentbash agent:read --filePath private/x": Deny,
	} {
		v := Judge(testRouter().Plan(line), w)
		d := Decide(AskMode, mustRules(t, false, `["deny read private/**", "deny write private/**"]`), &v, w)
		require.Equal(t, want, d.Answer, "%s: %q", line, d.Because)
	}
}

// TestCallsInArguments: what the router calls a tool in another command's arguments
// is judged as that tool's call.
func TestCallsInArguments(t *testing.T) {
	for _, c := range []struct {
		line, rules string
		mode        Mode
		want        Answer
	}{
		{`find . -exec write --file_path {} --content b \;`, `["deny agent:write ..."]`, FullMode, Deny},
		{"timeout 5 nice read --limit 1 --file_path ~/.ssh/id_rsa", `["deny read ~/.ssh/**"]`, FullMode, Deny},
		{`eval "bash -c 'edit --file_path a --old_string \"$x\" --new_string c'"`, `["deny agent:edit ..."]`, FullMode, Deny},
		{"nohup grep --pattern x --path a", `[]`, PlanMode, Allow},
		{"env write --file_path a --content x", `[]`, PlanMode, Deny},
		{"env write --file_path a --content x", `[]`, AutoMode, Allow},
		{"trap 'write --file_path ../a --content x' EXIT", `[]`, AutoMode, Ask},
		{`x='edit --file_path a --old_string b'; eval "$x"`, `["deny agent:edit ..."]`, FullMode, Allow}, // a program of that name
	} {
		w := &World{Dir: "/repo", Roots: []string{"/repo"}, Home: "/home/u", Holds: Holds{Read: true, Workspace: true}, Tool: testRouter().Plan(c.line).Lookup}
		v := Judge(testRouter().Plan(c.line), w)
		d := Decide(c.mode, mustRules(t, false, c.rules), &v, w)
		require.Equal(t, c.want, d.Answer, "%s: %q", c.line, d.Because)
	}
}
