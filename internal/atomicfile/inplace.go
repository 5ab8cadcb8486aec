package atomicfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// inPlace writes the content into the same inode.
func (f *File) inPlace(content []byte) error {
	old, err := f.Content(1 << 40)
	if err != nil {
		return err
	}
	w, err := f.reopen(os.O_RDWR)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := f.check(); err != nil { // before reserve, which sets the time of the last change
		return err
	}
	if err := reserveSpace(w, int64(len(old)), int64(len(content))); err != nil {
		return err
	}
	if err := overwriteContent(w, old, content); err != nil {
		if undo := overwriteContent(w, content, old); undo != nil {
			return fmt.Errorf("%w; taking the write back failed as well (%v): the file is damaged", err, undo)
		}
		return err
	}
	return nil
}

// reopen opens the file to be written; ErrChanged if another is there now.
func (f *File) reopen(flags int) (*os.File, error) {
	w, err := os.OpenFile(f.at, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	var now unix.Stat_t
	if err := unix.Fstat(int(w.Fd()), &now); err != nil || now.Dev != f.stat.Dev || now.Ino != f.stat.Ino {
		w.Close()
		return nil, ErrChanged
	}
	return w, nil
}

// reserveSpace makes sure that the disk has room for what the file grows by, before
// a byte of it is changed.
func reserveSpace(w *os.File, from, to int64) error {
	if to <= from {
		return nil
	}
	err := syscalls.Reserve(int(w.Fd()), from, to-from)
	if err == unix.ENOSPC || err == unix.EDQUOT || err == unix.EFBIG {
		return &os.PathError{Op: "write", Path: w.Name(), Err: err}
	}
	return nil // other errors: the file system cannot reserve
}

// overwriteContent turns a file that held old (or a mix of old and content) into content, writing from the
// first byte that differs and, where the length stays, up to the last.
func overwriteContent(w *os.File, old, content []byte) error {
	start := 0
	for start < len(old) && start < len(content) && old[start] == content[start] {
		start++
	}
	end := len(content)
	if len(old) == len(content) {
		for end > start && old[end-1] == content[end-1] {
			end--
		}
	}
	var errs []error
	if end > start {
		_, err := w.WriteAt(content[start:end], int64(start))
		errs = append(errs, err)
	}
	if errors.Join(errs...) == nil {
		errs = append(errs, w.Truncate(int64(len(content))), w.Sync())
	}
	return errors.Join(errs...)
}

// Append writes content to the file's end, and takes a part of it back when
// the disk is full. What others append at the same time is kept.
func (f *File) Append(content []byte) error {
	w, err := f.reopen(os.O_WRONLY | os.O_APPEND)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := f.check(); err != nil {
		return err
	}
	if err := reserveSpace(w, f.stat.Size, f.stat.Size+int64(len(content))); err != nil {
		return err
	}
	if _, err = w.Write(content); err == nil {
		return w.Sync()
	}
	return errors.Join(err, w.Truncate(f.stat.Size))
}
