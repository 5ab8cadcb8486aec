package secrettext

import (
	"slices"
	"strings"
)

// token is a form that begins with a literal: what follows are characters of a set,
// as many as one of the numbers says.
type token struct {
	prefix   string
	what     string
	set      *charSet
	min, max int // max 0: any number
}

// The table. Numbers are a little looser than what is issued today.
var tokens = []token{
	{"ghp_", "GitHub token", alnum, 30, 0},
	{"gho_", "GitHub token", alnum, 30, 0},
	{"ghu_", "GitHub token", alnum, 30, 0},
	{"ghs_", "GitHub token", alnum, 30, 0},
	{"ghr_", "GitHub token", alnum, 30, 0},
	{"github_pat_", "GitHub token", word, 36, 0},
	{"glpat-", "GitLab token", dashed, 20, 0},
	{"gldt-", "GitLab token", dashed, 20, 0},
	{"glrt-", "GitLab token", dashed, 20, 0},
	{"sk-ant-", "Anthropic key", dashed, 20, 0},
	{"sk-proj-", "OpenAI key", dashed, 20, 0},
	{"sk-svcacct-", "OpenAI key", dashed, 20, 0},
	{"sk-admin-", "OpenAI key", dashed, 20, 0},
	{"sk-or-v1-", "OpenRouter key", alnum, 32, 0},
	{"sk-api-", "API key", dashed, 32, 0},
	{"sk-", "API key", alnum, 20, 0},
	{"gsk_", "Groq key", alnum, 40, 0},
	{"xai-", "xAI key", alnum, 40, 0},
	{"tvly-", "Tavily key", dashed, 20, 0},
	{"hf_", "Hugging Face token", alnum, 30, 0},
	{"AKIA", "AWS key id", upper, 16, 16},
	{"ASIA", "AWS key id", upper, 16, 16},
	{"AIza", "Google key", dashed, 35, 35},
	{"ya29.", "Google token", dashed, 30, 0},
	{"xoxa-", "Slack token", dashed, 10, 0},
	{"xoxb-", "Slack token", dashed, 10, 0},
	{"xoxe-", "Slack token", dashed, 10, 0},
	{"xoxp-", "Slack token", dashed, 10, 0},
	{"xoxr-", "Slack token", dashed, 10, 0},
	{"xoxs-", "Slack token", dashed, 10, 0},
	{"npm_", "npm token", alnum, 36, 0},
	{"pypi-AgE", "PyPI token", dashed, 50, 0},
	{"sk_live_", "Stripe key", alnum, 16, 0},
	{"rk_live_", "Stripe key", alnum, 16, 0},
	{"whsec_", "Stripe key", base64Set, 24, 0},
	{"dop_v1_", "DigitalOcean token", alnum, 60, 0},
	{"SG.", "SendGrid key", dotted, 50, 0},
	{"AGE-SECRET-KEY-1", "age key", upper, 50, 0},
}

// names end the names of variables, members, options and headers whose values are
// secret.
var names = strings.Fields(`password passwd passphrase passwort _pass pwd secret token apikey api_key api-key
	access-tokens access_key accesskey access-key secret_key secretkey secret-key private_key privatekey auth_key credential credentials`)

// placeholders are in what stands for a secret and is none.
var placeholders = strings.Fields(`xxxx *** ... … < > &lt; ${ {{ $( %s %( your insert_ replace changeme change-me change_me placeholder redacted hidden dummy todo fixme`)

// words are no secrets, alone.
var words = strings.Fields(`password passwd passphrase pass secret token apikey string str text none null nil true false undefined required optional
	yes no value example foobar foo bar test testing user username root admin`)

// envNames are the parts and the ends of the names of variables that hold secrets.
var (
	envParts = strings.Fields(`APIKEY ACCESS_KEY PRIVATE_KEY KEY_ID TOKEN SECRET PASSWORD PASSWD PASSPHRASE CREDENTIAL COOKIE AUTHORIZATION`)
	envEnds  = strings.Fields(`KEY KEYS PASS PAT AUTH PWD`)
)

// Name reports whether the name of a variable says that its value is secret.
func Name(name string) bool {
	name = strings.ToUpper(name)
	if name == "PWD" || name == "OLDPWD" {
		return false
	}
	last := strings.TrimRight(name[strings.LastIndexByte(name, '_')+1:], digits)
	return slices.Contains(envEnds, last) || slices.ContainsFunc(envParts, func(part string) bool { return strings.Contains(name, part) })
}

// charSet is a set of bytes.
type charSet [256]bool

func newSet(chars string) *charSet {
	var s charSet
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return &s
}

func (s *charSet) complement() *charSet {
	for i := range s {
		s[i] = !s[i]
	}
	return s
}

const (
	digits = "0123456789"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowers = "abcdefghijklmnopqrstuvwxyz"
)

var (
	alnum     = newSet(digits + uppers + lowers)
	upper     = newSet(digits + uppers)
	word      = newSet(digits + uppers + lowers + "_")
	dashed    = newSet(digits + uppers + lowers + "_-")
	dotted    = newSet(digits + uppers + lowers + "_-.")
	base64Set = newSet(digits + uppers + lowers + "+/=")
	nameSet   = dotted
)

// run is the length of the bytes of the set that a text begins with.
func (s *charSet) run(text string) int {
	for i := range len(text) {
		if !s[text[i]] {
			return i
		}
	}
	return len(text)
}
