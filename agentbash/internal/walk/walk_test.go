package walk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/agentbash/internal/glob"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// tree makes random directories and files; it returns the root.
func tree(t *testing.T, r *rand.Rand) string {
	root := t.TempDir()
	dirs := []string{root}
	for range 60 {
		dir := filepath.Join(dirs[r.IntN(len(dirs))], fmt.Sprintf("d%d", r.IntN(50)))
		if os.Mkdir(dir, 0o755) == nil {
			dirs = append(dirs, dir)
		}
	}
	for range 600 {
		name := fmt.Sprintf("%c%d.%s", "abdz."[r.IntN(5)], r.IntN(200), []string{"go", "py", "txt"}[r.IntN(3)])
		require.NoError(t, os.WriteFile(filepath.Join(dirs[r.IntN(len(dirs))], name), nil, 0o644))
	}
	return root
}

// files walks as the package does and returns the paths, as they were delivered.
func files(t *testing.T, root string, o *Options) []string {
	var list []string
	err := Walk(context.Background(), root, o, Client[[]string]{
		Work: func(_ int, b *Batch) []string {
			var out []string
			for _, e := range b.Entries {
				rel, err := filepath.Rel(root, filepath.Join(b.Dir.Path, e.Name))
				if err != nil {
					panic(err)
				}
				out = append(out, rel)
			}
			return out
		},
		Emit:  func(l []string) bool { list = append(list, l...); return true },
		Weigh: func(l []string) int { return 1 << 20 * len(l) }, // much, so that the walk has to wait
	})
	require.NoError(t, err)
	return list
}

func TestTheOrderIsThatOfAWalkByName(t *testing.T) {
	for seed := range uint64(20) {
		root := tree(t, rand.New(rand.NewPCG(seed, 9)))
		var want []string
		require.NoError(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if !d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
				rel, _ := filepath.Rel(root, p)
				want = append(want, rel)
			}
			return err
		}))
		for _, inline := range []bool{false, true} {
			for _, workers := range []int{1, 2, 8} {
				require.Equal(t, want, files(t, root, &Options{Inline: inline, Workers: workers}), "seed %d", seed)
			}
		}
	}
}

func compile(t *testing.T, pattern string) *glob.Pattern {
	p, err := glob.Compile(pattern)
	require.NoError(t, err)
	return p
}

func put(t *testing.T, root string, names ...string) {
	for _, name := range names {
		p := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, nil, 0o644))
	}
}

func TestWhatIsVisited(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a.go", ".hidden.go", "build/out.go", "x.log", "src/b.go", "src/.h/c.go", "src/gen/d.go", ".git/config", "src/keep.log")
	require.NoError(t, os.WriteFile(filepath.Join(root, ".gitignore"), []byte("build/\n*.log\n!keep.log\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "src/.gitignore"), []byte("/gen\n"), 0o644))
	require.NoError(t, os.Symlink("a.go", filepath.Join(root, "link.go")))
	require.NoError(t, unix.Mkfifo(filepath.Join(root, "fifo"), 0o644))
	for _, test := range []struct {
		name string
		o    Options
		want string
	}{
		{"default", Options{}, "a.go src/b.go src/keep.log"},
		{"hidden", Options{Hidden: true}, ".gitignore .hidden.go a.go src/.gitignore src/.h/c.go src/b.go src/keep.log"},
		{"ignored too", Options{All: true}, "a.go build/out.go src/b.go src/gen/d.go src/keep.log x.log"},
		{"what is left out", Options{Skipped: true}, ".gitignore .hidden.go build/out.go src/.gitignore src/.h/c.go src/gen/d.go x.log"},
		{"what is left out but for hidden", Options{Skipped: true, Hidden: true}, "build/out.go src/gen/d.go x.log"},
		{"links", Options{Links: true}, "a.go link.go src/b.go src/keep.log"},
		{"include", Options{Include: compile(t, "src/*.go")}, "src/b.go"},
		{"include a hidden name", Options{Include: compile(t, "**/.h*/*.go")}, "src/.h/c.go"},
		{"exclude", Options{Exclude: compile(t, "{src,*.go}")}, ""},
		{"names", Options{Names: compile(t, "*.log")}, "src/keep.log"},
		{"left out, of some names", Options{Skipped: true, Names: compile(t, "*.log")}, "x.log"},
		{"directories", Options{Include: compile(t, "**/*/"), Dirs: true}, "src"},
	} {
		o := test.o
		require.Equal(t, test.want, strings.Join(files(t, root, &o), " "), test.name)
	}
}

func TestManyOpenDirectories(t *testing.T) {
	root := t.TempDir()
	dir := root
	var want []string
	for i := range 300 { // deeper than directories are kept open
		dir = filepath.Join(dir, "d")
		rel, err := filepath.Rel(root, dir)
		require.NoError(t, err)
		if i%50 == 0 {
			put(t, dir, "f", "d2/g")
			want = append(want, rel+"/d2/g", rel+"/f")
		}
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	got := files(t, root, &Options{Workers: 2})
	require.ElementsMatch(t, want, got)
}

func TestAWalkThatIsEnded(t *testing.T) {
	root := tree(t, rand.New(rand.NewPCG(1, 9)))
	n := 0
	client := Client[int]{
		Work: func(_ int, b *Batch) int { return len(b.Entries) },
		Emit: func(int) bool { n++; return n < 3 },
	}
	require.NoError(t, Walk(context.Background(), root, &Options{}, client))
	require.Equal(t, 3, n)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, Walk(ctx, root, &Options{}, client), context.Canceled)
	require.ErrorIs(t, Walk(context.Background(), filepath.Join(root, "none"), &Options{}, client), os.ErrNotExist)
	before := openFDs(t)
	for range 20 {
		n = 0
		require.NoError(t, Walk(context.Background(), root, &Options{}, client))
	}
	require.Equal(t, before, openFDs(t), "directories stay open")
}

func openFDs(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

func TestAPanicInTheWorkReachesTheCaller(t *testing.T) {
	root := tree(t, rand.New(rand.NewPCG(2, 9)))
	require.Panics(t, func() {
		Walk(context.Background(), root, &Options{}, Client[int]{
			Work: func(int, *Batch) int { panic("broken") },
			Emit: func(int) bool { return true },
		})
	})
}

func TestDirectoriesThatCannotBeReadAreReported(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a/f", "gone/f")
	var failed []string
	client := Client[int]{
		Work: func(_ int, b *Batch) int {
			if filepath.Base(b.Dir.Path) == "a" { // visited before gone is
				if err := os.RemoveAll(filepath.Join(root, "gone")); err != nil {
					panic(err)
				}
			}
			return 0
		},
		Emit: func(int) bool { return true },
		Failed: func(path string, err error) {
			failed = append(failed, filepath.Base(path))
			_ = errors.Is(err, os.ErrNotExist)
		},
	}
	require.NoError(t, Walk(context.Background(), root, &Options{Workers: 1}, client))
	require.Equal(t, []string{"gone"}, failed)
}
