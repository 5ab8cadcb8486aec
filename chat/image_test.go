package chat

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

var onePixel = []byte("\x89PNG\r\n\x1a\n....")

func TestPicturesThatArePasted(t *testing.T) {
	img, err := NewImage("pasted.png", onePixel)
	require.NoError(t, err)
	require.Equal(t, "image/png", img.MIME)
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Expect: modelserver.Expectations{{Role: "user", Equals: text("data:image/png;base64,iVBORw0KGgouLi4u\n")}}, Text: "A pixel."},
		{Expect: modelserver.Expectations{{Role: "user", Equals: text("and this?\ndata:image/png;base64,iVBORw0KGgouLi4u\n")}}, Text: "Another."},
	}}, nil)
	_, err = k.Send(context.Background(), Prompt{Images: []Image{img}})
	require.NoError(t, err, "a picture says enough")
	_, err = k.Send(context.Background(), Prompt{Text: "and this?", Images: []Image{img}})
	require.NoError(t, err)
	k.played(t)
}

func TestPicturesThatAreNotTaken(t *testing.T) {
	big := append(bytes.Clone(onePixel), make([]byte, MaxImage)...)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "it is empty"},
		{"text", []byte("hello"), "text/plain"},
		{"a vector picture", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "no picture that models take"},
		{"a bitmap", []byte("BM......"), "image/bmp"},
		{"too big", big, "at most 5242880"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewImage("x.png", c.data)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "image x.png")
		})
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big.png"), big, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir.png"), 0o700))
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "never"}}}, nil)
	defer k.server.Close()
	for prompt, want := range map[string]string{"@" + dir + "/big.png": "at most 5242880", "@" + dir + "/dir.png": "not a regular file"} {
		_, err := k.Turn(context.Background(), prompt)
		require.ErrorContains(t, err, want)
		require.Equal(t, ExitUsage, exitOf(err))
	}
	_, err := k.Send(context.Background(), Prompt{Text: "see", Images: make([]Image, 21)})
	require.ErrorContains(t, err, "at most 20")
	require.Empty(t, k.server.Requests())
}

func TestAPictureIsNamedInASentence(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shot.png"), onePixel, 0o600))
	for _, prompt := range []string{"What is in @shot.png.", "(@shot.png) twice: @shot.png", "Is it \"@shot.png\"?", "see:\n@shot.png)"} {
		images, err := loadImages(prompt, dir)
		require.NoError(t, err)
		require.Len(t, images, 1, prompt)
	}
}

func TestAModelThatTakesNoPictures(t *testing.T) {
	no := modelserver.Reply{Status: 400, Error: "image input is not supported"}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		no,
		{NewConversation: true, Expect: modelserver.Expectations{{Role: "user", Contains: []string{"what is it?", "[the image p.png was left out"}, Lacks: []string{"data:"}}, {Role: "assistant"}, {Role: "user", Equals: text("guess")}}, Text: "A pixel?"},
	}}, nil)
	img, err := NewImage("p.png", onePixel)
	require.NoError(t, err)
	_, err = k.Send(context.Background(), Prompt{Text: "what is it?", Images: []Image{img}})
	require.ErrorContains(t, err, "scripted-1 does not take the picture")
	_, err = k.Turn(context.Background(), "guess")
	require.NoError(t, err)
	k.played(t)

	j := &tape{}
	sees := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "A pixel."}}}, func(o *Options) { o.Journal = j })
	_, err = sees.Send(context.Background(), Prompt{Text: "what is it?", Images: []Image{img}})
	require.NoError(t, err)
	sees.played(t)
	blind := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{no,
		{NewConversation: true, Expect: modelserver.Expectations{{Role: "user", Lacks: []string{"data:"}}, {Role: "assistant", Equals: text("A pixel.")}, {Role: "user", Contains: []string{"and now?"}}}, Text: "Hm."}}},
		func(o *Options) { o.History = j.records })
	_, err = blind.Turn(context.Background(), "and now?")
	require.NoError(t, err, "what an earlier prompt had is not asked about")
	blind.played(t)
}
