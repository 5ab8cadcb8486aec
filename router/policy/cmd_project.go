package policy

import "strings"

// makefile is make: what it runs stands in a file, and on its command line.
func (c *call) makefile() {
	for _, f := range c.options(optionSpec{"f<C:j?I:o:W:l?O?", "eval! file< makefile< directory: jobs? include-dir:"}, nil) {
		name, val, ok := strings.Cut(f.text, "=")
		if ok && (name == "SHELL" || strings.HasPrefix(name, ".SHELL") || name == "MAKEFLAGS") {
			c.raiseText(f.after(len(f.text)-len(val)), "make "+name)
		}
		if strings.Contains(f.text, "$(shell") || strings.Contains(f.text, "!=") {
			c.raiseText(f, "make")
		}
	}
}

// golang is the go command: some of its verbs only look.
func (c *call) golang() {
	if len(c.args) == 0 {
		c.part.set = reads
		return
	}
	for i, a := range c.args {
		name, val, ok := strings.Cut(a.text, "=")
		switch strings.TrimPrefix(name, "-") {
		case "-exec", "-toolexec", "-vettool", "-fuzz", "exec", "toolexec", "vettool":
			text := a.after(len(a.text) - len(val))
			if !ok && i+1 < len(c.args) {
				text = c.args[i+1]
			}
			c.effect(executes|unknown, "go "+name+" runs a program", a.at)
			c.raiseText(text, "go "+name)
			return
		}
	}
	switch c.args[0].text {
	case "version", "doc", "help":
		c.part.set = reads
	case "env":
		if !c.hasWord("-w", "-u") {
			c.part.set = reads
		} else {
			c.danger(Confirm, "go env -w changes what every go command does", c.at)
		}
	case "fmt":
		c.part.set = reads | writes
		c.writeTree(c.here())
	case "clean":
		if c.hasWord("-modcache", "-cache") {
			c.danger(Confirm, "go clean deletes a cache", c.at)
		}
	case "get", "install", "mod", "work":
		c.does(networks)
	}
}

// publishing is a package manager: it runs scripts of packages, and publishes.
func (c *call) publishing() {
	if c.onlyVersion() {
		c.part.set = reads
		return
	}
	words := c.options(optionSpec{"", ""}, nil)
	verb := ""
	if len(words) > 0 {
		verb = words[0].text
	}
	for i, w := range words {
		if i > 1 || !known(w.text) {
			break
		}
		switch w.text {
		case "publish", "unpublish", "deprecate", "yank", "upload", "push", "release", "owner", "dist-tag", "access", "token", "login", "adduser", "deploy", "npm-publish", "hex.publish", "trunk":
			if i == 0 || w.text == "publish" || w.text == "upload" {
				c.danger(Confirm, c.name+" "+w.text+" publishes", w.at)
			}
		case "uninstall", "remove", "rm", "prune":
			if i == 0 && (strings.HasPrefix(c.name, "pip") || c.hasFlag("g") || c.hasWord("--global")) {
				c.danger(Confirm, c.name+" "+w.text+" removes packages", w.at)
			}
		}
	}
	switch c.name {
	case "goreleaser", "vsce", "ovsx", "semantic-release", "release-it", "twine", "changeset":
		c.danger(Confirm, c.name+" publishes", c.at)
	case "npm", "pnpm", "yarn":
		if verb == "ls" || verb == "list" || verb == "why" || verb == "explain" || verb == "root" || verb == "prefix" {
			c.part.set = reads
		}
		if verb == "config" || verb == "set" {
			c.danger(Confirm, c.name+" "+verb+" changes what every "+c.name+" does", c.at)
		}
	case "pip", "pip3":
		if verb == "list" || verb == "show" || verb == "freeze" || verb == "check" {
			c.part.set = reads
		}
		if verb == "install" && c.hasWord("--break-system-packages") {
			c.danger(Confirm, "changes the system's own packages", c.at)
		}
	case "cargo":
		if verb == "tree" || verb == "metadata" || verb == "locate-project" || verb == "read-manifest" {
			c.part.set = reads
		}
	}
	for i, a := range c.args {
		if (a.text == "-c" || a.text == "--call" || a.text == "-e") && i+1 < len(c.args) {
			next := c.args[i+1]
			c.part.more = c.part.more || a.text != "-e" // pip install -e DIR
			c.raise(Block, func() { c.j.innerText(next.text, next, c.name+" "+a.text, true) })
		}
	}
	c.tryRest()
}

// packages installs and removes the system's packages.
func (c *call) packages() {
	words := c.options(optionSpec{"o^c:", "option^"}, nil)
	verb := ""
	if len(words) > 0 {
		verb = words[0].text
	}
	first := ""
	if len(c.args) > 0 {
		first = c.args[0].text
	}
	switch verb {
	case "search", "show", "list", "info", "policy", "depends", "rdepends", "changelog", "madge", "showpkg", "provides", "whatprovides", "repolist", "history", "cat", "leaves", "deps", "outdated", "config", "--version":
		c.part.set = reads
		if verb == "search" || verb == "info" || verb == "outdated" {
			c.does(networks)
		}
		for _, a := range c.args {
			if a.text == "-o" || strings.HasPrefix(a.text, "-o") || strings.HasPrefix(a.text, "--option") {
				c.does(executes | unknown)
			}
		}
		return
	}
	if c.name == "dpkg" && (strings.HasPrefix(first, "-l") || strings.HasPrefix(first, "-L") || strings.HasPrefix(first, "-s") || strings.HasPrefix(first, "-S") || first == "--list" || first == "--print-architecture" || first == "--get-selections") ||
		c.name == "rpm" && strings.HasPrefix(first, "-q") || c.name == "pacman" && strings.HasPrefix(first, "-Q") || c.onlyVersion() {
		c.part.set = reads
		return
	}
	c.does(writes | networks | unknown)
	c.danger(Confirm, c.name+" changes the system's packages", c.at)
	for _, a := range c.args {
		if i := strings.Index(a.text, "::"); i >= 0 {
			if _, text, ok := strings.Cut(a.text, "="); ok {
				c.raiseText(a.after(len(a.text)-len(text)), c.name+" -o")
			}
		}
	}
	c.tryRest()
}

// containers is docker and its kin.
func (c *call) containers() {
	words := c.options(optionSpec{"H:c:v:e:p:u:w:f:t:l:n:", "host: context: volume: mount: env: publish: user: workdir: file: tag: name: entrypoint: network: config: format: filter: label: log-level:"}, nil)
	verb, second := "", ""
	if len(words) > 0 {
		verb = words[0].text
	}
	if len(words) > 1 {
		second = words[1].text
	}
	switch verb {
	case "ps", "images", "logs", "inspect", "version", "info", "top", "stats", "port", "diff", "history", "search", "events":
		c.part.set = reads
		return
	case "rm", "rmi", "prune", "kill", "down":
		c.danger(Confirm, c.name+" "+verb+" removes containers or images", c.at)
	case "push", "login", "trust":
		c.does(networks)
		c.danger(Confirm, c.name+" "+verb+" publishes", c.at)
	case "system", "volume", "image", "container", "network", "builder", "buildx", "compose", "stack", "swarm", "node", "service", "secret":
		switch second {
		case "ls", "list", "inspect", "ps", "df", "logs", "config", "images", "info", "du":
			c.part.set = reads
			return
		case "prune", "rm", "remove", "down", "kill", "leave":
			c.danger(Confirm, c.name+" "+verb+" "+second+" removes what it finds", c.at)
		}
	}
	for i, a := range c.args {
		next := ""
		if i+1 < len(c.args) {
			next = c.args[i+1].text
		}
		mount := strings.TrimPrefix(a.text, "--volume=")
		if a.text == "-v" || a.text == "--volume" || a.text == "--mount" {
			mount = next
		}
		switch {
		case a.text == "--privileged", strings.HasPrefix(a.text, "--pid=host"), strings.HasPrefix(a.text, "--cap-add"), strings.HasPrefix(a.text, "--device"), a.text == "--security-opt":
			c.danger(Confirm, c.name+" "+a.text+" gives a container rights over this machine", a.at)
		case strings.HasPrefix(mount, "/:") || strings.Contains(mount, "docker.sock") || strings.HasPrefix(mount, "/etc") || strings.Contains(mount, "source=/,") || strings.Contains(mount, "src=/,"):
			c.danger(Confirm, c.name+" gives a container this machine's files", a.at)
		}
	}
	c.tryRest()
}

// cluster is a program that changes machines elsewhere.
func (c *call) cluster() {
	if c.onlyVersion() {
		c.part.set = reads
		return
	}
	for i, a := range c.args {
		switch a.text {
		case "delete", "destroy", "drain", "cordon", "rb", "rm", "remove", "terminate", "purge", "delete-bucket", "delete-stack", "terminate-instances", "apply", "deploy", "up", "scale", "replace", "patch", "taint", "import", "release", "rollback", "sync", "mv":
			c.danger(Confirm, c.name+" "+a.text+" changes what runs elsewhere", a.at)
		case "exec", "run", "ssh":
			c.does(unknown)
		case "get", "describe", "logs", "top", "explain", "version", "plan", "validate", "show", "list", "ls", "output", "describe-instances":
			if i == 0 && c.name != "terraform" && !c.hasWord("exec") {
				c.part.set = reads | networks
				return
			}
		}
		for _, verb := range [...]string{"delete-", "terminate-", "remove-", "put-", "create-", "update-", "destroy-", "--destroy"} {
			if strings.HasPrefix(a.text, verb) {
				c.danger(Confirm, c.name+" "+a.text+" changes what runs elsewhere", a.at)
			}
		}
		if (a.text == "-a" || a.text == "--args" || a.text == "--command") && i+1 < len(c.args) && (strings.HasPrefix(c.name, "ansible") || c.name == "vagrant") {
			c.raise(Confirm, func() { c.j.innerText(c.args[i+1].text, c.args[i+1], c.name, true) })
		}
	}
	c.tryRest()
}

// forge is gh and its kin: what they look at and what they change elsewhere.
func (c *call) forge() {
	words := c.options(optionSpec{"R:X:f:F:H:q:t:b:L:s:l:a:B:", "repo: method: field: raw-field: header: jq: template: title: body: limit: state: label: assignee: base: hostname: json: body-file<"}, nil)
	if len(words) == 0 {
		c.part.set = reads
		return
	}
	verb, second := words[0].text, ""
	if len(words) > 1 {
		second = words[1].text
	}
	switch second {
	case "view", "list", "status", "diff", "checks", "ls", "watch", "search":
		if verb != "alias" && verb != "extension" {
			return
		}
	}
	switch {
	case verb == "status" || verb == "search" || verb == "--version" || verb == "version":
		return
	case verb == "api":
		method := ""
		for i, a := range c.args {
			if (a.text == "-X" || a.text == "--method") && i+1 < len(c.args) {
				method = strings.ToUpper(c.args[i+1].text)
			} else if strings.HasPrefix(a.text, "-X") {
				method = strings.ToUpper(a.text[2:])
			}
		}
		if (method == "" || method == "GET") && !c.hasWord("-f", "-F", "--field", "--raw-field", "--input") {
			return
		}
		c.danger(Confirm, c.name+" api "+method+" changes what is there", c.at)
	case verb == "repo" && second == "clone" || verb == "pr" && second == "checkout" || verb == "run" && second == "download" || verb == "release" && second == "download":
		c.does(writes | executes)
		c.part.Paths = append(c.part.Paths, (&gitCall{call: c}).repository()...)
		return
	case verb == "alias" || verb == "extension" || verb == "ext" || verb == "config" || verb == "auth":
		c.does(executes | unknown)
		for _, w := range words[min(2, len(words)):] {
			c.raiseText(w, c.name+" "+verb)
		}
		c.danger(Confirm, c.name+" "+verb+" changes what "+c.name+" does", c.at)
	default:
		c.danger(Confirm, c.name+" "+show(verb)+" "+show(second)+" publishes", c.at)
	}
	c.does(unknown)
}
