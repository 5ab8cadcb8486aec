package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// picture is a PNG of a size.
func picture(t *testing.T, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.String()
}

func TestScreenPicturesAreAttached(t *testing.T) {
	shot, copied := picture(t, 8, 6), picture(t, 3, 2)
	data := func(s string) string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(s)) }
	p := newPane(t, screenTest{width: 140, height: 40, files: map[string]string{"shot.png": shot, "my shot.png": shot, "fake.png": "no picture", "~/clip": copied,
		"~/bin/wl-paste": "#!/bin/sh\ncase \"$*\" in *image/png*) [ -e \"$HOME/clip\" ] && cat \"$HOME/clip\";; *) printf 'copied text';; esac\n"},
		env: []string{`PATH=~/bin:` + os.Getenv("PATH")},
		replies: []modelserver.Reply{
			{Text: "Named.", Expect: expect("look at @shot.png", data(shot))},
			{Text: "Pasted.", Expect: expect("and at [image: my shot.png 8x6]", data(shot))},
			{Text: "Copied.", Expect: expect("[image: clipboard 3x2] what is it", data(copied))},
			{Text: "None.", Expect: modelserver.Expectations{{Equals: ptr("copied text @fake.txt")}}}}})
	p.ready()
	p.say("look at @shot.png")
	p.want("Named.")
	require.Contains(t, p.screen(), "\n  [image: shot.png 8x6]\n")
	p.ready()
	p.typed("and at ")
	p.tmux("set-buffer", p.dir+`/my\ shot.png`)
	p.tmux("paste-buffer", "-p", "-r")
	p.matches(`> and at \[image: my shot.png 8x6\]\n$`)
	p.keys("Enter")
	p.want("Pasted.")
	p.ready()
	p.tmux("set-buffer", "'"+p.dir+"/fake.png'")
	p.tmux("paste-buffer", "-p", "-r")
	p.want("it is no picture that models take")
	p.keys("C-u")
	p.ready()
	p.keys("C-v")
	p.matches(`> \[image: clipboard 3x2\]\n$`)
	p.typed("what is it")
	p.keys("Enter")
	p.want("Copied.")
	p.ready()
	require.NoError(t, os.Remove(p.home+"/clip"))
	p.keys("C-v")
	p.matches(`> copied text\n$`)
	p.typed(" @fake.txt")
	p.keys("Enter")
	p.want("None.")
}

func TestScreenAPictureThatIsTakenBackStaysHere(t *testing.T) {
	p := newPane(t, screenTest{files: map[string]string{"a.png": picture(t, 1, 1)}, replies: []modelserver.Reply{
		{Text: "Only text.", Expect: modelserver.Expectations{{Equals: ptr("words")}}}}})
	p.ready()
	p.tmux("set-buffer", p.dir+"/a.png")
	p.tmux("paste-buffer", "-p", "-r")
	p.matches(`> \[image: a.png 1x1\]\n$`)
	p.keys("C-u")
	p.say("words")
	p.want("Only text.")
	p.ready()
	p.keys("C-v") // there is no program for it
	p.matches(`install wl-clipboard or xclip|gave nothing`)
}
