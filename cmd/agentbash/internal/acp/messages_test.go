package acp

import (
	"bufio"
	"encoding/base64"
	"io"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"
)

// TestMessagesThatAreTooLong are answered under their ID where it stands before what is long,
// and those after them come.
func TestMessagesThatAreTooLong(t *testing.T) {
	long := strings.Repeat("x", mostMessage)
	for name, c := range map[string]struct{ line, id string }{
		"a number first": {`{"jsonrpc":"2.0","id":12345678901234567,"method":"session/prompt","params":{"a":"` + long + `"}}`, "12345678901234567"},
		"a text":         {`{"params":{},"id":"a\"b","x":["` + long + `"]}`, `"a\"b"`},
		"behind it":      {`{"params":"` + long + `","id":1}`, "null"},
		"no JSON":        {long, "null"},
		"unfinished":     {`{"id":7,"x":"` + long, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			var answer strings.Builder
			m := &messages{in: bufio.NewReader(strings.NewReader("first\n" + c.line + "\nlast\n")), out: &answer}
			rest, err := io.ReadAll(m)
			require.NoError(t, err)
			require.Equal(t, "first\nlast\n", string(rest))
			require.JSONEq(t, `{"jsonrpc":"2.0","id":`+c.id+`,"error":{"code":-32600,"message":"Invalid request","data":"a message has at most 10 MB: name a large file instead of sending it"}}`, answer.String())
			require.Equal(t, 1, strings.Count(answer.String(), "\n"))
		})
	}
}

// TestNothingIsReadBehindAPromptThatHasNotBegun, but behind all else.
func TestNothingIsReadBehindAPromptThatHasNotBegun(t *testing.T) {
	for line, waits := range map[string]bool{
		`{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}}`:             true,
		`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`:                                                   false,
		`{"id":1,"method":"session/prompt","params":7}`:                                                                   false,
		`{"jsonrpc":2,"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}}`: false,
		`{"method":"session/cancel","params":{"sessionId":"session/prompt"}}`:                                             false,
		`session/prompt`: false,
	} {
		begun := make(chan struct{}, 1)
		m := &messages{in: bufio.NewReader(strings.NewReader(line + "\nnext\n")), begun: begun}
		p := make([]byte, 1000)
		n, err := m.Read(p)
		require.NoError(t, err)
		require.Equal(t, line+"\n", string(p[:n]))
		require.Equal(t, waits, m.wait, line)
		begun <- struct{}{}
		n, err = m.Read(p)
		require.NoError(t, err)
		require.Equal(t, "next\n", string(p[:n]))
		require.Equal(t, !waits, len(begun) == 1, line)
	}
}

func TestBlocksBecomeAPrompt(t *testing.T) {
	picture := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	p, err := translatePrompt([]acp.ContentBlock{acp.TextBlock("see "), acp.ResourceLinkBlock("b", "file:///a%20b/%C3%A4%0A.go"), acp.TextBlock(" and "), acp.ResourceLinkBlock("w", "https://x/y%20z"),
		acp.TextBlock(" and "), acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: "file:///c", Text: "text\n"}}), acp.ImageBlock(picture, "image/png")})
	require.NoError(t, err)
	require.Equal(t, "see /a b/ä\n.go and https://x/y%20z and /c\n\n<file path=\"/c\">\ntext\n</file>", p.Text)
	require.Len(t, p.Images, 1)
	for want, b := range map[string]acp.ContentBlock{
		"leave the sound out":             acp.AudioBlock("", "audio/wav"),
		"picture 1: its base64 is broken": acp.ImageBlock("!!", "image/png"),
		"picture 1":                       acp.ImageBlock(base64.StdEncoding.EncodeToString([]byte("no picture")), "image/png"),
		"/d.png: its base64 is broken":    acp.ResourceBlock(acp.EmbeddedResourceResource{BlobResourceContents: &acp.BlobResourceContents{Uri: "file:///d.png", Blob: "?"}}),
	} {
		_, err := translatePrompt([]acp.ContentBlock{b})
		require.ErrorContains(t, err, want)
	}
}
