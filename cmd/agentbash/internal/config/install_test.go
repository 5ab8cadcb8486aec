package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each row: a file, what is taken out and put in, and what is left. Comments, order and
// commas of all else stay.
func TestClientFilesAreEditedInPlace(t *testing.T) {
	ours := clientEntry{name: "us", text: `{"command":"x","args":[]}`, made: true}
	for _, row := range []struct{ name, before, remove, after string }{
		{"no file", "", "", "{\n  \"s\": {\n    \"us\": {\n      \"command\": \"x\",\n      \"args\": []\n    }\n  }\n}\n"},
		{"comments, a comma at the end, tabs", "// head\n{\n\t\"a\": 1, // one\n\t\"s\": {\n\t\t// b\n\t\t\"b\": {}, // of b\n\t\t\"c\": {\"k\": [1]}, // of c\n\t},\n}\n", "b",
			"// head\n{\n\t\"a\": 1, // one\n\t\"s\": {\n\t\t\"c\": {\"k\": [1]}, // of c\n\t\t\"us\": {\n\t\t\t\"command\": \"x\",\n\t\t\t\"args\": []\n\t\t},\n\t},\n}\n"},
		{"the only one", "{\"s\": {\"b\": {}}}", "b", "{\"s\": {\n    \"us\": {\n      \"command\": \"x\",\n      \"args\": []\n    }\n  }}"},
		{"the last one", "{\n  \"s\": {\n    \"a\": 1,\n    \"b\": 2\n  }, \"z\": 1}", "b", "{\n  \"s\": {\n    \"a\": 1,\n    \"us\": {\n      \"command\": \"x\",\n      \"args\": []\n    }\n  }, \"z\": 1}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, removed, err := editJSON([]byte(row.before), []string{"s"}, []string{"us", row.remove}, []clientEntry{ours})
			require.NoError(t, err)
			require.Equal(t, row.after, string(got))
			require.Len(t, removed, min(1, len(row.remove)))
			back, _, err := editJSON(got, []string{"s"}, []string{"us"}, removed)
			require.NoError(t, err)
			want, err := parseDocument("x.json", []byte(row.before+strings.Repeat("{}", max(0, 1-len(row.before)))))
			require.NoError(t, err)
			is, err := parseDocument("x.json", back)
			require.NoError(t, err)
			if len(want) > 0 {
				require.Equal(t, want, is)
			}
		})
	}
	for _, doc := range []string{"[1]", `{"s": 3}`, "{"} {
		_, _, err := editJSON([]byte(doc), []string{"s"}, nil, []clientEntry{ours})
		require.Error(t, err, doc)
	}
}

// What is taken out takes its comments along, and no other's; what was written anew in
// the meantime stays as it was written.
func TestClientFilesAreTakenBack(t *testing.T) {
	for _, row := range []struct{ name, before, without, after string }{
		{"comments", `{"s": { // of s
    // above a
    "a": {"k": 1}, // of a
    // above b,
    // twice
    "b": {"k": 2}, // of b
    "c": {"k": 3} // of c
}}`, `{"s": { // of s
    // above a
    "a": {"k": 1}, // of a
    "c": {"k": 3} // of c
}}`, `{"s": { // of s
    // above a
    "a": {"k": 1}, // of a
    "c": {"k": 3}, // of c
    // above b,
    // twice
    // of b
    "b": {"k": 2}
}}`},
		{"the last one", `{"s": {
    "a": {"k": 1}, // of a
    "b": {"k": 2} // of b
}}`, `{"s": {
    "a": {"k": 1} // of a
}}`, `{"s": {
    "a": {"k": 1}, // of a
    // of b
    "b": {"k": 2}
}}`},
		{"one line", `{"s": {"a": 1, // of a
"b": {"k": 2}, "c": 3}}`, `{"s": {"a": 1, // of a
 "c": 3}}`, `{"s": {"a": 1, // of a
 "c": 3,
 "b": {"k": 2}
  }}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			without, removed, err := editJSON([]byte(row.before), []string{"s"}, []string{"b"}, nil)
			require.NoError(t, err)
			require.Equal(t, row.without, string(without))
			after, _, err := editJSON(without, []string{"s"}, nil, removed)
			require.NoError(t, err)
			require.Equal(t, row.after, string(after))
			again, _, err := editJSON(after, []string{"s"}, nil, removed)
			require.NoError(t, err)
			require.Equal(t, row.after, string(again))
		})
	}

	for _, row := range []struct { // a comment at the end is not ours, though we stand behind it
		edit        func([]byte, []string, []string, []clientEntry) ([]byte, []clientEntry, error)
		entry, file string
	}{
		{editJSON, "{}", "{\"s\": {\n  \"a\": 1\n  // \"old\": 2\n}}\n"},
		{editTOML, "[s.agentbash]\n", "[s.a]\nb = 1\n\n# [s.old]\n"},
	} {
		with, _, err := row.edit([]byte(row.file), []string{"s"}, nil, []clientEntry{{name: ourEntry, text: row.entry}})
		require.NoError(t, err)
		require.Contains(t, string(with), ourEntry)
		without, _, err := row.edit(with, []string{"s"}, []string{ourEntry}, nil)
		require.NoError(t, err)
		require.Equal(t, row.file, strings.ReplaceAll(string(without), "# [s.old]\n\n", "# [s.old]\n"))
	}

	const before = "mcp_servers.b = {command = \"b\"}\n[x]\ny = 1\n"
	without, removed, err := editTOML([]byte(before), []string{"mcp_servers"}, []string{"b"}, nil)
	require.NoError(t, err)
	require.Equal(t, "[x]\ny = 1\n", string(without))
	for doc, after := range map[string]string{
		string(without):                         "[x]\ny = 1\n\n[\"mcp_servers\".\"b\"]\ncommand = 'b'\n",
		"[mcp_servers.b]\ncommand = \"anew\"\n": "[mcp_servers.b]\ncommand = \"anew\"\n",
	} {
		got, _, err := editTOML([]byte(doc), []string{"mcp_servers"}, nil, removed)
		require.NoError(t, err)
		require.Equal(t, after, string(got))
	}
}

// An empty file is filled and emptied again, what a link leads to is made and removed,
// and what is no file is not waited for.
func TestInstallIntoOddFiles(t *testing.T) {
	for name, prepare := range map[string]func(path, elsewhere string) error{
		"empty": func(path, _ string) error { return os.WriteFile(path, nil, 0o600) },
		"marked": func(path, elsewhere string) error {
			return os.WriteFile(path, []byte("\ufeff{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}\r\n"), 0o600)
		},
		"link to none": func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"a named pipe": func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"a directory":  func(path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			lookup := func(name string) (string, bool) { return home, name == "HOME" }
			dirs, err := UserDirs(lookup)
			require.NoError(t, err)
			path, elsewhere := filepath.Join(home, ".cursor", "mcp.json"), filepath.Join(home, "mine.json")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			require.NoError(t, prepare(path, elsewhere))
			in, err := OpenInstallation("cursor", dirs, lookup)
			if name[:2] == "a " {
				require.ErrorContains(t, err, "no regular file")
				return
			}
			require.NoError(t, err)
			require.NoError(t, in.Install([]string{"agentbash", "mcp"}, nil))
			require.NoError(t, in.Write())
			in, err = OpenInstallation("cursor", dirs, lookup)
			require.NoError(t, err)
			require.Contains(t, string(in.Before), ourEntry)
			require.Equal(t, name == "marked", strings.HasPrefix(string(in.Before), "\ufeff"))
			require.NoError(t, in.Write())
			require.NoFileExists(t, elsewhere)
			_, err = os.Lstat(path)
			require.NoError(t, err)
		})
	}
}

// What cannot be taken back to the byte leaves the backup where it is.
func TestBackupStaysWhereTheFileDiffers(t *testing.T) {
	w, _ := clientFiles(t)
	dirs, err := UserDirs(w.lookup)
	require.NoError(t, err)
	in, err := OpenInstallation("cursor", dirs, w.lookup)
	require.NoError(t, err)
	require.NotEmpty(t, in.Before)
	require.NoError(t, in.Install([]string{"agentbash", "mcp"}, nil))
	require.NoError(t, in.Write())
	require.NoError(t, os.WriteFile(in.File, append(in.After, "// mine\n"...), 0o600))
	back, err := OpenInstallation("cursor", dirs, w.lookup)
	require.NoError(t, err)
	require.NoError(t, back.Write())
	require.True(t, back.KeepsBackup())
	kept, err := os.ReadFile(in.Backup)
	require.NoError(t, err)
	require.Equal(t, string(in.Before), string(kept))
	now, err := os.ReadFile(in.File)
	require.NoError(t, err)
	require.Contains(t, string(now), "// mine")
	require.NotContains(t, string(now), ourEntry)
}

func TestTOMLIsEditedInPlace(t *testing.T) {
	const before = `# head
model = "x" # the model

# about a
[mcp_servers.a]
command = """
[mcp_servers.z]
"""

[mcp_servers.a.env]
# K's
K = 'v'

# about b
[mcp_servers."b c"]
args = [
  1, # one
]

[mcp_servers]
d = {command = "d"}
e.command = "e"

[projects."/x"]
trust_level = "trusted"
`
	ours := clientEntry{name: "us", text: "[mcp_servers.us]\ncommand = \"x\"\n"}
	got, removed, err := editTOML([]byte(before), []string{"mcp_servers"}, []string{"us", "a", "d"}, []clientEntry{ours})
	require.NoError(t, err)
	require.Equal(t, `# head
model = "x" # the model

# about b
[mcp_servers."b c"]
args = [
  1, # one
]

[mcp_servers]
e.command = "e"

[projects."/x"]
trust_level = "trusted"

[mcp_servers.us]
command = "x"
`, string(got))
	require.Equal(t, []clientEntry{
		{name: "a", text: "# about a\n[mcp_servers.a]\ncommand = \"\"\"\n[mcp_servers.z]\n\"\"\"\n\n[mcp_servers.a.env]\n# K's\nK = 'v'\n\n"},
		{name: "d", text: "[\"mcp_servers\".\"d\"]\ncommand = 'd'\n"},
	}, removed)
	back, _, err := editTOML(got, []string{"mcp_servers"}, []string{"us"}, removed)
	require.NoError(t, err)
	want, err := parseDocument("x.toml", []byte(before))
	require.NoError(t, err)
	is, err := parseDocument("x.toml", back)
	require.NoError(t, err)
	require.Equal(t, want, is)

	_, _, err = editTOML([]byte("mcp_servers = {a = {command = 'x'}}\n"), []string{"mcp_servers"}, []string{"a"}, []clientEntry{ours})
	require.ErrorContains(t, err, "write each server as [mcp_servers.NAME]")
}

// What is installed is found in the client's file, starts us and nobody else, and is
// taken back to the byte; also when the client wrote its file in the meantime, and
// when it is installed twice.
func TestInstallAndTakeBack(t *testing.T) {
	for _, name := range Installable() {
		t.Run(name, func(t *testing.T) {
			w, _ := clientFiles(t)
			for _, variable := range []string{"PASSED", "CX_TOKEN", "CX_KEY"} {
				w.env[variable] = "v"
			}
			dirs, err := UserDirs(w.lookup)
			require.NoError(t, err)
			open := func() *Installation {
				in, err := OpenInstallation(name, dirs, w.lookup)
				require.NoError(t, err)
				return in
			}
			in := open()
			require.False(t, in.Installed())
			before := in.Before
			var take, found []string
			for _, f := range in.Servers {
				if f.Err == nil && !f.Server.Disabled {
					take = append(take, f.Name)
				} else {
					found = append(found, f.Name)
				}
			}
			require.NoError(t, in.Install([]string{"/bin/agentbash", "mcp"}, nil))
			require.NoError(t, in.Write())
			in = open()
			require.True(t, in.Installed())
			require.Len(t, in.Servers, len(take)+len(found), "ours is none of the client's own")
			require.NoError(t, in.Install([]string{"/bin/agentbash", "mcp"}, take))
			require.NoError(t, in.Write())

			list, err := ReadServers(in.File, w.lookup)
			require.NoError(t, err)
			var names []string
			for _, f := range list {
				if f.Name == ourEntry {
					require.NoError(t, f.Err)
					require.Equal(t, "/bin/agentbash", f.Server.Command)
					args := []string{"mcp"}
					if len(take) > 0 {
						args = append(args, "--config", in.Config)
						r, err := Load(&Options{Flags: Flags{File: in.Config}, Dir: w.dir, Lookup: w.lookup})
						require.NoError(t, err)
						require.Empty(t, r.Warnings)
						for _, server := range take {
							require.Contains(t, r.Fields.MCPServers, server)
						}
					}
					require.Equal(t, args, f.Server.Args)
				} else if f.Project == "" {
					names = append(names, f.Name)
				}
			}
			require.ElementsMatch(t, found, names)

			// the client wrote in the meantime
			after, err := os.ReadFile(in.File)
			require.NoError(t, err)
			changed := append(after, "\n"...)
			require.NoError(t, os.WriteFile(in.File, changed, 0o600))
			in = open()
			require.Len(t, in.Servers, len(take)+len(found), "all that was taken is back")
			require.NoError(t, os.WriteFile(in.File, after, 0o600))
			require.ErrorContains(t, in.Write(), "changed in the meantime")

			in = open()
			require.NoError(t, in.Write())
			is, err := os.ReadFile(in.File)
			if before == nil {
				require.ErrorIs(t, err, os.ErrNotExist)
			} else {
				require.NoError(t, err)
				require.Equal(t, string(before), string(is))
			}
			require.NoFileExists(t, in.Config)
			require.NoFileExists(t, in.Backup)
			require.False(t, open().Installed())
		})
	}
}
