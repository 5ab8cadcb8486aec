package session

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// The bash text that the session itself feeds to the shell. Every builtin is
// called as \builtin name, so that neither an alias nor a function of that name
// is met; a function named builtin is dealt with in recover. The names below
// are the only ones that the session defines in the user's shell.
const (
	rcFunc   = "__session_rc"   // sets $? without a fork
	fixFunc  = "__session_fix"  // see below
	dumpFunc = "__session_dump" // see below

	markVar   = "__session_p"      // number of the last command that began to run as one unit
	statusVar = "__session_status" // what dropBuiltin keeps
	abortVar  = "__session_abort"  // not empty: abortTrap is in effect
	asideVar  = "__session_aside"  // what abortTrap put aside, to be run
	actionVar = "__session_action" // words of the INT trap

	// envMark is in the environment of everything that a session starts.
	envMark = "AGENTBASH_SESSION"
)

// abortSignal is a real-time signal whose trap makes the shell drop the rest of
// the running command. A trap runs when the foreground process is dead and
// before the next command of the list, whatever that process died of; so the
// shell learns of an interrupt before it could go on.
//
// A trap cannot end what it interrupts. So it runs the INT trap that the command
// may have, and then, until endAbort, has bash skip every command but the
// session's own, which are known by the prefix of their names: under extdebug a
// command before which the DEBUG trap fails is not run. SIGINT, which is no
// longer trapped then, ends what loops. (The negation keeps errexit out of it.)
//
// It tells the host on the snapshot pipe when it is all but done, by abortNote: a
// SIGINT before that would end the trap and not the command.
const (
	abortSignal = 64 - 7
	abortNote   = "#ABORT\n"
	endAbort    = `[[ ! ${` + abortVar + `-} ]] || { \builtin trap - DEBUG ${` + abortVar + `:+}; \builtin shopt -u extdebug; ` +
		`\builtin eval "$` + asideVar + `"; \builtin unset -v ` + abortVar + ` ` + asideVar + ` ` + actionVar + "; }; "
)

func abortTrap(snap string) string {
	return `\builtin trap '[[ ${` + abortVar + `-} ]] || { ` +
		abortVar + `=1 ` + asideVar + `=$(\builtin trap -p INT; \builtin trap -p DEBUG; \builtin shopt -p extdebug); ` +
		`\builtin eval "` + actionVar + `=($(\builtin trap -p INT))"; \builtin eval "${` + actionVar + `[2]-}"; }; ` +
		`\builtin trap - INT; \builtin shopt -s extdebug; \builtin printf "#ABORT\n" >|` + snap + ` 2>/dev/null; ` +
		`\builtin trap "! [[ \$BASH_COMMAND != *__session_* ]]" DEBUG' ` + strconv.Itoa(abortSignal)
}

// A snapshot begins with snapBegin, $PWD and a NUL, and ends with snapEnd.
const snapBegin, snapEnd = "#BEGIN\n", "#END\n"

// defineFuncs defines the session's functions.
//
// The dump writes everything that a new shell needs, in an order that can be
// read back: shopt first (extglob changes what parses), functions before
// aliases (an alias is expanded when a function is read), set -o last.
//
// fix takes back what makes an interactive shell slow, end in silence or read
// its command pipe between commands.
const defineFuncs = rcFunc + `() { \builtin return "$1"; }; ` +
	fixFunc + `() { \builtin unset -v PROMPT_COMMAND TMOUT PS0; \builtin set +t; PS1=; }; ` +
	dumpFunc + `() { \builtin printf '#BEGIN\n%s\0' "$PWD"; \builtin umask -p; \builtin shopt -p; ` +
	`\builtin declare -f; \builtin declare -Fx; \builtin declare -p; \builtin alias -p; \builtin set +o; \builtin trap -p HUP INT QUIT USR1 USR2 PIPE ALRM TERM CHLD CONT WINCH; \builtin printf '#END\n'; }; ` +
	`\builtin readonly -f ` + rcFunc + " " + fixFunc + " " + dumpFunc + "; "

// fixLine calls fix if it is needed.
const fixLine = `[[ $-:${PS0-}${PS1-}${PROMPT_COMMAND-}${TMOUT-} == +([^t]): ]] || ` + fixFunc + "\n"

// recoverLines take a function named builtin away: assignments cannot be
// shadowed, and in POSIX mode special builtins win over functions.
const recoverLines = "POSIXLY_CORRECT=y\n\\trap - DEBUG\n\\unset -f builtin unset trap eval\n\\unset POSIXLY_CORRECT\n"

// namesBuiltin finds a text that may define a function named builtin, and dropBuiltin takes
// that away before the report, in the same way, and keeps $?. One that comes from elsewhere (a
// sourced file) costs the command its status.
var namesBuiltin = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`function\s+builtin|builtin\s*\(`) })

const dropBuiltin = statusVar + `=$? POSIXLY_CORRECT=y; \unset -f builtin unset; \unset POSIXLY_CORRECT; ` + rcFunc + ` "$` + statusVar + `" && :; `

// bootLines make a fresh interactive bash into the session's shell; snap is the
// path of the snapshot pipe. Descriptors that the host itself had inherited and
// did not mark are not for the user's commands; 255 is bash's own.
func bootLines(snap string) string {
	return `\builtin set +o history +H; \builtin history -c; \builtin shopt -u checkwinsize; ` +
		`for ` + markVar + ` in /proc/self/fd/*; do case ${` + markVar + `##*/} in [012]|255|'*') ;; *) \builtin eval "\\exec ${` + markVar + `##*/}>&-";; esac; done; ` +
		`\builtin unset -v HISTFILE MAILCHECK MAIL TMOUT PROMPT_COMMAND PS0 PS2; PS1= ` + markVar + "=0\n" +
		defineFuncs + "\n" +
		abortTrap(snap) +
		`; \builtin trap '` + dumpFunc + ` >|` + snap + ` 2>/dev/null' EXIT` + "\n"
}

// initLine runs Options.Init quietly, from a file.
func initLine(file string) string {
	return `\builtin eval "$(<` + file + `)" >/dev/null 2>&1 </dev/null` + "\n" + fixFunc + "\n"
}

// restoreLine reads back the state of an older shell. Not eval: what a sourced
// file does to the line editor (set +o emacs) does not disturb the reader.
func restoreLine(file string) string {
	return `\builtin . ` + file + ` >/dev/null 2>&1 </dev/null` + "\n" + fixFunc + "\n"
}

// appendReport appends the command that reports on the control pipe how command
// id ended, with the mark if it counts.
func appendReport(l []byte, id int64, marked bool) []byte {
	l = append(l, `\builtin printf `+frameFormat+` `...)
	l = strconv.AppendInt(l, id, 10)
	if !marked {
		return append(l, ` "$?" 0 "${PWD-}"`...)
	}
	return append(l, ` "$?" "${`+markVar+`-0}" "${PWD-}"`...)
}

// dumpLine writes a snapshot.
func dumpLine(snap string) string {
	return dumpFunc + ` >|` + snap + " 2>/dev/null </dev/null; "
}

// fitsUnit reports whether text is given to bash as one unit: several lines,
// but not so many that bash, which runs a list by recursion, runs out of stack;
// and none that may define an alias, which counts from the next line on only if
// that is read later; and no backslash at the end, which would join what
// follows. Comments alone are no unit: their status is 0.
func fitsUnit(text string) bool {
	n := strings.Count(text, "\n")
	if n == 0 || n > 1000 || strings.HasSuffix(text, `\`) || strings.Contains(text, "alias") {
		return false
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return true
		}
	}
	return false
}

// scriptUnit returns what goes before and after a text of several lines so that bash
// reads it as one compound command and an expansion error (set -u, ${x:?}) or
// an interrupt drops the whole rest of it, as in a script; an interactive bash
// alone would go on with the next line. The blank line takes a backslash at
// the end of the text. A case is used because no text closes one by accident,
// which a closing brace would do with braces.
func scriptUnit(id int64, status int) (before, after string) {
	n := strconv.FormatInt(id, 10)
	before = "case " + n + " in " + n + ") " + markVar + "=" + n + "; "
	if status != 0 {
		before += rcFunc + " " + strconv.Itoa(status) + " && :; "
	}
	return before, "\n\n;;\nesac"
}

// appendStatus appends a command that makes $? what it was after the last
// command; the && keeps set -e and an ERR trap out of it.
func appendStatus(l []byte, status int) []byte {
	if status == 0 {
		return l
	}
	l = append(l, rcFunc+" "...)
	l = strconv.AppendInt(l, int64(status), 10)
	return append(l, " && :; "...)
}
