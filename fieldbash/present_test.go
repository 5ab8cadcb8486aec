package fieldbash_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
)

const anyTool = `[{"name":"f","inputSchema":{"type":"object","properties":{"result":{"type":"string"}}}}]`

// What a server returns, and what is made of it: stdout, stderr, status.
func TestResults(t *testing.T) {
	s, _ := listed(t, anyTool)
	files := t.TempDir()
	b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": s}}, &fieldbash.Options{Files: files})
	for _, row := range []struct {
		name, result, format string
		stdout, stderr       string // stderr: a pattern
		status               int
	}{
		{"text blocks on lines of their own", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b\n"},{"type":"text","text":""},{"type":"text","text":"c"}]}`, "", "a\nb\nc\n", `^$`, 0},
		{"nothing", `{"content":[]}`, "", "", `^$`, 0},
		{"nothing, json", `{"content":[]}`, "json", "[]\n", `^$`, 0},
		{"structured alone", `{"content":[],"structuredContent":{"n":3,"b":1.5}}`, "", `{"n":3,"b":1.5}` + "\n", `^$`, 0},
		{"structured, json", `{"content":[{"type":"text","text":"x"}],"structuredContent":{"b":2,"a":1}}`, "json", `{"b":2,"a":1}` + "\n", `^$`, 0},
		{"raw is all of it", `{"content":[{"type":"text","text":"x"}],"_meta":{"k":1},"later":[1]}`, "raw", `{"content":[{"type":"text","text":"x"}],"_meta":{"k":1},"later":[1]}` + "\n", `^$`, 0},
		{"an image", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`, "", "", `^image \(image/png, 2 bytes\) saved to /\S+\.png\n$`, 0},
		{"audio", `{"content":[{"type":"audio","data":"aGk=","mimeType":"audio/wav"}]}`, "", "", `^audio \(audio/wav, 2 bytes\) saved to /\S+\.wav\n$`, 0},
		{"bytes of a resource", `{"content":[{"type":"resource","resource":{"uri":"x:/../../etc/passwd","mimeType":"../../x","blob":"aGk="}}]}`, "", "", `^resource \(\.\./\.\./x, 2 bytes\) saved to ` + regexp.QuoteMeta(files) + `/resource-\d+\n$`, 0},
		{"text of a resource", `{"content":[{"type":"resource","resource":{"uri":"x:/y","text":"inside"}}]}`, "", "inside\n", `^$`, 0},
		{"a link", `{"content":[{"type":"resource_link","uri":"x:/y","name":"n"}]}`, "", "x:/y\n", `^$`, 0},
		{"of an unknown type", `{"content":[{"type":"hologram","depth":3}]}`, "", `{"type":"hologram","depth":3}` + "\n", `^$`, 0},
		{"an image that is none", `{"content":[{"type":"image","data":"%%","mimeType":"image/png"}]}`, "", `{"type":"image","data":"%%","mimeType":"image/png"}` + "\n", `^$`, 0},
		{"text that is none", `{"content":[{"type":"text","text":7},{"type":"text","text":"ok"}]}`, "", "ok\n", `^$`, 0},
		{"a failure", `{"isError":true,"content":[{"type":"text","text":"no such table"}]}`, "", "", `^field:s:f: no such table\n$`, 1},
		{"a failure, json", `{"isError":true,"content":[{"type":"text","text":"no such table"}],"structuredContent":{"a":1}}`, "json", "", `^field:s:f: no such table\n$`, 1},
		{"a failure, raw", `{"isError":true,"content":[]}`, "raw", `{"isError":true,"content":[]}` + "\n", `^field:s:f: the tool failed: its result says how\n$`, 1},
		{"a failure without a word", `{"isError":true,"content":[]}`, "", "", `^field:s:f: the tool failed and did not say why\n$`, 1},
		{"content of another kind", `{"content":{"type":"text"}}`, "", `{"type":"text"}` + "\n", `^$`, 0},
		{"content that is null", `{"content":null}`, "", "", `^$`, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			words := []string{"field:s:f", "--result", row.result}
			if row.format != "" {
				words = append(words, "-o", row.format)
			}
			o := b.run(t, words...)
			require.Equal(t, row.status, o.status, "%q %q", o.stdout, o.stderr)
			require.Equal(t, row.stdout, o.stdout)
			require.Regexp(t, row.stderr, o.stderr)
		})
	}
	saved, err := filepath.Glob(files + "/*")
	require.NoError(t, err)
	require.Len(t, saved, 3)
	for _, path := range saved {
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "hi", string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm())
	}
}

// The temporary directory is everybody's: what somebody else put there in our
// name is not written to.
func TestFilesAreNotSavedInADirectoryOfOthers(t *testing.T) {
	temp, theirs := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	s, _ := listed(t, anyTool)
	b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": s}}, nil)
	image := []string{"field:s:f", "--result", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`}
	first := b.run(t, image...).stderr
	require.Contains(t, first, temp+"/agentbash-files-")
	dirs, err := filepath.Glob(temp + "/agentbash-files-*")
	require.NoError(t, err)
	require.Len(t, dirs, 1)
	require.Contains(t, b.run(t, image...).stderr, dirs[0]+"/", "the same again")

	require.NoError(t, os.RemoveAll(dirs[0]))
	require.NoError(t, os.Symlink(theirs, dirs[0]))
	o := b.run(t, image...)
	require.Zero(t, o.status, o.stderr)
	require.NotContains(t, o.stderr, dirs[0]+"/")
	require.NoError(t, os.Remove(dirs[0]))
	require.NoError(t, os.Mkdir(dirs[0], 0o700))
	require.NoError(t, os.Chmod(dirs[0], 0o777))
	require.NotContains(t, b.run(t, image...).stderr, dirs[0]+"/")
	left, err := os.ReadDir(theirs)
	require.NoError(t, err)
	require.Empty(t, left)
	require.False(t, strings.Contains(first, theirs))
}
