package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/internal/safetext"
)

// Title is the first prompt in one line, or "".
func Title(records []Record) string {
	for _, r := range records {
		if r.Type == TypeUser {
			return strings.Join(strings.Fields(r.Prompt()), " ")
		}
	}
	return ""
}

// Settled are the records that a reader of the whole needs: the pieces of
// replies only where no whole reply followed, joined to one.
func Settled(records []Record) []Record {
	var out []Record
	var shown Record
	flush := func() {
		if shown.Text != "" {
			shown.Type, shown.Partial = TypeAssistant, true
			out = append(out, shown)
		}
		shown = Record{}
	}
	for _, r := range records {
		switch r.Type {
		case TypeText, TypeReasoning:
			if shown.Time.IsZero() {
				shown.Time = r.Time
			}
			if r.Type == TypeText {
				shown.Text += r.Text
			} else {
				shown.Reasoning += r.Text
			}
			continue
		case TypeAssistant:
			shown = Record{}
		case TypeUsage:
			// It comes between the pieces and the whole.
		default:
			flush()
		}
		out = append(out, r)
	}
	flush()
	return out
}

// WriteJSON writes a session as one object: version, id, dir, records.
func WriteJSON(w io.Writer, records []Record) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		V       int      `json:"v"`
		ID      string   `json:"id"`
		Dir     string   `json:"dir"`
		Records []Record `json:"records"`
	}{records[0].V, records[0].ID, records[0].Dir, Settled(records)})
}

// ReadExport reads what WriteJSON wrote, or the lines of a session.
func ReadExport(data []byte) ([]Record, error) {
	var whole struct {
		V       int      `json:"v"`
		Records []Record `json:"records"`
	}
	if json.Unmarshal(data, &whole) != nil || whole.Records == nil {
		whole.Records, _, _ = decodeRecords(append(bytes.TrimRight(data, "\n"), '\n'))
	}
	return whole.Records, checkHead(whole.Records)
}

// WriteMarkdown writes a session for people.
func WriteMarkdown(w io.Writer, records []Record) error {
	var b strings.Builder
	head := records[0]
	fmt.Fprintf(&b, "# %s\n\nSession %s, begun %s in `%s`\n", cmp.Or(clipText(Title(records), 100), "An empty session"), head.ID, head.Time.Format(time.RFC3339), head.Dir)
	commands := map[string]string{}
	for _, r := range Settled(records) {
		for _, c := range r.Calls {
			commands[c.ID] = c.Command()
		}
		switch r.Type {
		case TypeModel:
			fmt.Fprintf(&b, "\nModel: %s at %s\n", r.Model, r.Server)
		case TypeUser:
			fmt.Fprintf(&b, "\n## User\n\n%s\n", r.Text)
		case TypeAssistant:
			if r.Text != "" {
				fmt.Fprintf(&b, "\n## Assistant\n\n%s\n", r.Text)
			}
			if r.Partial {
				b.WriteString("\n(the reply broke off here)\n")
			}
		case TypeToolResult:
			fmt.Fprintf(&b, "\n%s\n%s\n", fenceText("bash", cmp.Or(commands[r.ID], "# a call that could not be understood")), fenceText("", r.Output))
			if r.Running > 0 {
				fmt.Fprintf(&b, "\n(it went on as background shell %d)\n", r.Running)
			}
		case TypeClear:
			b.WriteString("\n---\n\n(the conversation starts anew)\n")
		case TypeCompact:
			b.WriteString("\n---\n\n(the conversation was shortened here)\n")
		case TypeEnd:
			if r.Error != "" {
				fmt.Fprintf(&b, "\n(the turn ended: %s)\n", r.Error)
			}
		}
		for _, img := range r.Images {
			fmt.Fprintf(&b, "\n(picture: %s, %d bytes)\n", img.Name, len(img.Data))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteScript writes a session as a bash script that runs its commands again,
// in their order and in one shell, through agentbash exec. What was refused and what never ran
// is a comment, and so is what the model and the person said.
func WriteScript(w io.Writer, records []Record) error {
	var b strings.Builder
	head := records[0]
	fmt.Fprintf(&b, "#!/usr/bin/env bash\n# Session %s: the commands that were run, to be run again by agentbash exec.\n# They change what they changed then: look before you run this.\nset -u\ncd %s || exit\n\n", head.ID, quote.Word(head.Dir))
	b.WriteString("commands() {\n")
	settled := Settled(records)
	ran := map[string]Record{} // since the last reply: some servers use an ID again
	count := 0
	for _, r := range settled {
		switch r.Type {
		case TypeToolCall:
			ran[r.ID] = r
		case TypeUser:
			b.WriteString(commentText("user: ", r.Text))
		case TypeAssistant:
			b.WriteString(commentText("", r.Text))
		case TypeToolResult:
			call, ok := ran[r.ID]
			delete(ran, r.ID)
			if !ok {
				continue
			}
			if r.Interrupted {
				b.WriteString("  # interrupted then:\n")
			} else if r.Running > 0 {
				fmt.Fprintf(&b, "  # went on as background shell %d then:\n", r.Running)
			} else if r.ExitCode != 0 {
				fmt.Fprintf(&b, "  # exit status then: %d\n", r.ExitCode)
			}
			args := map[string]any{"command": call.Command, "timeout": call.Timeout}
			if call.Kill {
				args["kill"] = true
			}
			line, err := json.Marshal(args)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "  printf '%%s\\n' %s\n", quote.Word(string(line)))
			count++
		}
	}
	if count == 0 {
		b.WriteString("  :\n")
	}
	b.WriteString("}\n\ncommands | agentbash exec --jsonl\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Prompt is what the person typed.
func (r *Record) Prompt() string { return cmp.Or(r.Typed, r.Text) }

// Command is the command of a call, or its arguments where there is none.
func (c Call) Command() string {
	var args struct {
		Command *string `json:"command"`
	}
	if json.Unmarshal([]byte(c.Arguments), &args) == nil && args.Command != nil {
		return *args.Command
	}
	return c.Name + " " + c.Arguments
}

// fenceText puts a text into a fence that is longer than any in it.
func fenceText(kind, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + kind + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

func commentText(head, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	text = strings.ReplaceAll(safetext.Clean(text), "\r", " ")
	return "  # " + head + strings.ReplaceAll(text, "\n", "\n  # ") + "\n"
}

func clipText(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-3]) + "..."
	}
	return s
}
