package files

import (
	"hash/maphash"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/atomicfile"
)

// files is what the tools of one call of Tools share.
type files struct {
	opts Options

	mu     sync.Mutex
	states map[string]fileState // by resolved path
	locks  map[string]*fileLock // files that are being changed, by resolved path
}

// fileLock is the right to change a file; those who wait for it are counted.
type fileLock struct {
	mu      sync.Mutex
	waiting int
}

// lockFile waits until no other call changes the file, and
// returns what unlocks it. The file's own lock is not enough: it is gone
// with the old file before the new one is remembered.
func (f *files) lockFile(path string) (done func()) {
	f.mu.Lock()
	t := f.locks[path]
	if t == nil {
		t = &fileLock{}
		f.locks[path] = t
	}
	t.waiting++
	f.mu.Unlock()
	t.mu.Lock()
	return func() {
		t.mu.Unlock()
		f.mu.Lock()
		defer f.mu.Unlock()
		if t.waiting--; t.waiting == 0 {
			delete(f.locks, path)
		}
	}
}

// turnName is the name by which calls take turns at a file: all links followed.
func turnName(path string) string {
	if real, err := atomicfile.Resolve(path); err == nil {
		return real
	}
	return path
}

// fileState is what a file was when it was last read or written here.
type fileState struct {
	stat  stamp
	print uint64 // fingerprint of the whole content
	whole bool   // print is set
}

// stamp is the part of a file's stat that changes with its content.
type stamp struct {
	dev, ino     uint64
	size         int64
	mtime, ctime unix.Timespec
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{dev: uint64(st.Dev), ino: st.Ino, size: st.Size, mtime: st.Mtim, ctime: st.Ctim}
}

// printSeed makes fingerprints of one process comparable, and only those.
var printSeed = maphash.MakeSeed()

// chunkSize is the piece in which contents are scanned, in bytes: it stays in
// the processor's cache while it is looked at twice.
const chunkSize = 128 << 10

// fingerprint is a hash of the content, made of the hashes of its chunks so
// that they can be taken in parallel and in passing.
type fingerprint struct{ h maphash.Hash }

func newFingerprint() *fingerprint {
	f := &fingerprint{}
	f.h.SetSeed(printSeed)
	return f
}

func (f *fingerprint) add(chunk uint64) { maphash.WriteComparable(&f.h, chunk) }

func chunkPrint(chunk []byte) uint64 { return maphash.Bytes(printSeed, chunk) }

func printOf(content []byte) uint64 {
	f := newFingerprint()
	for len(content) > 0 {
		n := min(chunkSize, len(content))
		f.add(chunkPrint(content[:n]))
		content = content[n:]
	}
	return f.h.Sum64()
}

// rememberState remembers a file as it was read or written.
func (f *files) rememberState(path string, r fileState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.states[path] = r
}

// lookUpState returns what is known of a file.
func (f *files) lookUpState(path string) (fileState, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.states[path]
	return r, ok
}

// changed reports whether a file whose content is given differs from what it
// was when it was last seen. The content decides, so that a touch is no change
// and a change within one tick of the clock is; the stat stands in only where
// the whole content was never seen.
func (r fileState) changed(now stamp, content []byte) bool {
	if r.whole {
		return r.print != printOf(content)
	}
	return r.stat != now
}
