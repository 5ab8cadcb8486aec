package chat

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/store"
)

// maxImage is what the strictest of the providers takes (Anthropic: 5 MB).
const maxImage = 5 << 20

var imageWord = regexp.MustCompile(`(?:^|\s)@(?:"([^"\n]+)"|(\S+))`)

// loadImages reads the pictures that a prompt names with @. A word that names no
// file is a word.
func loadImages(prompt, dir string) ([]store.Image, error) {
	var out []store.Image
	for _, m := range imageWord.FindAllStringSubmatch(prompt, -1) {
		name := m[1] + strings.TrimRight(m[2], ",;:!?)")
		switch strings.ToLower(filepath.Ext(name)) {
		case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		default:
			continue
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		st, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && st.Size() > maxImage:
			return nil, fmt.Errorf("image %s: it has %d bytes and at most %d are taken: make it smaller", name, st.Size(), maxImage)
		case err == nil && !st.Mode().IsRegular():
			return nil, fmt.Errorf("image %s: it is not a regular file", name)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("image %s: %w", name, err)
		}
		mime := http.DetectContentType(data)
		if !strings.HasPrefix(mime, "image/") {
			return nil, fmt.Errorf("image %s: it is no picture (%s): leave the @ out to mention the file by name", name, mime)
		}
		out = append(out, store.Image{Name: name, MIME: mime, Data: data})
	}
	return out, nil
}

// parts is a prompt with pictures as it goes over the wire.
func parts(r store.Record) []openai.ChatMessagePart {
	out := []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: r.Text}}
	for _, img := range r.Images {
		out = append(out, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{
			URL: "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data),
		}})
	}
	return out
}
