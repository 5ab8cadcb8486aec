package policy

import (
	"strings"
	"testing"

	"github.com/agentbash/agentbash/internal/quote"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) { checkTable(t, "testdata/programs.txt", 2000) }

// TestTableOfPrograms reads every entry, as a line does that needs it.
func TestTableOfPrograms(t *testing.T) {
	table, err := readPrograms(programFiles)
	require.NoError(t, err)
	require.Greater(t, len(table.entries), 1000)
	used := map[string]bool{}
	for name, e := range table.entries {
		p, err := table.readEntry(e)
		require.NoError(t, err)
		require.NotNil(t, table.find(name))
		for hook := range table.hooks {
			used[hook] = used[hook] || strings.Contains(e.text, "code "+hook+"\n") || strings.Contains(e.text, "code "+hook+" ")
		}
		for _, r := range p.rules {
			require.NotEmpty(t, r.tests, e.where)
			require.NotEmpty(t, r.acts, e.where)
		}
	}
	for hook := range table.hooks {
		require.True(t, used[hook], "no entry names the code %s", hook)
	}
	for _, list := range []string{"harmful", "guess", "gnu"} {
		for _, name := range table.lists[list] {
			if name != "eval" && name != "exec" && name != "command" && name != "mkfs.*" {
				require.NotNil(t, table.find(baseName(name)), "%s is on the list %s and has no entry", name, list)
			}
		}
	}
}

// TestEveryOptionIsJudged runs every program with each of its options: nothing
// in the table may trip the judge, and what an entry blocks must say why.
func TestEveryOptionIsJudged(t *testing.T) {
	a, w := New(), ws()
	for name := range programs().entries {
		if strings.ContainsAny(name, "*?") {
			continue
		}
		p := programs().find(name)
		lines := []string{name, name + " a", name + " a b c", name + " $x", name + " \"$x\" *", name + " --help", name + " -- a", "xargs " + name}
		for _, long := range strings.Fields(p.options.long) {
			long = "--" + strings.TrimRight(long, marks)
			lines = append(lines, name+" "+long, name+" "+long+" a b", name+" "+long+"=a b", name+" b "+long+"=\"$x\"")
		}
		for i := range len(p.options.short) {
			if letter := p.options.short[i : i+1]; !isMark(letter[0]) {
				lines = append(lines, name+" -"+letter, name+" -"+letter+" a b", name+" -"+letter+"a b", name+" b -"+letter+" \"$x\"")
			}
		}
		for _, r := range p.rules {
			for _, t := range r.tests {
				for _, word := range t.words {
					lines = append(lines, name+" "+quote.Word(word), name+" "+quote.Word(word)+" a", name+" a "+quote.Word(word))
				}
			}
		}
		for _, line := range lines {
			lines = append(lines, "echo ab | "+line+" | cat | sh")
		}
		for _, line := range lines {
			v := judgeLine(a, line, w)
			for _, reason := range v.Reasons {
				require.NotContains(t, reason.Text, "cannot be judged", line)
				require.NotContains(t, reason.Text, "{", line)
			}
			require.Equal(t, v.Danger != NoDanger, len(v.Reasons) > 0 && v.Reasons[0].Danger == v.Danger && v.Danger != NoDanger, "%s: %+v", line, v)
		}
	}
}

// TestHelpOnlyReads: a program that is asked for its help does nothing, unless
// it runs code that is not in the line anyway.
func TestHelpOnlyReads(t *testing.T) {
	a, w := New(), ws()
	for name := range programs().entries {
		if strings.ContainsAny(name, " *?") || programs().find(name).set&executes != 0 || programs().find(name).set == 0 {
			continue
		}
		for _, option := range []string{" --help", " --version"} {
			v := judgeLine(a, name+option, w)
			require.Equal(t, []Effect{Read}, v.Effects, name+option)
			require.Equal(t, NoDanger, v.Danger, name+option)
		}
	}
}

func TestTableSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a program twice", "command a b\n  does read\ncommand c b\n", "programs/x.txt:3: b has an entry at programs/x.txt:1"},
		{"no command", "  does read\n", "programs/x.txt:1: it belongs to no command"},
		{"another word", "programs a b\n", `programs/x.txt:1: "programs" is neither command NAME... nor list NAME WORD...`},
		{"an unknown word", "command a\n  does read\n\n  # a comment\n  frobs x\n", `programs/x.txt:5: what "frobs" means is not known`},
		{"an unknown effect", "command a\n  does reed\n", `programs/x.txt:2: what "reed" means is not known`},
		{"an unknown test", "command a\n  werbs x: read\n", `programs/x.txt:2: "werbs" is no test`},
		{"an unknown act", "command a\n  verbs x: reed\n", `programs/x.txt:2: what "reed" means is not known`},
		{"an unknown role", "command a\n  rest reed\n", "programs/x.txt:2: an operand wants a role"},
		{"an unknown role of the directory", "command a\n  always: here reed\n", "programs/x.txt:2: here wants a role"},
		{"a verb twice", "command a\n  verbs x y: read\n  verbs z x: write\n", "programs/x.txt:3: the verb x stands there twice"},
		{"an option twice", "command a\n  takes -n --num\n  reads -n\n", "programs/x.txt:3: option -n stands there twice"},
		{"a long option twice", "command a\n  takes -n --num\n  takes --num\n", "programs/x.txt:3: option --num stands there twice"},
		{"an option without a dash", "command a\n  takes n\n", `programs/x.txt:2: "n" is no option`},
		{"a flag without a dash", "command a\n  flag n: read\n", `programs/x.txt:2: "n" is no option`},
		{"no reason", "command a\n  flag -n: confirm\n", "programs/x.txt:2: confirm wants a reason in quotes"},
		{"no act", "command a\n  flag -n:\n", "programs/x.txt:2: nothing is said after the colon"},
		{"no words", "command a\n  verbs: read\n", "programs/x.txt:2: verbs wants words"},
		{"words too many", "command a\n  other x: read\n", "programs/x.txt:2: other takes no words"},
		{"no number", "command a\n  operands x: read\n", "programs/x.txt:2: operands wants a number"},
		{"no such code", "command a\n  code frob\n", "programs/x.txt:2: code wants the name of a function in hooks"},
		{"no such code in a line", "command a\n  flag -n: code frob\n", "programs/x.txt:2: code wants the name of a function in hooks"},
		{"no such output", "command a\n  prints money\n", `programs/x.txt:2: "money" is nothing that is printed`},
		{"like nobody", "command a\n  like b\n", "programs/x.txt:2: like wants a program whose entry stands above"},
		{"like itself", "command a\n  like a\n", "programs/x.txt:2: like wants a program whose entry stands above"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, err := readPrograms(fstest.MapFS{"programs/x.txt": {Data: []byte(c.text)}})
			if err == nil {
				_, err = table.readEntry(table.entries["a"])
			}
			require.EqualError(t, err, c.want)
		})
	}
}

func TestMatchWord(t *testing.T) {
	for _, c := range []struct {
		pattern, word, rest string
		want                bool
	}{
		{"a", "a", "", true}, {"a", "ab", "", false}, {"", "", "", true}, {"", "a", "", false}, {"*", "abc", "abc", true}, {"a*", "abc", "bc", true},
		{"a*", "b", "", false}, {"*c", "abc", "", true}, {"*!*", "+x!rm", "rm", true}, {"*!*", "a!b!c", "b!c", true}, {"*=*", "a=", "", true},
		{"?*", "", "", false}, {"2???", "2755", "", true}, {"2???", "275", "", false}, {"/*", "/etc", "etc", true}, {"*b*d", "abcd", "", true},
	} {
		cut, ok := matchWord(c.pattern, c.word)
		require.Equal(t, c.want, ok, "%s %s", c.pattern, c.word)
		if ok && strings.HasSuffix(c.pattern, "*") {
			require.Equal(t, c.rest, c.word[cut:], "%s %s", c.pattern, c.word)
		} else {
			require.Equal(t, -1, cut, "%s %s", c.pattern, c.word)
		}
	}
}

// BenchmarkTable finds the entries of the table, which the first line waits for.
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		if _, err := readPrograms(programFiles); err != nil {
			b.Fatal(err)
		}
	}
}
