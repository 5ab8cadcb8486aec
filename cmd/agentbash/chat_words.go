package main

import (
	"errors"
	"os/exec"
	"strings"

	"github.com/spf13/pflag"
)

// chooseLater stands for the ID of a session that the person chooses from a list.
const chooseLater = "?"

// joinOptional gives --resume the ID that stands after it, and takes the -p without a prompt, of which
// it reports whether there is one: both may stand with a value and without.
func joinOptional(f *pflag.FlagSet, words []string) (out []string, bare bool) {
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w := words[i]; {
		case w == "--":
			return append(out, words[i:]...), bare
		case (w == "-r" || w == "--resume") && next != "" && next[0] != '-' && !strings.ContainsAny(next, " \n"):
			out = append(out, "--resume="+next)
			i++
		case (w == "-p" || w == "--prompt") && (i+1 == len(words) || isFlag(f, next)):
			bare = true
		case (w == "-p" || w == "--prompt") || takesValue(f, w):
			out = append(out, words[i:min(i+2, len(words))]...)
			i++
		default:
			out = append(out, w)
		}
	}
	return out, bare
}

// isFlag reports whether a word is one of the flags.
func isFlag(f *pflag.FlagSet, word string) bool {
	name, _, _ := strings.Cut(word, "=")
	long, ok := strings.CutPrefix(name, "--")
	return ok && f.Lookup(long) != nil || len(word) == 2 && word[0] == '-' && word[1] != '-' && f.ShorthandLookup(word[1:]) != nil
}

// takesValue reports whether the value of a flag is the next word.
func takesValue(f *pflag.FlagSet, word string) bool {
	flag := f.Lookup(strings.TrimLeft(word, "-"))
	if len(word) == 2 {
		flag = f.ShorthandLookup(word[1:])
	}
	return strings.HasPrefix(word, "-") && flag != nil && flag.NoOptDefVal == ""
}

// isPrompt reports whether the first word is no command but what a chat begins with: it
// holds a space, or somebody typed a word that resembles no command and no program.
func (a *app) isPrompt(word string) bool {
	if strings.ContainsAny(word, " \n") {
		return true
	}
	_, err := a.agentTool(strings.TrimPrefix(word, "agent:"))
	var unknown *unknownCommand
	if !errors.As(err, &unknown) || len(unknown.near) > 0 || len(a.args) > 1 || !isTerminal(a.in) || strings.ContainsAny(word, ":/") {
		return false
	}
	_, missing := exec.LookPath(word)
	return missing != nil
}
