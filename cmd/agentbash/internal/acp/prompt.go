package acp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/agentbash/agentbash/chat"
	"github.com/coder/acp-go-sdk"
)

// translatePrompt makes a prompt of its blocks: what a file holds stands in it, a link is
// its path, a picture goes along.
func translatePrompt(blocks []acp.ContentBlock) (chat.Prompt, error) {
	var p chat.Prompt
	var text, files strings.Builder
	for i, b := range blocks {
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			text.WriteString(pathOf(b.ResourceLink.Uri))
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			text.WriteString(pathOf(r.Uri))
			fmt.Fprintf(&files, "\n\n<file path=%q>\n%s\n</file>", pathOf(r.Uri), strings.TrimSuffix(r.Text, "\n"))
		case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
			r := b.Resource.Resource.BlobResourceContents
			text.WriteString(pathOf(r.Uri))
			if err := addImage(&p, pathOf(r.Uri), r.Blob); err != nil {
				return p, err
			}
		case b.Image != nil:
			if err := addImage(&p, fmt.Sprintf("picture %d", i+1), b.Image.Data); err != nil {
				return p, err
			}
		default:
			return p, errors.New("a prompt has text, files and pictures: leave the sound out")
		}
	}
	p.Text = text.String() + files.String()
	return p, nil
}

func addImage(p *chat.Prompt, name, data string) error {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return fmt.Errorf("%s: its base64 is broken: %w", name, err)
	}
	image, err := chat.NewImage(name, raw)
	p.Images = append(p.Images, image)
	return err
}

// pathOf is the path of a file's URI; of another the URI.
func pathOf(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return uri
}
