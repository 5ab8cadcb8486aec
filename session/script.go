package session

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// The bash text that the session itself feeds to the shell. Every builtin is
// called as \builtin name, so that neither an alias nor a function of that name
// is met; a function named builtin is dealt with in recover. The names below
// are the only ones that the session defines in the user's shell.
const (
	rcFunc      = "__session_rc"      // sets $? without a fork
	reportFunc  = "__session_report"  // reports the end of a command
	findFunc    = "__session_find"    // too, by path where descriptor 1 is not the control pipe
	dumpFunc    = "__session_dump"    // see below
	optionsFunc = "__session_options" // a part of it

	statusVar = "__session_status" // what dropBuiltin keeps
	abortVar  = "__session_abort"  // 1: abortTrap is in effect, 2: endAbort takes it back
	asideVar  = "__session_aside"  // what abortTrap put aside, to be run
	tryVar    = "__session_try"
	actionVar = "__session_action" // words of the INT trap

	// envMark is in the environment of everything that a session starts.
	envMark = "AGENTBASH_SESSION"
)

// abortSignal has a trap that makes the shell drop the rest of
// the running command. A trap runs when the foreground process is dead and
// before the next command of the list, whatever that process died of; so the
// shell learns of an interrupt before it could go on.
//
// A trap cannot end what it interrupts. So it runs the INT trap that the command
// may have, and then, until endAbort, has bash leave every loop and skip every
// command but the session's own, which are known by the prefix of their names:
// under extdebug a command before which the DEBUG trap fails is not run. (The
// negation keeps errexit out of it.)
//
// It tells the host on the snapshot pipe that it is in effect, by abortNote.
//
// The same trap is set on INT, until a command sets its own: a bash whose command
// substitution died of SIGINT sends itself one, which would end the shell.
const (
	abortNote = "\x00\x00\n" // no snapshot has two NULs in a row
	endAbort  = `[[ ! ${` + abortVar + `-} ]] || { ` + abortVar + `=2; \builtin trap - DEBUG ${` + abortVar + `:+}; \builtin shopt -u extdebug; ` +
		`\builtin eval "$` + asideVar + `"; \builtin unset -v ` + abortVar + ` ` + asideVar + ` ` + tryVar + ` ` + actionVar + "; }; "
)

// What captures the traps is a child, which the same interrupt may kill: it is tried
// again, and what came first counts, for the signal may also come within the trap.
func abortTrap(snap string) string {
	capture := `[[ ${` + asideVar + `-} ]] || { ` + tryVar + `=$(\builtin trap -p INT; \builtin trap -p DEBUG; \builtin shopt -p extdebug); ` +
		`[[ ${` + asideVar + `-} || $` + tryVar + ` != *extdebug ]] || ` + asideVar + `=$` + tryVar + `; }; `
	return `\builtin trap '[[ ${` + abortVar + `-} = 2 ]] || { [[ ${` + abortVar + `-} ]] || { ` + strings.Repeat(capture, 4) +
		abortVar + `=1; \builtin eval "` + actionVar + `=($` + asideVar + `)"; ` +
		`[[ ${` + actionVar + `[3]-} != *INT ]] || \builtin eval "${` + actionVar + `[2]}"; }; ` +
		`\builtin trap : INT; \builtin shopt -s extdebug; \builtin printf "\0\0\n" >|` + snap + ` 2>/dev/null; ` +
		`\builtin trap "\builtin break 99999 2>/dev/null; ! [[ \$BASH_COMMAND != *__session_* ]]" DEBUG; }' INT ` + strconv.Itoa(abortSignal)
}

// A snapshot begins with snapBegin, $PWD and a NUL, and ends with snapEnd.
const snapBegin, snapEnd = "#BEGIN\n", "#END\n"

// defineFuncs defines the session's functions; ctl is the path of the control pipe.
//
// The dump writes everything that a new shell needs, in an order that can be
// read back: shopt first (extglob changes what parses), functions before
// aliases (an alias is expanded when a function is read), set -o last, without errexit, which
// would end a shell that reads it: nobody has to look for its line, which scripts within functions have too.
//
// The word that is nothing in a report is the prefix that abortTrap looks for.
func defineFuncs(ctl string) string {
	const nothing = `${` + abortVar + `:+}`
	const report = `\builtin printf ` + frameFormat + ` "$1" "$?" "${PWD-}" ` + nothing
	return rcFunc + `() { \builtin return "$1"; }; ` + reportFunc + `() { ` + report + `; }; ` +
		findFunc + `() { ` + statusVar + `=$? ` + nothing + `; if [[ ` + syscalls.Descriptors + `/1 -ef ` + ctl + nothing + ` ]]; then ` + setStatus + report + `; else ` + setStatus + report + ` >|` + ctl + `; fi; }; ` +
		optionsFunc + `() { \builtin local -; \builtin set +e; \builtin set +o; }; ` +
		dumpFunc + `() { \builtin printf '#BEGIN\n%s\0' "$PWD"; \builtin umask -p; \builtin shopt -p; ` +
		`\builtin declare -f; \builtin declare -Fx; \builtin declare -p; \builtin alias -p; ` + optionsFunc + `; \builtin trap -p HUP INT QUIT USR1 USR2 PIPE ALRM TERM CHLD CONT WINCH; \builtin printf '#END\n'; }; ` +
		`\builtin readonly -f ` + rcFunc + " " + reportFunc + " " + findFunc + " " + dumpFunc + " " + optionsFunc + "\n"
}

// recoverLines take a function named builtin away: assignments cannot be
// shadowed, and in POSIX mode special builtins win over functions. The end of that
// mode also ends the expansion of aliases.
const recoverLines = "POSIXLY_CORRECT=y\n\\trap - DEBUG\n\\unset -f builtin unset trap eval\n\\unset POSIXLY_CORRECT\n\\builtin shopt -s expand_aliases\n"

// namesBuiltin finds a text that may define a function named builtin, and dropBuiltin takes
// that away before the report, in the same way, and keeps $?. One that comes from elsewhere (a
// sourced file) costs the command its status.
var namesBuiltin = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`function\s+builtin|builtin\s*\(`) })

const dropBuiltin = statusVar + `=$? POSIXLY_CORRECT=y; \unset -f builtin unset; \unset POSIXLY_CORRECT; \builtin shopt -s expand_aliases; ` + setStatus

// bootLines make a fresh bash into the session's shell; snap and ctl are the paths of the
// snapshot and the control pipe. Descriptors that the host itself had
// inherited and did not mark are not for the user's commands. bashEnv is what a
// shell reads that is no session's.
func bootLines(snap, ctl, bashEnv string) string {
	l := `\builtin shopt -s expand_aliases; ` +
		`for ` + statusVar + ` in ` + syscalls.Descriptors + `/*; do case ${` + statusVar + `##*/} in [012]|'*') ;; *) \builtin eval "\\exec ${` + statusVar + `##*/}>&-";; esac; done; ` +
		`\builtin unset -v ` + statusVar + "; " +
		defineFuncs(ctl) +
		abortTrap(snap) +
		`; \builtin trap '\builtin trap - DEBUG ${` + abortVar + `:+}; { ` + dumpFunc + `; } >|` + snap + ` 2>/dev/null' EXIT` + "\n"
	if bashEnv != "" {
		l += `\builtin export BASH_ENV=` + string(appendQuoted(nil, bashEnv)) + "\n"
	}
	return l
}

// initLine runs Options.Init quietly, from a file.
func initLine(file string) string {
	return `\builtin eval "$(<` + file + `)" >/dev/null 2>&1 </dev/null` + "\n"
}

// restoreLine reads back the state of an older shell. Up to 5.0 one that ends says that it expands no aliases.
func restoreLine(file string) string {
	return `\builtin . ` + file + ` >/dev/null 2>&1 </dev/null; ((BASH_VERSINFO[0]*100 + BASH_VERSINFO[1] > 500)) || \builtin shopt -s expand_aliases` + "\n"
}

// appendReport appends the command, reportFunc or findFunc, that reports on the control pipe
// how command id ended.
func appendReport(l []byte, by string, id int64) []byte {
	return strconv.AppendInt(append(append(l, by...), ' '), id, 10)
}

// firstLine goes before a command. After it the next line is line 1 for bash's
// messages: a plain assignment to LINENO does not outlast its own line.
const firstLine = `((1))<&$((LINENO=0))` + "\n"

// mayClose finds a text after which the shell's descriptor of the control pipe may be another, for the text, or
// a function that it defines, closes what the shell puts its own aside in, or lets it open none.
var mayClose = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`exec|eval|source|ulimit|(^|[\n;&|({]|\b(do|then|else))\s*\.\s`)
})

// forgetJobs comes after the report. A shell that is not interactive keeps jobs
// that have ended, and their numbers, until they are listed.
const forgetJobs = `;\builtin jobs >/dev/null`

// keepStatus stands before a report that promptCommands come after, which have bash run the
// variable's commands as it does before a prompt: with $? as it was, whatever the one before does.
const (
	setStatus      = rcFunc + ` "$` + statusVar + `" && :; `
	keepStatus     = statusVar + `=$?; ` + setStatus
	promptCommands = `; for __session_prompt in "${PROMPT_COMMAND[@]}"; do ` + setStatus + `\builtin eval -- "$__session_prompt"; done </dev/null >/dev/null 2>&1 || \builtin :`
)

// startsJobs finds a text that may put something into the background.
var startsJobs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^<>&|])&([^>&]|$)|coproc`) })

// dumpLine writes a snapshot.
func dumpLine(snap string) string {
	return dumpFunc + ` >|` + snap + " 2>/dev/null </dev/null; "
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
