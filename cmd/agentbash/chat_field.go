package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/guard"
)

// fieldCommands are /field, and /mcp, as other programs call it.
func (b *configuredBash) fieldCommands() (list []term.Command) {
	for _, name := range []string{"field", "mcp"} {
		list = append(list, term.Command{Name: name, Args: "[SERVER | restart SERVER | login SERVER | logout SERVER]",
			Help: "lists the servers and how they are doing, or the tools of one; restarts one, signs in or out", Run: b.slashField, Complete: b.fieldWords})
	}
	return list
}

// slashField is /field.
func (b *configuredBash) slashField(ctx context.Context, words string) (string, error) {
	verb, name, _ := strings.Cut(strings.TrimSpace(words), " ")
	name = strings.TrimPrefix(strings.TrimSpace(name), registry.FieldPrefix)
	isVerb := verb == "restart" || verb == "login" || verb == "logout"
	switch {
	case verb == "":
		return b.listServers(), nil
	case isVerb && name == "":
		return "", errors.New("/field " + verb + ": which server? /field lists them")
	case verb == "logout":
		if err := b.Fields().SignOut(name); err != nil {
			return "", err
		}
		return "field:" + name + ": signed out", nil
	case isVerb:
		r, err := b.Fields().Restart(ctx, name, verb == "login")
		if err != nil {
			return "", err
		}
		b.Registry().ReloadGroup(name)
		return fmt.Sprintf("field:%s runs: %s, started in %s", name, term.CountNoun(len(r.Tools), "tool"), inMS(r.Start)), nil
	}
	return b.Router().Run(guard.Said(ctx), quote.Word(registry.FieldPrefix+strings.TrimPrefix(verb, registry.FieldPrefix))+" -h", nil).Output, nil
}

// listServers is a line a group: how it is doing, what it is for, why it failed.
func (b *configuredBash) listServers() string {
	var out strings.Builder
	for _, s := range b.Fields().Standings() {
		state := s.State
		if s.Tools > 0 {
			state += ", " + term.CountNoun(s.Tools, "tool")
		}
		if s.Login != "" {
			state += ", " + s.Login
		}
		fmt.Fprintf(&out, "field:%s: %s: %s\n", s.Group, state, safetext.Line(s.About))
		if s.Err != nil && s.State == "failed" {
			fmt.Fprintf(&out, "    %s\n", safetext.Line(s.Err.Error()))
		}
	}
	if out.Len() > 0 {
		out.WriteString("\n/field SERVER shows its tools, /field restart SERVER starts it again, /field login SERVER and logout SERVER sign in and out\n")
	}
	return cmp.Or(out.String(), "no servers or functions are configured: agentbash field add NAME -- COMMAND ARGS...")
}

func (b *configuredBash) fieldWords() []string {
	words := []string{"restart", "login", "logout"}
	for _, s := range b.Fields().Standings() {
		words = append(words, s.Group)
	}
	return words
}
