package secrettext

import "strings"

// bare are the characters of a value without quotes.
var bare = newSet(" \t\r\n\"'`,;&|<>(){}[]\\").complement()

// findAssigned finds what a name such as password is given: by = or : or :=, after an
// option, in JSON, and in a sentence.
func findAssigned(p place) []span {
	start, end := p.nameAround()
	name := p.text[start:end]
	switch strings.ToLower(strings.TrimLeft(name, "-.")) {
	case "pwd", "oldpwd", "cwd":
		return nil
	}
	if strings.HasSuffix(p.text[:start], "${") { // ${PASSWORD:-...}
		return nil
	}
	c := cursor{p.text, end}
	a := assigned{shouting: strings.ToUpper(name) == name, quotedName: c.skipQuote() != ""}
	c.skipByte(']')
	if a.spaced = c.skipSpaces(); !a.readSign(&c, name) {
		return nil
	}
	spaced := c.skipSpaces()
	from, to, quoted := c.value()
	if !a.spaced && spaced && !quoted && p.text[end] == '=' {
		return nil // it is given nothing
	}
	a.spaced = a.spaced || spaced && !a.certain
	a.value, a.quoted, a.next = p.text[from:to], quoted, byteAt(p.text, to)
	if a.prose && !quoted {
		a.value = strings.TrimRight(a.value, ".:!?")
	}
	what := kindOf(name)
	if !a.isSecret(what, p.loose) {
		return nil
	}
	return []span{{from, from + len(a.value), what}}
}

// nameAround is where the name that holds the literal starts and ends.
func (p place) nameAround() (start, end int) {
	start, end = p.at, p.after
	for start > 0 && p.at-start < 64 && nameSet[p.text[start-1]] {
		start--
	}
	for end < len(p.text) && end-p.after < 2 && '0' <= p.text[end] && p.text[end] <= '9' {
		end++
	}
	return start, end
}

// readSign reads what gives a name its value; false: nothing does.
func (a *assigned) readSign(c *cursor, name string) bool {
	switch {
	case c.skipText(":=") || c.skipText("=>"):
	case c.peek() == '=' && c.peekAt(1) != '=' && c.peekAt(1) != '~', c.peek() == ':' && c.peekAt(1) != ':':
		a.header = c.peek() == ':' && strings.IndexByte(strings.TrimLeft(name, "-"), '-') > 0
		a.certain = c.peek() == '=' && !a.spaced || a.header
		c.at++
	case a.spaced && strings.HasPrefix(name, "-"):
		a.certain, a.spaced = true, false
	case a.spaced && (c.skipText("is: ") || c.skipText("is ")):
		a.prose = true
	default:
		return false
	}
	return true
}

// kindOf is what a name says that its value is.
func kindOf(name string) string {
	name = strings.ToLower(name)
	for _, kind := range [][2]string{{"pass", "password"}, {"pwd", "password"}, {"key", "key"}, {"token", "token"}, {"credential", "credentials"}} {
		if strings.Contains(name, kind[0]) {
			return kind[1]
		}
	}
	return "secret"
}

// findAuthorization finds what follows an Authorization header: a scheme stays.
func findAuthorization(p place) []span {
	c := cursor{p.text, p.after}
	quoted := c.skipQuote() != ""
	c.skipByte(']')
	c.skipSpaces()
	argument := quoted && c.skipByte(',') // setHeader("Authorization", "Basic ...")
	if !argument && !c.skipByte(':') && !c.skipByte('=') {
		return nil
	}
	c.skipSpaces()
	c.skipQuote()
	scheme := dashed.run(p.text[c.at:])
	hasScheme := scheme > 0 && byteAt(p.text, c.at+scheme) == ' '
	if hasScheme {
		c.at += scheme
		c.skipSpaces()
	} else if argument {
		return nil
	}
	return credential(p, c.at, hasScheme, true)
}

// findBearer finds a token by its scheme alone.
func findBearer(p place) []span {
	if !startsWord(p.text, p.at) {
		return nil
	}
	return credential(p, p.after, true, false)
}

// credential is the word at a place, if it looks like what a header carries.
func credential(p place, from int, hasScheme, atHeader bool) []span {
	n := bare.run(p.text[from:])
	value := p.text[from : from+n]
	s := shapeOf(value)
	switch {
	case n == 0 || value[0] == '$':
		return nil
	case p.loose && (atHeader || n >= 8):
	case n < 8 || isPlaceholder(value) || strings.Contains(value, "://") || strings.IndexByte("([{", byteAt(p.text, from+n)) >= 0:
		return nil
	case s.distinct < 6 || s.digits == 0 && (s.lowers == 0 || s.uppers < 2 || strings.ContainsAny(value, "-_.")):
		return nil
	case !hasScheme && n < 16 || isWords(value) && strings.ContainsAny(value, "_.") && s.digits < 3:
		return nil
	}
	return []span{{from, from + n, "credentials"}}
}

// findCookies finds the values of a Cookie header, and the first of a Set-Cookie one:
// after that come attributes.
func findCookies(p place) (spans []span) {
	c := cursor{p.text, p.after}
	c.skipQuote()
	if !c.skipByte(':') {
		return nil
	}
	c.skipSpaces()
	c.skipQuote()
	first := p.at >= 4 && strings.EqualFold(p.text[p.at-4:p.at], "set-")
	for {
		name := strings.IndexAny(p.text[c.at:], "=;\"' \t\r\n")
		if name <= 0 || p.text[c.at+name] != '=' {
			return spans
		}
		from := c.at + name + 1
		n := strings.IndexAny(p.text[from:], ";\"' \t\r\n\\")
		if n < 0 {
			n = len(p.text) - from
		}
		value := p.text[from : from+n]
		s := shapeOf(value)
		if p.loose && n > 0 || n >= 6 && s.distinct >= 4 && (s.digits > 0 || n >= 16) && !isPlaceholder(value) {
			spans = append(spans, span{from, from + n, "cookie"})
		}
		if c.at = from + n; first || !c.skipByte(';') {
			return spans
		}
		c.skipSpaces()
	}
}

// findUserinfo finds the password in an address.
func findUserinfo(p place) []span {
	n := strings.IndexAny(p.text[p.after:], "/ \t\r\n\"'`<>?#\\")
	if n < 0 {
		n = len(p.text) - p.after
	}
	info := p.text[p.after : p.after+n]
	end := strings.LastIndexByte(info, '@')
	if end < 0 {
		return nil
	}
	colon := strings.IndexByte(info[:end], ':')
	if colon < 0 || colon+1 == end {
		return nil
	}
	if value := info[colon+1 : end]; value[0] == '$' || !p.loose && (len(value) < 4 || strings.ContainsAny(value, "[]") || isPlaceholder(value)) {
		return nil
	}
	return []span{{p.after + colon + 1, p.after + end, "password"}}
}

// cursor goes through a text.
type cursor struct {
	text string
	at   int
}

func byteAt(text string, i int) byte {
	if i < 0 || i >= len(text) {
		return 0
	}
	return text[i]
}

func (c *cursor) peek() byte           { return byteAt(c.text, c.at) }
func (c *cursor) peekAt(n int) byte    { return byteAt(c.text, c.at+n) }
func (c *cursor) rest() string         { return c.text[c.at:] }
func (c *cursor) skipByte(b byte) bool { return c.skipText(string(rune(b))) }

func (c *cursor) skipText(s string) bool {
	ok := strings.HasPrefix(c.rest(), s)
	if ok {
		c.at += len(s)
	}
	return ok
}

// skipSpaces skips blanks and reports whether there were any.
func (c *cursor) skipSpaces() bool {
	n := 0
	for n < 16 && (c.peekAt(n) == ' ' || c.peekAt(n) == '\t') {
		n++
	}
	c.at += n
	return n > 0
}

// skipQuote skips a quote, also one that is escaped, and returns it.
func (c *cursor) skipQuote() string {
	for _, quote := range [...]string{`"`, `'`, "`", `\"`} {
		if c.skipText(quote) {
			return quote
		}
	}
	return ""
}

// value is where the word or the quoted text that comes next begins and ends.
func (c *cursor) value() (from, to int, quoted bool) {
	if quote := c.skipQuote(); quote != "" {
		line := c.rest()
		if n := strings.IndexAny(line, "\r\n"); n >= 0 {
			line = line[:n]
		}
		if n := strings.Index(line, quote); n >= 0 {
			return c.at, c.at + n, true
		}
	}
	return c.at, c.at + bare.run(c.rest()), false
}
