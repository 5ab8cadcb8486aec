package remote

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/shell"
)

// Target is a place where commands can run.
type Target struct {
	Name string   // as it was given
	Dir  string   // where its shell starts; "" is where it starts by itself
	argv []string // runs a program there, once the words "sh -c SCRIPT" are appended
	ssh  bool     // these words are one, for a shell
	env  []string // variables of this side that argv needs, besides those that every program needs
}

// The variables that a program gets that makes a connection: nothing else of this side's
// environment can get there.
var (
	everyEnv  = strings.Fields("PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL LC_CTYPE TZ TMPDIR")
	sshEnv    = strings.Fields("SSH_AUTH_SOCK SSH_ASKPASS SSH_ASKPASS_REQUIRE DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR")
	engineEnv = strings.Fields("DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY DOCKER_TLS CONTAINER_HOST CONTAINER_SSHKEY " +
		"XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK KUBECONFIG AWS_PROFILE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy")
)

// ParseTarget reads KIND:PLACE, a name that has such a text in names, or else the name of
// an ssh host.
func ParseTarget(text string, names map[string]string) (*Target, error) {
	t := &Target{Name: text}
	if named, ok := names[text]; ok {
		text = named
	}
	kind, place, ok := strings.Cut(text, ":")
	if !ok {
		kind, place = "ssh", text
	}
	place, wrong := strings.TrimSpace(place), ""
	switch kind {
	case "ssh":
		host, dir, hasDir := strings.Cut(place, "/")
		if hasDir {
			t.Dir = path.Clean("/" + dir)
		}
		if rest, home := strings.CutPrefix(t.Dir, "/~"); home {
			t.Dir = "~" + rest
		}
		host, port := splitPort(host)
		t.argv, t.ssh, t.env = []string{"ssh", "-T", "-a", "-x", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none", "-o", "ConnectTimeout=30", "-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"}, true, sshEnv
		if port != "" {
			t.argv = append(t.argv, "-p", port)
		}
		t.argv, place = append(t.argv, host), host
	case "docker", "podman":
		t.argv, t.env = []string{kind, "exec", "-i", place}, engineEnv
	case "kubectl":
		pod, container, inContainer := strings.Cut(place, "/")
		t.argv, t.env = []string{"kubectl", "exec", "-i", pod}, engineEnv
		if inContainer {
			t.argv = append(t.argv, "-c", container)
		}
		t.argv, place = append(t.argv, "--"), pod
	case "exec":
		words, err := shell.Fields(place, nil)
		if err != nil {
			wrong = err.Error()
		}
		t.argv = words
	default:
		wrong = "no such kind"
	}
	switch {
	case wrong == "" && (place == "" || len(t.argv) == 0):
		wrong = "it names no place"
	case wrong == "" && kind != "exec" && strings.HasPrefix(place, "-"):
		wrong = "a name does not begin with -"
	}
	if wrong != "" {
		return nil, fmt.Errorf("target %q: %s: it is ssh:HOST[:PORT][/DIR], docker:NAME, podman:NAME, kubectl:POD[/CONTAINER] or exec:'ARGV...'%s", text, wrong, known(names))
	}
	return t, nil
}

// splitPort takes the port off a host, which may be an address of IPv6 in brackets.
func splitPort(place string) (host, port string) {
	if address, rest, ok := strings.Cut(place, "]"); ok {
		return strings.Replace(address, "[", "", 1), strings.TrimPrefix(rest, ":")
	}
	host, port, _ = strings.Cut(place, ":")
	return host, port
}

func known(names map[string]string) string {
	if len(names) == 0 {
		return ""
	}
	return ", or one of " + strings.Join(sortedKeys(names), ", ")
}

func sortedKeys[T any](m map[string]T) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// command is the argv that runs a script of sh there, which holds no single quote and is one line.
func (t *Target) command(script string) []string {
	if t.ssh {
		return append(slices.Clone(t.argv), "exec sh -c '"+script+"'")
	}
	return append(slices.Clone(t.argv), "sh", "-c", script)
}

// environ is what of an environment the program gets that makes the connection.
func (t *Target) environ(all []string) (out []string) {
	for _, e := range all {
		name, _, _ := strings.Cut(e, "=")
		if slices.Contains(everyEnv, name) || slices.Contains(t.env, name) {
			out = append(out, e)
		}
	}
	return out
}
