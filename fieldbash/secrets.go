package fieldbash

import (
	"cmp"
	"io"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/internal/secrettext"
	"github.com/agentbash/agentbash/registry"
)

// secretName is what options, variables and query parameters that hold secrets are called.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(token|secret|passw|passphrase|\bpat\b|\bpwd\b|_pwd|api[-_]?key|access[-_]?key|\bkey$|credential|auth|\bsig\b|signature)`)
})

// assigned is a name and its value: of an option, a query, a connection string.
var assigned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([\w.-]+)=("[^"]*"|'[^']*'|[^\s&;#"']+)`) })

// optionValue is an option and the word after it, in a text for a shell.
var optionValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\s)(--?[\w-]+)\s+("[^"]*"|'[^']*'|[^\s;&|"'-][^\s;&|"']*)`)
})

// userinfo is what stands before the host of an address.
var userinfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^/?#\s"']+)@`) })

// keySegment is a part of an address's path that nobody would choose as a name.
var keySegment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/([A-Za-z0-9_=-]*[0-9][A-Za-z0-9_=-]*[0-9][A-Za-z0-9_=-]*)`)
})

// minKey is the length of such a part.
const minKey = 20

// secretsIn are the secrets in a word of a configuration: values that are called so,
// what stands in an address, and what looks like a key.
func secretsIn(word string) (out []string) {
	out = secrettext.Find(word)
	for _, m := range optionValue().FindAllStringSubmatch(word, -1) {
		if secretName().MatchString(m[1]) {
			out = append(out, strings.Trim(m[2], `"'`))
		}
	}
	for _, m := range assigned().FindAllStringSubmatch(word, -1) {
		if secretName().MatchString(m[1]) {
			value := strings.Trim(m[2], `"'`)
			out = append(out, value)
			if plain, err := url.QueryUnescape(value); err == nil {
				out = append(out, plain, url.QueryEscape(plain))
			}
		}
	}
	for _, m := range userinfo().FindAllStringSubmatch(word, -1) {
		out = append(out, m[1])
		if user, password, ok := strings.Cut(m[1], ":"); ok {
			plain, _ := url.PathUnescape(password)
			out = append(out, password, plain, user+":***", user+":xxxxx") // net/http and net/url hide the password alone
		}
	}
	if strings.Contains(word, "://") {
		for _, m := range keySegment().FindAllStringSubmatch(word, -1) {
			if len(m[1]) >= minKey {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// secretsOfArgv are the secrets in the words of a command: what follows an option
// that is called like a secret is one.
func secretsOfArgv(argv []string) (out []string) {
	for i, word := range argv {
		out = append(out, secretsIn(word)...)
		if i > 0 && strings.HasPrefix(argv[i-1], "-") && !strings.Contains(argv[i-1], "=") && secretName().MatchString(argv[i-1]) && !strings.HasPrefix(word, "-") {
			out = append(out, word)
		}
	}
	return out
}

// secretsOfMap are the secrets in variables.
func secretsOfMap(values map[string]string) (out []string) {
	for name, v := range values {
		if out = append(out, secretsIn(v)...); secretName().MatchString(name) {
			out = append(out, v)
		}
	}
	return out
}

// secretsOfHeaders are the values of headers, with and without their schemes.
func secretsOfHeaders(headers map[string]string) (out []string) {
	for _, v := range headers {
		out = append(out, v)
		if _, token, ok := strings.Cut(v, " "); ok { // Bearer, Basic
			out = append(out, token)
		}
	}
	return out
}

// wholeFirst sorts texts so that one is replaced before what is in it.
func wholeFirst(secrets []string) []string {
	secrets = slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(secrets)
}

// secrets are the texts of a server's configuration that messages must not show.
func (s Server) secrets() []string {
	out := slices.Concat(secretsOfArgv(s.Args), secretsOfMap(s.Env), secretsOfHeaders(s.Headers), secretsIn(s.URL))
	if s.OAuth != nil {
		out = append(out, s.OAuth.ClientSecret)
	}
	return wholeFirst(out)
}

// secrets are those of a function's configuration.
func (f Function) secrets() (out []string) {
	if f.Exec != nil {
		out = append(secretsOfArgv(f.Exec.Argv), secretsOfMap(f.Exec.Env)...)
	}
	if f.HTTP != nil {
		out = append(out, append(secretsOfHeaders(f.HTTP.Headers), secretsIn(f.HTTP.URL)...)...)
	}
	return wholeFirst(slices.AppendSeq(out, maps.Values(f.Auth)))
}

// hidden stands where a secret was.
const hidden = "[redacted]"

// Launch is how a server is started or reached, as it may be shown: a command line or
// an address, without the secrets in it.
func (s Server) Launch() string {
	argv := append([]string{s.Command}, s.Args...)
	if s.Command == "" {
		argv = []string{s.URL}
	}
	for i, word := range hideWords(argv, s.secrets()) {
		if argv[i] = word; s.Command != "" && !strings.Contains(word, hidden) {
			argv[i] = quote.Word(word)
		}
	}
	return cleanText(strings.Join(argv, " "), maxDetail)
}

// hideWords are the words of a command without secrets, each hidden where it stands as one.
func hideWords(argv, secrets []string) []string {
	out := slices.Clone(argv)
	for i, word := range argv {
		for _, secret := range secrets {
			if word == secret || len(secret) >= minKey || slices.Contains(secretsIn(word), secret) {
				out[i] = strings.ReplaceAll(out[i], secret, hidden)
			}
		}
	}
	return out
}

// HideJSON is the JSON of a configuration or of definitions, for who is to decide about
// it: without secrets, but with references to variables, and with every word that a
// shell could run.
func HideJSON(text []byte) []byte { return []byte(hideJSON(gjson.ParseBytes(text), "", false)) }

// hideJSON hides what stands at a key; all: whatever that is.
func hideJSON(v gjson.Result, key string, all bool) string {
	var out []string
	switch {
	case v.IsObject():
		v.ForEach(func(k, one gjson.Result) bool {
			inner := all || slices.Contains([]string{"headers", "auth"}, k.String())
			out = append(out, k.Raw+":"+hideJSON(one, k.String(), inner))
			return true
		})
		return "{" + strings.Join(out, ",") + "}"
	case v.IsArray():
		var words []string
		for _, one := range v.Array() {
			out, words = append(out, hideJSON(one, "", all)), append(words, one.Str) // "" for what is no text
		}
		for i, word := range hideWords(words, slices.DeleteFunc(wholeFirst(secretsOfArgv(words)), runs)) {
			if word != words[i] && !all {
				out[i] = quoteJSON(word)
			}
		}
		return "[" + strings.Join(out, ",") + "]"
	case v.Type != gjson.String:
		return v.Raw
	}
	s := v.String()
	secrets := slices.DeleteFunc(secretsIn(s), runs)
	if value, _ := strings.CutPrefix(s, "Bearer "); (all || secretName().MatchString(key)) && !variableOnly().MatchString(value) {
		secrets = []string{s}
	}
	if shown := hideWords([]string{s}, wholeFirst(secrets))[0]; shown != s {
		return quoteJSON(shown)
	}
	return v.Raw
}

// runs reports whether a shell could run what is in a text, or it is no value at all.
func runs(text string) bool { return strings.ContainsAny(text, " \t\n;|&`$(){}<>") }

// variableOnly is a variable of the environment, as a configuration names it.
var variableOnly = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$\{[^{}]*\}$`) })

// HideIn is a text without the secrets of the server's configuration.
func (s Server) HideIn(text string) string { return hideSecrets(text, s.secrets()) }

// minSecret is the length below which a text is too common to be blotted out.
const minSecret = 4

// hideError is an error without secrets. A mistake in a call's words has none.
func hideError(err error, secrets []string) error {
	if err == nil {
		return nil
	}
	text := hideSecrets(err.Error(), secrets)
	if text == err.Error() {
		return err
	}
	return &statusError{registry.ExitStatus(err), text}
}

func hideSecrets(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, hidden)
		}
	}
	return text
}

// notes passes on what a program writes on stderr, without secrets.
type notes struct {
	w       io.Writer
	secrets []string
}

func (n notes) Write(b []byte) (int, error) {
	if _, err := io.WriteString(n.w, hideSecrets(string(b), n.secrets)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// summary is one line about a server for listings: what it is, and none of its
// options.
func (s Server) summary() string {
	if s.Command == "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" {
			return "MCP server"
		}
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		return cleanText("MCP server at "+Server{URL: u.String()}.Launch(), maxSummary)
	}
	text := "MCP server: " + path.Base(s.Command)
	for i, arg := range s.Args {
		if !strings.HasPrefix(arg, "-") {
			if len(secretsOfArgv(s.Args[:i+1])) == 0 {
				parts := strings.Split(arg, "/") // where it is installed says nothing
				text += " " + strings.Join(parts[max(0, len(parts)-3):], "/")
			}
			break
		}
	}
	return cleanText(text, maxSummary)
}
