package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// foreignTool is what tools of other programs are here.
type foreignTool struct {
	names string // theirs, in lower case and without _ - . and blanks
	words string // the command here, and what stands before its arguments; "" where there is none
	args  string // their names of arguments and ours, as theirs=ours; theirs=* is a word without a key, theirs= is left out
	say   string // what to do, where there is no command or it takes less than theirs
}

// idle are arguments that a command does the same without.
const idle = " explanation= description= shouldreadentirefile= toolsummary= prompt= ignore= requiresapproval="

// foreignTools are the tools of Claude Code, Codex, Gemini CLI, OpenCode, Cline, Cursor,
// Windsurf, Copilot, OpenHands, SWE-agent and the reference MCP servers. Names of
// arguments that a tool takes itself do not stand here.
var foreignTools = []foreignTool{
	{"bash sh zsh shell bashtool bashcommand execute executebash executecommand executeshell executeshellcommand exec execcommand containerexec localshell " +
		"runbash runbashcommand runcommand runshell runshellcommand runterminalcmd runterminalcommand runinterminal shellcommand shellexec terminal console developershell", "bash", "", ""},
	{"read readfile readtextfile view viewfile viewfilelines openfile cat catfile fileread fsread getfilecontents", "agent:read",
		"path=file_path absolutepath=file_path targetfile=file_path file=file_path filename=file_path filepath=file_path startline=offset startlineoneindexed=offset line=offset" + idle, ""},
	{"write writefile writetofile createfile filewrite fswrite savefile", "agent:write",
		"path=file_path absolutepath=file_path targetfile=file_path file=file_path filename=file_path filepath=file_path text=content filetext=content contents=content linecount= overwrite=" + idle, ""},
	{"edit editfile strreplace strreplacefile stringreplace replace replaceinfile replacestringinfile searchreplace searchandreplace multiedit multieditfile multireplacestringinfile fileedit", "agent:edit",
		"path=file_path absolutepath=file_path targetfile=file_path file=file_path filename=file_path filepath=file_path oldstr=old_string oldtext=old_string oldstring=old_string search=old_string " +
			"newstr=new_string newtext=new_string newstring=new_string replace=new_string replaceall=replace_all allowmultiple=replace_all instruction=" + idle, ""},
	{"applypatch applydiff patch", "agent:apply_patch", "input= patch= patchtext= diff= path= explanation=", ""},
	{"undo undoedit", "agent:undo", "path=file_path", ""},
	{"glob globfiles globsearch findfiles filesearch findbyname", "agent:glob",
		"globpattern=pattern query=pattern targetdirectory=path searchdirectory=path dirpath=path dir=path root=path respectgitignore= casesensitive=" + idle, ""},
	{"grep grepsearch greptool searchfilecontent searchfiles ripgrep rg searchtext searchindirectory", "agent:grep",
		"query=pattern regex=pattern searchterm=pattern searchpattern=pattern directory=path dirpath=path targetdirectory=path searchpath=path includepattern=glob filepattern=glob " +
			"n=show_line_numbers i=ignore_case a=after b=before c=context contextlines=context" + idle, ""},
	{"ls listdir listdirectory listfiles list", "ls -la", "path=* dirpath=* directory=* directorypath=* targetdirectory=* dir=* relativeworkspacepath=*" + idle, "glob '**' --path DIR lists what is below"},
	{"movefile renamefile", "mv", "source=* src=* from=* destination=* dest=* to=*", ""},
	{"deletefile removefile", "rm", "path=* filepath=* targetfile=*" + idle, ""},
	{"createdirectory makedirectory mkdir", "mkdir -p", "path=* dirpath=*", ""},
	{"bashstart", "agent:bash_start", "cmd=command", ""},
	{"bashoutput taskoutput readbash readterminal getterminaloutput commandstatus readbackgroundoutput", "agent:bash_output", "commandid=bash_id id=bash_id taskid=bash_id shellid=bash_id block=", ""},
	{"bashinput sendinput writestdin writetoterminal sendterminalinput", "agent:bash_input", "commandid=bash_id id=bash_id taskid=bash_id shellid=bash_id sessionid=bash_id chars=text input=text", ""},
	{"bashkill killshell killbash taskstop stopbash killterminal", "agent:bash_kill", "commandid=bash_id id=bash_id taskid=bash_id shellid=bash_id", ""},
	{"webfetch fetch fetchurl fetchwebpage readurl readurlcontent urlfetch", "agent:web_fetch", "format= maxlength=max_bytes" + idle, ""},
	{"websearch googlewebsearch searchweb tavily tavilysearch bravewebsearch internetsearch", "agent:web_search", "searchterm=query q=query maxresults=max_results numresults=max_results" + idle, ""},
	{"skill getskill loadskill readskill activateskill useskill", "agent:skill", "skill=name command=name skillname=name", ""},
	{"note savememory memorywrite remember", "agent:note", "fact=content memory=content text=content", ""},
	{"recall searchmemory memoryread", "agent:recall", "", ""},
	{"clarify askuser askuserquestion askfollowupquestion requestuserinput", "agent:clarify", "prompt=question followup=choices options=choices", ""},
	{"todowrite todoread writetodos updateplan updatetodolist taskcreate tasklist taskupdate", "", "", "there is no list of tasks here: go on with the next step"},
	{"task agent dispatchagent spawnagent newtask delegatetask", "", "", "there are no other agents here: do it yourself, with commands of bash"},
	{"exitplanmode planmoderespond", "", "", "say the plan in words, without a call: the user changes the mode"},
	{"attemptcompletion finish done submit taskdone complete finalanswer", "", "", "say the answer in words, without a call"},
	{"think sequentialthinking", "", "", "think without a call"},
	{"python executepython runpython ipython executeipythoncell runcode codeinterpreter", "", "", `call bash with {"command": "python3 - <<'EOF'\n...\nEOF"}`},
	{"codebasesearch semanticsearch searchcodebase", "", "", `call bash with {"command": "grep --pattern 'WORDS' --ignore_case"}`},
	{"webrun browser browseraction", "", "", `call bash with {"command": "web_search --query 'WORDS'"} or {"command": "web_fetch --url URL"}`},
	{"readmanyfiles readmultiplefiles", "", "", `call bash with {"command": "for f in A B; do read --file_path \"$f\"; done"}`},
	{"directorytree", "", "", `call bash with {"command": "glob '**' --path DIR"}`},
	{"multitooluseparallel batch", "", "", "call bash several times in one reply"},
	{"toolsearch listtools", "", "", `call bash with {"command": "agent:"}, which lists the commands, or {"command": "field:"}, which lists the servers`},
}

// viewers are tools whose argument "command" says what to do with a file.
const viewers = "strreplacebasededittool strreplaceeditor texteditor developertexteditor filesystem"

// viewing is what the commands of a viewer are.
var viewing = map[string]string{"view": "read", "create": "write", "write": "write", "str_replace": "edit", "insert": "edit", "undo_edit": "undo"}

// FoldForeign makes of the name of a tool one with nothing but its letters and digits, in lower case.
func FoldForeign(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// ForeignNames are the names of other programs' tools that are commands here, folded:
// in lower case and without _ - and dots. Of agent commands has says which there are.
func ForeignNames(has func(name string) bool) []string {
	names := strings.Fields(viewers)
	for i := range foreignTools {
		tool, isAgent := strings.CutPrefix(foreignTools[i].words, "agent:")
		if foreignTools[i].words != "" && (!isAgent || has(tool)) {
			names = append(names, strings.Fields(foreignTools[i].names)...)
		}
	}
	return names
}

// Foreign tells what a call of another program's tool is here: the words of a command,
// "bash" alone where the arguments hold bash text. Calls of our own tools and of
// servers (mcp__SERVER__TOOL) are told too. An error says what to do where there is no such thing,
// or where the arguments say what ours cannot. A name that is not known is nil.
func Foreign(name string, args Kwargs) (words []string, err error) {
	for _, prefix := range []string{"mcp__", "field__", FieldPrefix} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return KeyWords(FieldPrefix+strings.Replace(rest, "__", ":", 1), args), nil
		}
	}
	folded := FoldForeign(strings.TrimPrefix(name, "agent:"))
	if slices.Contains(strings.Fields(viewers), folded) {
		return foreignView(name, args)
	}
	for i := range foreignTools {
		t := &foreignTools[i]
		if !slices.Contains(strings.Fields(t.names), folded) {
			continue
		}
		if t.words == "" {
			return nil, fmt.Errorf("there is no tool %q: %s", name, t.say)
		}
		return t.translate(name, args)
	}
	if args["command"] != nil || args["cmd"] != nil {
		for _, part := range []string{"bash", "shell", "terminal", "exec", "command", "cmd", "console"} {
			if strings.Contains(folded, part) {
				return []string{"bash"}, nil
			}
		}
	}
	return nil, nil
}

// foreignView tells what a call of a viewer is.
func foreignView(name string, args Kwargs) ([]string, error) {
	command, _ := args["command"].(string)
	ours, ok := viewing[command]
	if !ok {
		return nil, fmt.Errorf("%s has no command %q here: it is view, create, str_replace, insert or undo_edit", name, command)
	}
	args = maps.Clone(args)
	delete(args, "command")
	if text, ok := args["insert_text"]; ok {
		delete(args, "insert_text")
		args["new_string"] = text
	}
	return Foreign(ours, args)
}

// translate makes the words of a call.
func (t *foreignTool) translate(name string, args Kwargs) ([]string, error) {
	words := strings.Fields(t.words)
	switch words[0] {
	case "bash":
		return words, nil
	case "agent:apply_patch":
		for _, key := range []string{"input", "patch", "patchText", "diff"} {
			if text, ok := args[key].(string); ok {
				return append(words, text), nil
			}
		}
	}
	args, err := foreignLines(args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	ours, bare, native := Kwargs{}, map[string]string{}, !strings.HasPrefix(words[0], "agent:")
	for _, key := range slices.Sorted(maps.Keys(args)) {
		v := args[key]
		to, known := t.named(key)
		text, isText := v.(string)
		switch {
		case v == nil, known && to == "", native && v == false:
		case to == "*" && isText:
			bare[key] = text
		case ours[to] != nil:
			return nil, fmt.Errorf("%s: %s is given twice, the second time as %s: give it once", name, to, key)
		case native:
			return nil, fmt.Errorf("%s: there is no argument %s of this kind here: call bash with {\"command\": \"%s ...\"}; %s", name, key, t.words, cmp.Or(t.say, "man "+words[0]+" has its options"))
		default:
			ours[to] = v
		}
	}
	words = append(words, KeyWords("", ours)[1:]...)
	if len(bare) > 0 {
		words = append(words, "--")
		for _, pair := range strings.Fields(t.args) { // in the order of the table
			for _, key := range slices.Sorted(maps.Keys(bare)) {
				if theirs, _, _ := strings.Cut(pair, "="); FoldForeign(key) == theirs {
					words = append(words, bare[key])
				}
			}
		}
	}
	return words, nil
}

// named is our name of an argument; "" drops it. One that is not in the table keeps its own.
func (t *foreignTool) named(key string) (ours string, known bool) {
	for _, pair := range strings.Fields(t.args) {
		if theirs, ours, _ := strings.Cut(pair, "="); theirs == FoldForeign(key) {
			return ours, true
		}
	}
	return key, false
}

// foreignLines makes an offset and a limit of the first and last line that a call names.
func foreignLines(args Kwargs) (Kwargs, error) {
	out := Kwargs{}
	var first, last any
	for key, v := range args {
		switch FoldForeign(key) {
		case "viewrange":
			list, _ := v.([]any)
			if len(list) != 2 {
				return nil, fmt.Errorf("%s is not two numbers: give offset and limit", key)
			}
			first, last = list[0], list[1]
		case "endline", "endlineoneindexed", "endlineoneindexedinclusive":
			last = v
		case "startline", "startlineoneindexed":
			first = v
		default:
			out[key] = v
		}
	}
	if first != nil {
		out["offset"] = first
	}
	if last != nil {
		from, to := int64(1), int64(0)
		if n, ok := first.(json.Number); ok {
			from, _ = n.Int64()
		}
		n, ok := last.(json.Number)
		if to, _ = n.Int64(); !ok || to >= 0 && to < from {
			return nil, fmt.Errorf("the last line is %v: give offset and limit", last)
		}
		out["limit"] = json.Number(fmt.Sprint(max(0, to-from+1)))
	}
	return out, nil
}

// KeyWords are a name and kwargs as they are typed, in the order of their keys.
func KeyWords(name string, args Kwargs) []string {
	words := []string{name}
	for _, key := range slices.Sorted(maps.Keys(args)) {
		if text, err := wordOf(args[key]); err == nil {
			words = append(words, "--"+key+"="+text)
		}
	}
	return words
}
