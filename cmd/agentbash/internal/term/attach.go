package term

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // their sizes are shown
	_ "image/jpeg" //
	_ "image/png"  //
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/safetext"
)

// attachment is a picture or a text that stands in the text as its chip. Whoever
// deletes the chip takes it back.
type attachment struct {
	chip  string
	image chat.Image
	text  string // "": it is a picture
}

// mostAttached bounds what is kept of attachments whose text was never sent.
const mostAttached = 20

// Larger pastes are folded to a chip.
const (
	pasteLines = 10
	pasteBytes = 1500
)

// attach keeps an attachment, and returns its chip.
func (s *chatUI) attach(at attachment) string {
	base := strings.TrimSuffix(at.chip, "]")
	for n := 2; slices.Contains(s.attached.chips(), at.chip); n++ {
		at.chip = fmt.Sprintf("%s (%d)]", base, n)
	}
	s.attached = append(s.attached, at)
	s.attached = s.attached[max(0, len(s.attached)-mostAttached):]
	return at.chip
}

func (s *chatUI) attachPicture(img chat.Image) string {
	return s.attach(attachment{chip: imageLabel(img), image: img})
}

// foldPaste is the chip of a large paste; "" where it is small.
func (s *chatUI) foldPaste(text string) string {
	lines := 1 + strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	if lines < pasteLines && len(text) < pasteBytes {
		return ""
	}
	size := CountNoun(lines, "line")
	if lines == 1 {
		size = CountNoun(utf8.RuneCountInString(text), "character")
	}
	return s.attach(attachment{chip: "[pasted " + size + "]", text: text})
}

type attachments []attachment

func (a attachments) chips() (chips []string) {
	for _, at := range a {
		chips = append(chips, at.chip)
	}
	return chips
}

// take returns what a text has chips of, and what is left.
func (a attachments) take(text string) (taken, left attachments) {
	for _, at := range a {
		if strings.Contains(text, at.chip) {
			taken = append(taken, at)
		} else {
			left = append(left, at)
		}
	}
	return taken, left
}

// imageLabel is a picture in words: its name and its size.
func imageLabel(img chat.Image) string {
	size := fmt.Sprintf("%s bytes", groupThousands(len(img.Data)))
	if c, _, err := image.DecodeConfig(bytes.NewReader(img.Data)); err == nil {
		size = fmt.Sprintf("%dx%d", c.Width, c.Height)
	}
	return fmt.Sprintf("[image: %s %s]", safetext.Line(filepath.Base(img.Name)), size)
}

// attachFromKey makes of a key what it puts into the text: a picture's chip for a path
// that is pasted, or for what is in the clipboard. note is for the person.
func (s *chatUI) attachFromKey(k key) (out key, note string) {
	switch {
	case s.Conversation == nil || s.in.edit == nil || strings.HasPrefix(s.in.edit.text.text, "!"):
		return k, ""
	case k.name == keyPaste:
		path := s.pastedPath(k.text)
		if chip := s.foldPaste(k.text); path == "" && chip != "" {
			return key{name: keyPaste, text: chip}, ""
		}
		if path == "" {
			return k, ""
		}
		img, err := readImage(path)
		if err != nil {
			return k, err.Error()
		}
		return key{name: keyPaste, text: s.attachPicture(img) + " "}, ""
	case k.name == keyClipboard:
		data, err := readClipboard()
		if err != nil {
			return namedKey(keyNone), err.Error()
		}
		img, err := chat.NewImage("clipboard", data)
		if err != nil { // what is no picture is text
			return key{name: keyPaste, text: strings.ToValidUTF8(string(data), "\ufffd")}, ""
		}
		return key{name: keyPaste, text: s.attachPicture(img) + " "}, ""
	}
	return k, ""
}

// pastedPath is the path of a picture that a pasted text is, as terminals and
// file managers paste it; "" where it is something else.
func (s *chatUI) pastedPath(text string) string {
	path := strings.TrimSpace(text)
	if path == "" || len(path) > 4096 || strings.ContainsAny(path, "\n\x00") {
		return ""
	}
	if rest, ok := strings.CutPrefix(path, "file://"); ok {
		if u, err := url.PathUnescape(rest); err == nil {
			path = u
		}
	} else if n := len(path); n > 1 && (path[0] == '\'' || path[0] == '"') && path[n-1] == path[0] {
		path = path[1 : n-1]
	} else {
		path = strings.ReplaceAll(path, `\`, "")
	}
	path = s.absolutePath(path)
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() || !isPicture(path) {
		return ""
	}
	return path
}

func isPicture(path string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}, strings.ToLower(filepath.Ext(path)))
}

func readImage(path string) (chat.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return chat.Image{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, chat.MaxImage+1))
	if err != nil {
		return chat.Image{}, err
	}
	return chat.NewImage(filepath.Base(path), data)
}

// clipboardTime is how long a clipboard's owner may take to hand it over.
const clipboardTime = 5 * time.Second

// readClipboard is the picture in the clipboard, else its text.
func readClipboard() ([]byte, error) {
	for _, tool := range [][2][]string{
		{{"wl-paste", "--no-newline", "--type", "image/png"}, {"wl-paste", "--no-newline"}},
		{{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"}, {"xclip", "-selection", "clipboard", "-out"}},
		{{"pngpaste", "-"}, {"pbpaste"}},
	} {
		if _, err := exec.LookPath(tool[0][0]); err != nil {
			continue
		}
		for _, argv := range tool {
			if data, err := CommandOutput(context.Background(), exec.Command(argv[0], argv[1:]...), clipboardTime, chat.MaxImage+1); err == nil && len(data) > 0 {
				return data, nil
			}
		}
		return nil, fmt.Errorf("%s gave nothing: copy something first", tool[0][0])
	}
	return nil, errors.New("no program to read the clipboard: install wl-clipboard or xclip, or name a file with @")
}

// CommandOutput is what a program writes within a time, most bytes of it at most; more is an
// error. What it has started ends with it.
func CommandOutput(ctx context.Context, cmd *exec.Cmd, limit time.Duration, most int) ([]byte, error) {
	var out bytes.Buffer
	w := &limitedWriter{&out, most}
	cmd.Stdout, cmd.WaitDelay, cmd.SysProcAttr = w, time.Second, &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	end := func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stop := time.AfterFunc(limit, end)
	defer stop.Stop()
	defer context.AfterFunc(ctx, end)()
	err := cmd.Wait()
	end()
	if w.left < 0 {
		err = fmt.Errorf("it writes more than %s bytes", groupThousands(most))
	}
	return out.Bytes(), err
}

// limitedWriter takes no more than left bytes.
type limitedWriter struct {
	w    io.Writer
	left int
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, io.ErrShortWrite
	}
	return l.w.Write(p)
}
