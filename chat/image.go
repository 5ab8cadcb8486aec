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
	"slices"
	"strconv"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"github.com/agentbash/agentbash/chat/transcript"
)

// MaxImage is the size of the largest picture that is taken, in bytes: what the
// strictest of the providers takes (Anthropic: 5 MB).
const MaxImage = 5 << 20

// maxImages bounds the pictures of one prompt, and maxImageBytes all of them.
const (
	maxImages     = 20
	maxImageBytes = 20 << 20
)

// Image is a picture that goes along with a prompt.
type Image = transcript.Image

// NewImage is a picture from its bytes, say from a clipboard. name is what a
// person reads of it. The kind is told from the bytes: png, jpeg, gif or webp.
// Anything else, and more than [MaxImage] bytes, is an error that names the
// picture.
func NewImage(name string, data []byte) (Image, error) {
	mime := http.DetectContentType(data)
	switch {
	case len(data) == 0:
		return Image{}, fmt.Errorf("image %s: it is empty", name)
	case mime != "image/png" && mime != "image/jpeg" && mime != "image/gif" && mime != "image/webp":
		return Image{}, fmt.Errorf("image %s: it is no picture that models take, but %s (they take png, jpeg, gif and webp): leave the @ out to mention the file by name", name, mime)
	case len(data) > MaxImage:
		return Image{}, tooBig(name, int64(len(data)))
	}
	return Image{Name: name, MIME: mime, Data: data}, nil
}

func tooBig(name string, size int64) error {
	return fmt.Errorf("image %s: it has %d bytes and at most %d are taken: make it smaller", name, size, MaxImage)
}

// checkImages bounds what one prompt carries: it is paid for with every request.
func checkImages(images []Image) error {
	total := 0
	for _, img := range images {
		total += len(img.Data)
	}
	if len(images) > maxImages || total > maxImageBytes {
		return fmt.Errorf("%d images with %d bytes: a prompt takes at most %d with %d bytes: send some of them with the next prompt", len(images), total, maxImages, maxImageBytes)
	}
	return nil
}

var imageWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s("'\[])@(?:"([^"\n]+)"|(\S+))`) })

// NamedImages are the pictures that a prompt names with @, as Send takes them
// along. Relative names begin at dir.
func NamedImages(prompt, dir string) ([]Image, error) { return loadImages(prompt, dir) }

// loadImages reads the pictures that a prompt names with @. A word that names no
// file is a word.
func loadImages(prompt, dir string) ([]Image, error) {
	var out []Image
	seen := map[string]bool{}
	for _, m := range imageWord().FindAllStringSubmatch(prompt, -1) {
		name := m[1] + strings.TrimRight(m[2], ".,;:!?)]}'\"")
		switch strings.ToLower(filepath.Ext(name)) {
		case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		default:
			continue
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		st, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && st.Size() > MaxImage:
			return nil, tooBig(name, st.Size())
		case err == nil && !st.Mode().IsRegular():
			return nil, fmt.Errorf("image %s: it is not a regular file", name)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("image %s: %w", name, err)
		}
		img, err := NewImage(name, data)
		if err != nil {
			return nil, err
		}
		out = append(out, img)
	}
	return out, nil
}

var namesImages = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bimage|image_url|vision|multi-?modal|picture`) })

// refusesImages finds out from a refusal that the server does not take a picture,
// and leaves pictures out from here on. It reports whether the request makes
// sense without them: it does not where they belong to what was asked just now.
func (c *Conversation) refusesImages(text string) (again bool) {
	if !namesImages().MatchString(text) {
		return false
	}
	last := -1
	for i := range c.messages {
		if c.messages[i].rec.Type == transcript.TypeUser {
			last = i
		}
	}
	for i := range c.messages {
		m := &c.messages[i]
		if i != last && len(m.rec.Images) > 0 && !m.unseen {
			m.unseen, again = true, true
		}
	}
	if !again && last >= 0 && len(c.messages[last].rec.Images) > 0 {
		c.messages[last].unseen = true
	}
	return again
}

// showImages gives the model what the commands showed, after all their results: a tool message
// has text only.
func (c *Conversation) showImages(t *turn) {
	if len(t.shown) == 0 {
		return
	}
	names, blind := "", c.lacksPicture()
	for _, img := range t.shown {
		names += " " + strconv.Quote(img.Name)
	}
	c.addRecord(transcript.Record{Type: transcript.TypeShown, Text: "<system_hint type=\"images\">what the commands above showed:" + names + "</system_hint>", Images: t.shown})
	c.messages[len(c.messages)-1].unseen = blind
	t.shown = nil
}

// lacksPicture reports whether a picture was left out of the conversation.
func (c *Conversation) lacksPicture() bool {
	return slices.ContainsFunc(c.messages, func(m message) bool { return m.unseen })
}

// withoutImages is a prompt whose pictures the server does not take.
func withoutImages(r transcript.Record) string {
	text := r.Text
	for _, img := range r.Images {
		text += fmt.Sprintf("\n[the image %s was left out: the model does not take it]", img.Name)
	}
	return strings.TrimSpace(text)
}

// dataURL is a picture as both protocols take it (RFC 2397).
func dataURL(img Image) string {
	return "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
}

// promptParts is a prompt with pictures as it goes over the wire.
func promptParts(r transcript.Record) []openai.ChatMessagePart {
	var out []openai.ChatMessagePart
	if strings.TrimSpace(r.Text) != "" { // servers refuse an empty text
		out = append(out, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: r.Text})
	}
	for _, img := range r.Images {
		out = append(out, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: dataURL(img)}})
	}
	return out
}
