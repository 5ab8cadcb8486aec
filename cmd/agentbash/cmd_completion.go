package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
)

// runCompletion is agentbash completion: what a shell completes, as a script.
// The words come out of the help texts, so that they cannot differ from them.
func runCompletion(_ context.Context, a *app, words []string) int {
	f := newFlags("completion")
	if err := f.Parse(words); err != nil {
		return a.usageError("completion", err)
	}
	if f.NArg() != 1 {
		return a.usageError("completion", fmt.Errorf("one shell is wanted: bash, zsh or fish"))
	}
	switch f.Arg(0) {
	case "bash":
		bashCompletion(a.out)
	case "zsh":
		// zsh runs bash's completions; the words are the same.
		fmt.Fprint(a.out, "#compdef agentbash\nautoload -Uz bashcompinit && bashcompinit\n")
		bashCompletion(a.out)
	case "fish":
		fishCompletion(a.out)
	default:
		return a.usageError("completion", fmt.Errorf("%q: it is bash, zsh or fish", f.Arg(0)))
	}
	return exitOK
}

var flagInHelp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^ +(?:-[a-z], )?(--[a-z-]+)`) })

// flagsIn are the flags that a help text lists.
func flagsIn(help string) string {
	out := []string{"--help"}
	for _, m := range flagInHelp().FindAllStringSubmatch(help, -1) {
		if !strings.Contains(" "+strings.Join(out, " ")+" ", " "+m[1]+" ") {
			out = append(out, m[1])
		}
	}
	return strings.Join(out, " ")
}

// subcommandVerbs are the words after a subcommand.
func subcommandVerbs(name string) string {
	switch name {
	case "sessions":
		return "list show delete export"
	case "config":
		return "trust untrust"
	case "field":
		return "list test add import remove keep status stop generate"
	case "completion":
		return "bash zsh fish"
	case "help":
		return commandNames()
	}
	return ""
}

func commandNames() string {
	var out []string
	for _, c := range allCommands() {
		out = append(out, c.name)
	}
	return strings.Join(out, " ")
}

func providerNames() string {
	var out []string
	for _, p := range config.Providers() {
		out = append(out, p.Name)
	}
	return strings.Join(out, " ")
}

func bashCompletion(w io.Writer) {
	fmt.Fprint(w, `_agentbash() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
    local line=${COMP_LINE:0:COMP_POINT} whole skip IFS=$' \t\n'
    if [[ $line == *" field:"* ]]; then
        whole=${line##* } skip= IFS=$'\n'
        [[ $COMP_WORDBREAKS != *:* ]] || skip=${whole%"${whole##*:}"} # a word begins after the last colon
        COMPREPLY=($(agentbash complete-field "$line" 2>/dev/null))
        COMPREPLY=("${COMPREPLY[@]#"$skip"}")
        [[ ${COMPREPLY[*]} != *: ]] || compopt -o nospace 2>/dev/null
        return
    fi
    case $prev in
        --dir) COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --config|--replay|--debug-file|--json-schema|-o|--output) COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --output-format) COMPREPLY=($(compgen -W 'text json stream-json' -- "$cur")); return ;;
        --provider) COMPREPLY=($(compgen -W '`+providerNames()+`' -- "$cur")); return ;;
        --mode) COMPREPLY=($(compgen -W 'plan ask auto full' -- "$cur")); return ;;
        --resume|show|export|delete) COMPREPLY=($(compgen -W "$(agentbash sessions list --all 2>/dev/null | cut -d' ' -f1)" -- "$cur")); return ;;
    esac
    case ${COMP_WORDS[1]} in
`)
	for _, c := range allCommands() {
		fmt.Fprintf(w, "        %s) words='%s' ;;\n", c.name, strings.TrimSpace(subcommandVerbs(c.name)+" "+flagsIn(c.help)))
	}
	fmt.Fprintf(w, `        help) words='%s' ;;
        *) words='%s' ;;
    esac
    if [ "$COMP_CWORD" -eq 1 ] && [ "${cur#-}" = "$cur" ]; then words='%s read write edit grep glob undo'; fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _agentbash agentbash
`, subcommandVerbs("help"), flagsIn(helpChat), subcommandVerbs("help")+" help")
}

func fishCompletion(w io.Writer) {
	fmt.Fprint(w, "complete -c agentbash -n __fish_use_subcommand -f -a 'read write edit grep glob undo help'\n")
	fmt.Fprint(w, "complete -c agentbash -n 'string match -q \"* field:*\" -- (commandline -cp)' -f -a '(agentbash complete-field (commandline -cp) 2>/dev/null)'\n")
	for _, c := range allCommands() {
		fmt.Fprintf(w, "complete -c agentbash -n __fish_use_subcommand -f -a %s\n", c.name)
		at := "'__fish_seen_subcommand_from " + c.name + "'"
		if v := subcommandVerbs(c.name); v != "" {
			fmt.Fprintf(w, "complete -c agentbash -n %s -f -a '%s'\n", at, v)
		}
		for _, flag := range strings.Fields(flagsIn(c.help)) {
			fmt.Fprintf(w, "complete -c agentbash -n %s -l %s\n", at, strings.TrimPrefix(flag, "--"))
		}
	}
	for _, flag := range strings.Fields(flagsIn(helpChat)) {
		fmt.Fprintf(w, "complete -c agentbash -n __fish_use_subcommand -l %s\n", strings.TrimPrefix(flag, "--"))
	}
}
