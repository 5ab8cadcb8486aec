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
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/internal/safetext"
)

// attachment is a picture that stands in the text as its chip. Whoever deletes
// the chip takes the picture back.
type attachment struct {
	chip  string
	image chat.Image
}

// mostAttached bounds what is kept of pictures whose text was never sent.
const mostAttached = 20

// attachPicture keeps a picture, and returns its chip.
func (s *chatUI) attachPicture(img chat.Image) string {
	base := strings.TrimSuffix(imageLabel(img), "]")
	name := base + "]"
	for n := 2; s.attached.has(name); n++ {
		name = fmt.Sprintf("%s (%d)]", base, n)
	}
	s.attached = append(s.attached, attachment{name, img})
	s.attached = s.attached[max(0, len(s.attached)-mostAttached):]
	return name
}

type attachments []attachment

func (a attachments) has(chip string) bool {
	for _, at := range a {
		if at.chip == chip {
			return true
		}
	}
	return false
}

// take returns the pictures that a text has chips of, and what is left.
func (a attachments) take(text string) (images []chat.Image, left attachments) {
	for _, at := range a {
		if strings.Contains(text, at.chip) {
			images = append(images, at.image)
		} else {
			left = append(left, at)
		}
	}
	return images, left
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
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
	default:
		return ""
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, _ := os.UserHomeDir()
		path = filepath.Join(home, rest)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(s.dir(), path)
	}
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return path
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
			if data, err := commandOutput(argv); err == nil && len(data) > 0 {
				return data, nil
			}
		}
		return nil, fmt.Errorf("%s gave nothing: copy something first", tool[0][0])
	}
	return nil, errors.New("no program to read the clipboard: install wl-clipboard or xclip, or name a file with @")
}

func commandOutput(argv []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), clipboardTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out bytes.Buffer
	cmd.Stdout = &limitedWriter{&out, chat.MaxImage + 1}
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return out.Bytes(), err
}

// limitedWriter takes no more than left bytes.
type limitedWriter struct {
	w    io.Writer
	left int
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	if len(p) > l.left {
		return 0, io.ErrShortWrite
	}
	l.left -= len(p)
	return l.w.Write(p)
}
