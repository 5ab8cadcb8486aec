// Package procblock overwrites secrets in the memory that /proc/PID/environ and
// /proc/PID/cmdline show of this process, where every process of the same user
// could read them (proc_pid_environ(5)).
package procblock

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// minText is how long a text must be to be looked for: a shorter one would be
// found in others.
const minText = 6

// Hide overwrites the values of the variables that isSecret reports, and the texts
// wherever they stand, with asterisks. os.Environ and os.LookupEnv, which copied the
// block when the program started, still have them; os.Args is the block itself:
// clone what is needed of it first. A nil isSecret reports none.
func Hide(isSecret func(name, value string) bool, texts ...string) error {
	start, end, err := blockBounds()
	if err != nil {
		return fmt.Errorf("hide keys: %w", err)
	}
	// The file instead of a pointer: it checks the bounds.
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("hide keys: %w", err)
	}
	defer mem.Close()
	block := make([]byte, end-start)
	if _, err := mem.ReadAt(block, start); err != nil {
		return fmt.Errorf("hide keys: %w", err)
	}
	if hideIn(block, isSecret, texts) {
		if _, err := mem.WriteAt(block, start); err != nil {
			return fmt.Errorf("hide keys: %w", err)
		}
	}
	return nil
}

// hideIn does it in a copy of the block and reports whether something was there.
func hideIn(block []byte, isSecret func(name, value string) bool, texts []string) (found bool) {
	hide := func(b []byte) {
		found = true
		copy(b, bytes.Repeat([]byte("*"), len(b)))
	}
	for entry := range bytes.SplitSeq(block, []byte{0}) {
		if name, value, ok := bytes.Cut(entry, []byte("=")); ok && isSecret != nil && isSecret(string(name), string(value)) {
			hide(value)
		}
	}
	for _, text := range texts {
		for at := 0; len(text) >= minText; {
			i := bytes.Index(block[at:], []byte(text))
			if i < 0 {
				break
			}
			at += i + len(text)
			hide(block[at-len(text) : at])
		}
	}
	return found
}

// blockBounds are the addresses of the arguments and the environment, which follow
// each other: fields 48 to 51 of proc_pid_stat(5).
func blockBounds() (start, end int64, err error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, err
	}
	const third, argStart, envEnd = 3, 48, 51
	_, rest, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	fields := strings.Fields(rest) // from the third
	if len(fields) <= envEnd-third {
		return 0, 0, errors.New("/proc/self/stat is too short")
	}
	start, err = strconv.ParseInt(fields[argStart-third], 10, 64)
	if err != nil {
		return 0, 0, err
	}
	end, err = strconv.ParseInt(fields[envEnd-third], 10, 64)
	if err == nil && (start <= 0 || end < start) {
		err = errors.New("/proc/self/stat does not tell where the environment is")
	}
	return start, end, err
}
