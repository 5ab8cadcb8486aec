package router

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// streams are a command's two outputs while it runs, and both as one text.
type streams struct {
	out, err *capture
	images   *pictures // nil: nobody takes them
	both     *merge
}

func (r *Router) newStreams(stdout, stderr io.Writer) *streams {
	shown := 2 * utf8.UTFMax * r.opts.MaxChars // bytes, and what makes sure that no secret is cut
	empty := func(limit int) capture {
		return capture{dir: r.dir, limit: limit, tail: ring{size: max(captureTail, shown)}}
	}
	both := &merge{text: empty(max(shownHead, shown))}
	of := func(name string, tee io.Writer) *capture {
		c := empty(captureHead)
		c.name, c.tee, c.both = name, tee, both
		return &c
	}
	s := &streams{out: of("stdout", stdout), err: of("stderr", stderr), both: both}
	both.last, both.other = s.out, s.err
	return s
}

// end ends the captures; what is written later is dropped.
func (s *streams) end() {
	s.out.close()
	s.err.close()
	s.both.switchStream()
	s.both.text.close()
}

// screen is how many characters a model is shown of what lists and helps, which goes on in a file.
const screen = 2500

// renderResult fills in a result's texts from its streams. headOnly keeps the
// beginning of a cut output, else a fifth of it is head and the rest tail. most is how many characters are shown.
func (r *Router) renderResult(res *Result, s *streams, headOnly bool, most int) {
	s.end()
	res.Stdout, res.Stderr = string(s.out.head), string(s.err.head)

	b := body{max: most, headOnly: headOnly, tool: res.toolName(), hider: r.hider, dir: r.dir, rest: res.rest}
	if res.Layer != Agent { // whose commands have limits of their own
		b.longest = longestLine
	}
	if res.listing {
		b.max, b.headOnly = min(b.max, screen), true
	}
	if s.out.binary() || s.err.binary() {
		s.both.text.removeFile()
		b.addStream(s.out)
		if s.err.total > 0 {
			if b.total > 0 && !strings.HasSuffix(b.last(1), "\n") {
				b.addText("\n")
			}
			b.addText("[stderr]\n")
			b.addStream(s.err)
		}
	} else {
		s.out.removeFile() // hooks have seen it
		s.err.removeFile()
		b.addStream(&s.both.text)
	}
	res.Output = b.cutText()
	res.Truncated, res.FullOutput = b.truncated || !s.out.whole() || !s.err.whole(), b.path
	for _, line := range append(r.statusLines(res), r.newsLines()...) {
		res.Output = endLine(res.Output) + line
	}
	if res.Output == "" {
		res.Output = "(no output)"
	}
	res.Error = r.hider.Hide(Safe(res.Error))
}

// longer is how a command gets more time than it had.
func (r *Router) longer() string {
	if _, ok := r.reg.Lookup("bash_start"); ok {
		return ": give it a longer timeout, or start it with bash_start"
	}
	return ""
}

func (res *Result) toolName() string {
	if res.Layer == Native {
		return "bash"
	}
	return res.Name
}

// statusLines are what a model has to know beside the text. Who cancelled is the caller's to say.
func (r *Router) statusLines(res *Result) []string {
	var lines []string
	if res.ExitCode != 0 {
		lines = append(lines, fmt.Sprintf("[exit code: %d]", res.ExitCode))
	}
	switch {
	case res.Running > 0:
		lines = append(lines, r.goesOnLine(res))
	case res.TimedOut:
		lines = append(lines, fmt.Sprintf("[timed out after %s%s]", formatSeconds(res.limit), r.longer()))
	}
	if res.noRoom != nil {
		lines = append(lines, fmt.Sprintf("[it was ended and does not go on: %v]", res.noRoom))
	}
	if res.resumed {
		lines = append(lines, "[the shell had stopped, and was made to go on: nothing is lost]")
	}
	switch {
	case !res.Restarted || res.endTold && !res.stateLost:
	case res.stateLost:
		lines = append(lines, "[the shell had ended: this ran in a new one; its jobs and what was last set in it are lost]")
	default:
		lines = append(lines, "[the shell had ended: this ran in a new one, with the old directory, variables and functions; its jobs are lost]")
	}
	if res.shellEnded {
		lines = append(lines, "[the shell ended: the next command runs in a new one"+r.tellLost(res)+"]")
	}
	if res.Background != "" {
		lines = append(lines, "[a background process goes on; what it writes goes to "+res.Background+"]")
	}
	return lines
}

// firstChars returns the first n characters of s.
func firstChars(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// lastChars returns the last n characters of s.
func lastChars(s string, n int) string {
	i := len(s)
	for ; i > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// atLineEnd cuts back to the last line end, unless that would cost half of the text.
func atLineEnd(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= len(s)/2 {
		return s[:i+1]
	}
	return s
}

// atLineStart cuts forward to a line's start, unless that would cost half of the text.
func atLineStart(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/2 {
		return s[i+1:]
	}
	return s
}

func endLine(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}
