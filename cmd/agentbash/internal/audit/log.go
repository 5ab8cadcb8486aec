package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

const (
	maxFile = 16 << 20  // bytes up to which the file grows before it is put aside
	reserve = 256 << 10 // bytes of the disk that it has beyond its end, for when the disk is full
)

// Log appends records. It is safe for concurrent use, in one process and in
// several.
type Log struct {
	dir string
	now func() time.Time
	max int64 // maxFile, but in tests

	mu   sync.Mutex // guards what follows
	file *os.File   // nil before the first record
	head *os.File
	last tail
	lost int64 // actions without a record that the head could not be told of
}

// Open returns the log of a directory, which is made with the first record,
// for this user alone. It opens nothing yet.
func Open(dir string) *Log {
	return &Log{dir: dir, now: time.Now, max: maxFile}
}

func (l *Log) path() string { return filepath.Join(l.dir, "audit.jsonl") }

// Append numbers and chains records, and writes them at once. With sync they are
// on the disk when Append returns. After an error the log is as it was, as far
// as the disk allows.
func (l *Log) Append(sync bool, records ...*Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	size, err := l.lock()
	if err == nil {
		err = l.appendRecords(size, records)
		unlockFile(l.file)
	}
	if err == nil && sync {
		err = syscalls.SyncData(int(l.file.Fd()))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w: make room, or see to the directory", l.path(), pathlessError(err))
	}
	return nil
}

// Close closes the files.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost > 0 {
		if size, err := l.lock(); err == nil {
			l.appendRecords(size, nil) // there may be room by now
		}
	}
	if l.file == nil {
		return nil
	}
	return l.drop()
}

func (l *Log) drop() error {
	err := errors.Join(l.file.Close(), l.head.Close())
	l.file, l.head, l.last = nil, nil, tail{}
	return err
}

// lock opens the present file, locks it and returns its size. One that another
// process has put aside meanwhile is let go.
func (l *Log) lock() (size int64, err error) {
	for {
		if l.file == nil {
			if err := l.open(); err != nil {
				return 0, err
			}
		}
		if err := lockFile(l.file); err != nil {
			return 0, err
		}
		var ours, now unix.Stat_t
		if err := unix.Fstat(int(l.file.Fd()), &ours); err != nil {
			return 0, err
		}
		if err := unix.Lstat(l.path(), &now); err == nil && ours.Dev == now.Dev && ours.Ino == now.Ino {
			if ours.Blocks*512 < ours.Size+reserve/2 { // where none can be had, there is none
				syscalls.Reserve(int(l.file.Fd()), ours.Size, reserve)
			}
			return ours.Size, nil
		}
		l.drop()
	}
}

func (l *Log) open() (err error) {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	const flags = os.O_RDWR | os.O_CREATE | unix.O_NOFOLLOW
	if l.file, err = os.OpenFile(l.path(), flags, 0o600); err != nil {
		return err
	}
	var st os.FileInfo
	if l.head, err = os.OpenFile(filepath.Join(l.dir, "head"), flags, 0o600); err == nil {
		if st, err = l.head.Stat(); err == nil && st.Size() == 0 { // its room is there before the first record
			err = l.writeHead(0, first, 0)
		}
	}
	if err != nil {
		l.head.Close()
		l.file.Close()
		l.file = nil
	}
	return err
}

// writeHead writes in place, which needs no room.
func (l *Log) writeHead(seq int64, hash string, lost int64) error {
	_, err := l.head.WriteAt(fmt.Appendf(nil, "%020d %s %010d\n", seq, hash, lost), 0)
	return err
}

// readHead reads what the head names: the last record, and how many actions have had
// none since.
func readHead(head []byte) (seq int64, hash string, lost int64, err error) {
	_, err = fmt.Sscanf(string(head), "%d %s", &seq, &hash)
	if fields := strings.Fields(string(head)); len(fields) > 2 {
		lost, _ = strconv.ParseInt(fields[2], 10, 64)
	}
	return seq, hash, lost, err
}

// countLost is how many actions have had no record.
func (l *Log) countLost() int64 {
	head := make([]byte, 128)
	n, _ := l.head.ReadAt(head, 0)
	_, _, lost, _ := readHead(head[:n])
	return lost + l.lost
}

// NoteLost notes that an action runs for whose record there is no room. The next
// record that can be written says how many there were, whoever writes it.
func (l *Log) NoteLost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost++
	size, err := l.lock()
	if err != nil {
		return
	}
	defer unlockFile(l.file)
	if l.findTail(size) == nil && l.writeHead(l.last.seq, l.last.hash, l.countLost()) == nil {
		l.lost = 0
	}
}

// appendRecords writes records to the locked file.
func (l *Log) appendRecords(size int64, records []*Record) error {
	if err := l.findTail(size); err != nil {
		return err
	}
	if l.last.size >= l.max {
		if err := l.rotateFile(); err != nil {
			return err
		}
	}
	var data []byte
	if lost := l.countLost(); lost > 0 {
		records = append([]*Record{{Type: TypeGap, PID: os.Getpid(), Lost: lost}}, records...)
	}
	if l.last.torn {
		data = append(data, '\n')
		records = append([]*Record{{Type: TypeTorn, Session: records[0].Session, PID: records[0].PID}}, records...)
	}
	next := l.last
	for _, r := range records {
		line, err := next.chainRecord(r, l.now())
		if err != nil {
			return err
		}
		data = append(append(data, line...), '\n')
	}
	if _, err := l.file.WriteAt(data, l.last.size); err != nil {
		return errors.Join(err, l.file.Truncate(l.last.size))
	}
	next.size, next.torn = l.last.size+int64(len(data)), false
	l.last, l.lost = next, 0
	l.writeHead(next.seq, next.hash, 0) // one that is behind is no mistake: it only sees less
	return nil
}

// rotateFile puts the full file under another name and goes on in a new one.
func (l *Log) rotateFile() error {
	l.file.Truncate(l.last.size) // without its reserve
	to := filepath.Join(l.dir, fmt.Sprintf("audit-%012d.jsonl", l.last.seq))
	if err := os.Rename(l.path(), to); err != nil {
		return err
	}
	l.drop() // with its lock
	size, err := l.lock()
	if err != nil {
		return err
	}
	return l.findTail(size)
}

func lockFile(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}

func unlockFile(f *os.File) { unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// pathlessError is an error without the operation and the path, which the caller names.
func pathlessError(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
