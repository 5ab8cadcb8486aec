package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRulesThatAreWrong(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"no list", `{"allow": ["ls"]}`, `line 1, column 1: rules: a list is wanted: write ["deny read ~/.ssh/**", "allow git log ..."]`},
		{"no JSON", `["a"`, `line 1, column 5: rules: it is not valid JSON`},
		{"a number", `[1]`, `line 1, column 2: rules: a rule is a text such as "allow git log ...", not 1`},
		{"a list in it", `[["allow x"]]`, `line 1, column 2: rules: a rule is a text or {"rule": ...}, no list`},
		{"empty", `[""]`, `line 1, column 3: rules: it is empty`},
		{"verb", "[\n \"alow make\"]", `line 2, column 3: rules: "alow make": a rule starts with deny, ask or allow: did you mean allow?`},
		{"verb, not near", `["ls"]`, `line 1, column 3: rules: "ls": a rule starts with deny, ask or allow`},
		{"nothing after it", `["deny"]`, `column 7: rules: "deny": name a command after deny, such as "deny git push ..."`},
		{"quote", `["deny a 'b"]`, `column 10: rules: "deny a 'b": the quote ' is not closed`},
		{"bracket", `["deny (a|b c"]`, `column 12: rules: "deny (a|b c": a blank stands between ( and )`},
		{"bracket not closed", `["deny (a|b"]`, `column 8: rules: "deny (a|b": ( is not closed`},
		{"bracket not opened", `["deny a)"]`, `column 9: rules: "deny a)": ) closes nothing`},
		{"bracket in another", `["deny (a|(b|c))"]`, `column 11: rules: "deny (a|(b|c))": ( stands within another one`},
		{"empty alternative", `["deny (a|)"]`, `column 11: rules: "deny (a|)": an alternative is empty`},
		{"pipe", `["deny curl ... | sh"]`, `column 17: rules: "deny curl ... | sh": | outside of brackets`},
		{"list", `["allow cd x && make"]`, `column 14: rules: "allow cd x && make": a rule is about one command`},
		{"variable", `["deny cat $HOME"]`, `column 12: rules: "deny cat $HOME": a rule knows no variables`},
		{"home in a word", `["allow cat ~/x"]`, `column 13: rules: "allow cat ~/x": a word is compared with what the command gets`},
		{"backslash at the end", `["deny a\\"]`, `column 9: rules: "deny a\\": the backslash stands at the end`},
		{"everything", `["allow ..."]`, `column 9: rules: "allow ...": it would allow every command`},
		{"everything by a star", `["allow * ..."]`, `column 9: rules: "allow * ...": it would allow every command`},
		{"twice the rest", `["deny a ... ..."]`, `column 14: rules: "deny a ... ...": ... stands here twice`},
		{"layer in brackets", `["deny (field:a|field:b)"]`, `column 8: rules: "deny (field:a|field:b)": write field: before the brackets`},
		{"path without files", `["deny read"]`, `column 8: rules: "deny read": name files after read`},
		{"allow read", `["allow read ./a"]`, `column 9: rules: "allow read ./a": reading needs no leave`},
		{"rest in a path", `["deny read ./a ..."]`, `column 17: rules: "deny read ./a ...": in a path ** stands for anything`},
		{"up in a path", `["deny read ../a"]`, `column 13: rules: "deny read ../a": .. in a path rule cannot be followed`},
		{"another's home", `["deny read ~bob/a"]`, `column 13: rules: "deny read ~bob/a": whose home ~bob/a is cannot be told`},
		{"too many alternatives", `["deny read (a|b|c|d)(a|b|c|d)(a|b|c|d)(a|b|c|d)(a|b|c|d)"]`, `multiply to too many`},
		{"after an escape", `["deny \"a\u00e9\" $x"]`, `column 20: rules: "deny \"aé\" $x": a rule knows no variables`},
		{"after a letter of two bytes", `["deny é $x"]`, `column 10: rules: "deny é $x": a rule knows no variables`},
		{"no JSON within", "[\"deny a\",\n x]", `line 2, column 2: rules: it is not valid JSON`},
		{"no JSON behind", `[] x`, `line 1, column 4: rules: it is not valid JSON`},
		{"object without a rule", `[{"match": []}]`, `column 2: rules: the rule is missing`},
		{"object with a wrong key", `[{"rule": "deny a", "mach": []}]`, `column 21: rules: unknown key "mach": known are rule, match, not, reads`},
		{"rule that is no text", `[{"rule": 1}]`, `column 11: rules: "rule" is a text`},
		{"examples that are no list", `[{"rule": "deny a", "match": "a"}]`, `column 30: rules: examples are a list`},
		{"example that is no text", `[{"rule": "deny a", "match": [1]}]`, `column 31: rules: an example is a command line`},
		{"reads that is no bool", `[{"rule": "allow a", "reads": "yes"}]`, `column 31: rules: "reads" is true or false`},
		{"reads with deny", `[{"rule": "deny a", "reads": true}]`, `"reads" belongs to rules that allow`},
		{"match that does not", "[{\"rule\": \"allow git log ...\",\n \"match\": [\"git log -3\", \"git push\"]}]", `line 2, column 26: rules: "allow git log ...": it does not do what its example says: it should match "git push", correct one of them`},
		{"not that does", `[{"rule": "deny git push ...", "not": ["timeout 5 git push -f"]}]`, `column 40: rules: "deny git push ...": it does not do what its example says: it should not match "timeout 5 git push -f"`},
		{"allowed half", `[{"rule": "allow make ...", "match": ["make && ./x"]}]`, `it should match "make && ./x"`},
		{"path example", `[{"rule": "deny read ~/.ssh/**", "match": ["cat ~/.bashrc"]}]`, `it should match "cat ~/.bashrc"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rs, err := ParseRules("/etc/x.json", []byte(c.raw), false)
			require.Nil(t, rs)
			require.ErrorContains(t, err, "config /etc/x.json: ")
			require.ErrorContains(t, err, c.want)
			var re *RuleError
			require.True(t, errors.As(err, &re))
			require.Equal(t, 2, re.ExitStatus())
		})
	}
}

func TestEveryWrongRuleIsNamed(t *testing.T) {
	_, err := ParseRules("f", []byte(`["deny", "allow make", "ask (", 3]`), false)
	require.Len(t, strings.Split(err.Error(), "\n"), 3)
}

func TestRulesThatAreRight(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		rules     int
	}{
		{"none", `[]`, 0},
		{"null", `null`, 0},
		{"of the issue", `["allow git (diff|log|show) ...", "deny read ~/.ssh/**", "ask field:github.*"]`, 3},
		{"with examples", `[{"rule": "allow git (diff|log|show) ...", "match": ["git log -3", "git show HEAD | cat"], "not": ["git push", "git log; make", "git log > ~/.bashrc"]},
			{"rule": "deny read ~/.ssh/**", "match": ["cat ~/.ssh/id_rsa", "cd ~/.ssh; cat x"], "not": ["ls ~"]},
			{"rule": "deny write ./secrets/**", "match": ["echo > secrets/a"], "not": ["cat secrets/a"]},
			{"rule": "ask field:github.*", "match": ["field:github:get_me"], "not": ["field:gitlab:get_me"]},
			{"rule": "allow agent:write ...", "match": ["agent:write --file_path a"], "not": ["agent:edit --file_path a"]},
			{"rule": "allow rm a", "match": ["rm a"], "not": ["rm -rf a"]}]`, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			rs, err := ParseRules("f", []byte(c.raw), false)
			require.NoError(t, err)
			require.Len(t, rs.list, c.rules)
		})
	}
}

func TestAProjectMayOnlyTighten(t *testing.T) {
	rs, err := ParseRules("/p/.agentbash/config.json", []byte("[\"deny git push ...\",\n  \"allow make ...\", {\"rule\": \"allow write ./**\", \"match\": [\"touch a\"]}]"), true)
	require.NoError(t, err)
	require.Len(t, rs.list, 1)
	require.Len(t, rs.Warnings, 2)
	require.EqualError(t, rs.Warnings[0], `config /p/.agentbash/config.json: line 2, column 3: rules: "allow make ...": a project may only tighten, so this is left out: put it into your own config.json`)
	require.Equal(t, Deny, answer("git push", FullMode, []*Rules{rs}).Answer)
	require.Equal(t, Ask, answer("make", AskMode, []*Rules{rs}).Answer)
	require.Equal(t, Deny, answer("git push", FullMode, append(mustRules(t, false, `["allow git push ..."]`), rs)).Answer)
}

func FuzzParseRules(f *testing.F) {
	for _, s := range []string{`["allow a"]`, `[{"rule": "deny (a|b) 'c' ...", "match": ["a c"]}]`, `["deny read ~/**/*.(a|b)"]`, `["ask \u00e9\\\" x*"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		rs, err := ParseRules("f", []byte(raw), false)
		require.Equal(t, err == nil, rs != nil)
		if err == nil {
			answer("cat ~/a $X; git -C x push; agent:write --file_path a; field:a:b", AskMode, []*Rules{rs})
		}
	})
}
