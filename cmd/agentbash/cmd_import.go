package main

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/safetext"
)

// importing is agentbash field import, and field add --from.
type importing struct {
	*fieldCommand          // from is a client or a file; "": all clients
	names         []string // of the servers that are taken, unless all are
	replace       bool     // in the place of one of that name
}

// foundLine is one entry of agentbash field import --json.
type foundLine struct {
	config.FoundServer
	Launch     string `json:"launch"`
	Problem    string `json:"problem,omitempty"`
	Configured bool   `json:"configured,omitempty"` // one of that name is ours already
}

func (i *importing) run() int {
	found, err := i.find()
	if err != nil {
		return i.a.reportError(err)
	}
	own := map[string]config.FoundServer{}
	if _, err := os.Stat(i.dirs.UserFile()); err == nil {
		list, _ := config.ReadServers(i.dirs.UserFile(), i.a.lookup) // one without servers has none
		for _, f := range list {
			own[f.Name] = f
		}
	}
	if len(i.names) == 0 && !i.all {
		return i.show(found, own)
	}
	chosen, err := i.choose(found)
	if err != nil {
		return i.a.usageError("field", err)
	}
	status := exitOK
	for _, f := range chosen {
		if have, is := own[f.Name]; is && !i.replace {
			if !reflect.DeepEqual(have.Server, f.Server) {
				fmt.Fprintf(i.a.err, "agentbash field: field:%s is another server in %s: agentbash field remove %[1]s takes that out\n", f.Name, i.dirs.UserFile())
				status = exitFailed
			}
			continue
		}
		if f.Err == nil {
			_, f.Err = config.SetServer(i.dirs, f.Name, f.Server, i.a.lookup)
		}
		if f.Err != nil {
			fmt.Fprintf(i.a.err, "agentbash field: %s of %s is not taken: %s\n", safetext.Line(f.Name), f.File, safetext.Line(f.Err.Error()))
			status = exitFailed
			continue
		}
		i.sayAdded(f.Name, f.Unset)
	}
	return status
}

// find returns what there is in the files that were asked for.
func (i *importing) find() ([]config.FoundServer, error) {
	if strings.ContainsAny(i.from, "./") {
		return config.ReadServers(i.from, i.a.lookup)
	}
	dir, err := workDir("")
	if err != nil {
		return nil, err
	}
	found, errs := config.FindServers(dir, i.a.lookup)
	i.a.warn(errs...)
	if i.from == "" {
		return found, nil
	}
	var clients []string
	list := slices.DeleteFunc(slices.Clone(found), func(f config.FoundServer) bool {
		if !slices.Contains(clients, f.Client) {
			clients = append(clients, f.Client)
		}
		return f.Client != i.from
	})
	if len(list) == 0 {
		return nil, &config.Error{Text: fmt.Sprintf("nothing was found of %q: found are servers of %s; a file is named as ./FILE", i.from, cmp.Or(strings.Join(clients, ", "), "no client"))}
	}
	return list, nil
}

// choose returns the servers that are taken: those of a name are the same, or one says whose.
func (i *importing) choose(found []config.FoundServer) (chosen []config.FoundServer, err error) {
	for _, f := range found {
		at := slices.IndexFunc(chosen, func(c config.FoundServer) bool { return c.Name == f.Name })
		switch {
		case len(i.names) > 0 && !slices.Contains(i.names, f.Name):
		case at < 0:
			chosen = append(chosen, f)
		case !reflect.DeepEqual(chosen[at].Server, f.Server):
			return nil, fmt.Errorf("%s in %s and %s are different: say which, with --from FILE", f.Name, chosen[at].File, f.File)
		}
	}
	for _, name := range i.names {
		if !slices.ContainsFunc(chosen, func(f config.FoundServer) bool { return f.Name == name }) {
			return nil, fmt.Errorf("there is no server %q: agentbash field import shows what was found", name)
		}
	}
	return chosen, nil
}

// show lists what was found, by the files.
func (i *importing) show(found []config.FoundServer, own map[string]config.FoundServer) int {
	lines := []foundLine{}
	for _, f := range found {
		_, configured := own[f.Name]
		line := foundLine{FoundServer: f, Launch: f.Server.Launch(), Configured: configured}
		if f.Err != nil {
			line.Problem = f.Err.Error()
		}
		lines = append(lines, line)
	}
	if i.asJSON {
		writeLine(i.a.out, lines)
		return exitOK
	}
	file := ""
	for _, f := range lines {
		if f.File != file {
			file = f.File
			fmt.Fprintf(i.a.out, "%s: %s\n", cmp.Or(f.Client, "file"), safetext.Line(file))
		}
		text := f.Launch
		if f.Project != "" {
			text += "; for " + f.Project
		}
		if f.Unset != nil {
			text += "; needs " + strings.Join(f.Unset, ", ") + ", not set"
		}
		if f.Ignored != nil {
			text += "; without " + strings.Join(f.Ignored, ", ")
		}
		if f.Configured {
			text += "; one of this name is configured"
		}
		if f.Problem != "" {
			text = "cannot be taken: " + f.Problem
		}
		fmt.Fprintf(i.a.out, "  %s: %s\n", safetext.Line(f.Name), safetext.Line(text))
	}
	if len(lines) == 0 {
		fmt.Fprintln(i.a.out, "no servers of other clients were found: agentbash field import --from FILE looks into a file")
		return exitOK
	}
	fmt.Fprintln(i.a.out, "take them: agentbash field import NAME..., or --all; --from CLIENT or FILE takes those alone")
	return exitOK
}

// sayAdded says where a server is, and what it still needs.
func (c *fieldCommand) sayAdded(name string, unset []string) {
	next := "try it with agentbash field test " + name
	if len(unset) > 0 {
		next = "export " + strings.Join(unset, ", ") + ": until then it is left out"
	}
	fmt.Fprintf(c.a.out, "field:%s is in %s: %s\n", name, c.dirs.UserFile(), next)
}
