package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/internal/quote"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) { checkTable(t, "testdata/programs.txt", 2000) }

// TestTableOfPrograms reads every entry, as a line does that needs it.
func TestTableOfPrograms(t *testing.T) {
	table := readPrograms(programFiles)
	require.Greater(t, len(table.entries), 1000)
	used := map[string]bool{}
	for name, e := range table.entries {
		p := table.readEntry(e)
		require.NotNil(t, table.find(name))
		for word := range table.acts {
			used[word] = used[word] || strings.Contains(strings.Join(e.text, " ")+" ", " "+word+" ")
		}
		checkLines(t, e, p)
	}
	for word := range table.acts {
		require.True(t, used[word], "no entry says %s", word)
	}
	for _, list := range []string{"harmful", "guess"} {
		for _, name := range table.lists[list] {
			if name != "eval" && name != "exec" && name != "command" && name != "mkfs.*" {
				require.NotNil(t, table.find(baseName(name)), "%s is on the list %s and has no entry", name, list)
			}
		}
	}
}

// checkLines looks for what an entry says twice, or without effect.
func checkLines(t *testing.T, e *entry, p *program) {
	where := fmt.Sprint(e.file, ":", e.line)
	alone := []string{"unseen", "stdin", "outside", "loose", "broad", "elsewhere"}
	for _, c := range p.rules {
		require.NotEmpty(t, c.acts, where)
		for _, x := range c.tests {
			require.Equal(t, slices.Contains(alone, x.kind), len(x.words) == 0, "%s: %s %v", where, x.kind, x.words)
			for _, w := range x.words {
				require.True(t, x.kind != "flag" || w[0] == '-' || w == "not", "%s: %s is no option", where, w)
				if x.kind == "args" || x.kind == "operands" {
					_, err := strconv.Atoi(w)
					require.NoError(t, err, where)
				}
			}
		}
	}
	verbs, options := map[string]bool{}, map[string]bool{}
	for _, line := range e.text {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		tests, _, hasTests := strings.Cut(line, ":")
		for _, w := range words[1:] {
			switch {
			case words[0] == "verbs" && hasTests && !strings.Contains(tests, " and ") && strings.Contains(tests+" ", " "+w+" "):
				require.False(t, verbs[w], "%s: the verb %s stands there twice", where, w)
				verbs[w] = true
			case words[1][0] == '-' && words[0] != "flag" && words[0] != "word" && words[0] != "unseen" && !hasTests:
				require.False(t, options[w], "%s: option %s stands there twice", where, w)
				require.True(t, w[0] == '-' || len(w) == 1, "%s: %s is no option", where, w)
				options[w] = true
			}
		}
	}
}

// TestEveryOptionIsJudged runs every program with each of its options: nothing
// in the table may trip the judge, and what an entry blocks must say why.
func TestEveryOptionIsJudged(t *testing.T) {
	w := ws()
	for name := range programs().entries {
		if strings.ContainsAny(name, "*?") {
			continue
		}
		p := programs().find(name)
		lines := []string{name, name + " a", name + " a b c", name + " $x", name + " \"$x\" *", name + " --help", name + " -- a", "xargs " + name}
		for option := range p.options {
			lines = append(lines, name+" "+option, name+" "+option+" a b", name+" "+option+"=a b", name+" "+option+"a b", name+" b "+option+"=\"$x\"", name+" b "+option+" \"$x\"")
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
			v := judgeLine(line, w)
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
	w := ws()
	for name := range programs().entries {
		if strings.ContainsAny(name, " *?") || programs().find(name).set&executes != 0 || programs().find(name).set == 0 {
			continue
		}
		for _, option := range []string{" --help", " --version"} {
			v := judgeLine(name+option, w)
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
		{"an unknown role", "command a\n  rest reed\n", `programs/x.txt:2: what "reed" means is not known`},
		{"an unknown role of the directory", "command a\n  here reed\n", `programs/x.txt:2: what "reed" means is not known`},
		{"no reason", "command a\n  flag -n: confirm\n", "programs/x.txt:2: confirm wants a reason in quotes"},
		{"no such code", "command a\n  code frob\n", `programs/x.txt:2: what "code" means is not known`},
		{"no such list", "command a\n  flag @b: read\n", `programs/x.txt:2: there is no list "b"`},
		{"of the whole in a line with a test", "command a\n  flag -n: posix\n", "programs/x.txt:2: posix is about the program as a whole"},
		{"no such output", "command a\n  prints money\n", `programs/x.txt:2: "money" is nothing that is printed`},
		{"like nobody", "command a\n  like b\n", "programs/x.txt:2: like wants a program whose entry stands above"},
		{"like itself", "command a\n  like a\n", "programs/x.txt:2: like wants a program whose entry stands above"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.PanicsWithValue(t, c.want, func() {
				table := readPrograms(fstest.MapFS{"programs/x.txt": {Data: []byte(c.text)}})
				table.readEntry(table.entries["a"])
			})
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
		readPrograms(programFiles)
	}
}
