package patch

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var samples = []string{
	"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@ class A:\n@@ def f\n one\n-two\n+TWO\n\n*** End of File\n*** Add File: c\n+x\n+\n*** Delete File: d\n*** End Patch\n",
	"diff --git a/a b/b\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1,3 +1,3 @@ f\n one\n-two\n\\ No newline at end of file\n+TWO\n\n--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+x\n-- \n2.39\n",
	"a.go\n```go\n<<<<<<< SEARCH\n:start_line:3\n-------\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
}

// A patch that was damaged on its way is read or refused; no line comes from elsewhere.
func TestDamagedPatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 20000 {
		lines := strings.SplitAfter(samples[r.IntN(len(samples))], "\n")
		for range 1 + r.IntN(4) {
			at, other := r.IntN(len(lines)), r.IntN(len(lines))
			switch r.IntN(4) {
			case 0:
				lines[at] = ""
			case 1:
				lines[at], lines[other] = lines[other], lines[at]
			case 2:
				lines[at] = lines[at][:r.IntN(len(lines[at])+1)]
			default:
				lines[at] += lines[other]
			}
		}
		text := strings.Join(lines, "")
		files, err := Parse(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			continue
		}
		read++
		require.NotEmpty(t, files)
		for _, f := range files {
			for _, e := range f.Edits {
				for _, line := range append(strings.SplitAfter(e.Old, "\n"), strings.SplitAfter(e.New, "\n")...) {
					require.Contains(t, text, strings.TrimSuffix(line, "\n"))
				}
			}
		}
	}
	require.Greater(t, read, 1000)
}

// What a form says of a place comes with its edits.
func TestWhatIsSaidOfAPlace(t *testing.T) {
	files, err := Parse(samples[0])
	require.NoError(t, err)
	require.Equal(t, []File{
		{Path: "a", To: "b", Edits: []Edit{{Old: "one\ntwo\n", New: "one\nTWO\n", After: []string{"class A:", "def f"}, AtEnd: true, Ordered: true}}},
		{Path: "c", Add: true, Edits: []Edit{{New: "x\n\n"}}},
		{Path: "d", Delete: true},
	}, files)
	files, err = Parse(samples[1])
	require.NoError(t, err)
	require.Equal(t, []File{
		{Path: "a", To: "b", Edits: []Edit{{Old: "one\ntwo", New: "one\nTWO\n", Line: 1, AtEnd: true, Ordered: true}}},
		{Path: "c", Add: true, Edits: []Edit{{New: "x\n", Line: 1, Ordered: true}}},
	}, files)
	files, err = Parse(samples[2])
	require.NoError(t, err)
	require.Equal(t, []File{{Path: "a.go", Edits: []Edit{{Old: "one\n", New: "two\n", Line: 3}, {New: "x\n"}}}}, files)
}
