//go:build linux

package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// smallDisk is a directory on a file system of a megabyte; fill takes all of it.
func smallDisk(t *testing.T) (dir string, fill func(), free func()) {
	dir = t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m")
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Skipf("a disk that fills up needs the right to mount: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, 0)) })
	ballast := filepath.Join(dir, "ballast")
	fill = func() {
		f, err := os.Create(ballast)
		require.NoError(t, err)
		defer f.Close()
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		require.ErrorIs(t, err, unix.ENOSPC)
	}
	return dir, fill, func() { require.NoError(t, os.Remove(ballast)) }
}

// TestFullDisk: on a full disk actions are recorded as long as there is a reserve,
// run without a record then, and the log says how many they were.
func TestFullDisk(t *testing.T) {
	disk, fill, free := smallDisk(t)
	dir, lost := filepath.Join(disk, "audit"), 0
	r := &Recorder{Log: Open(dir), Who: "person", Session: func() string { return "s" }, Secrets: NewSecrets(nil, nil),
		Lost: func(err error) {
			require.ErrorIs(t, err, unix.ENOSPC)
			require.ErrorContains(t, err, "make room")
			lost++
		}}
	run := func(command string) {
		end, err := r.Intent(&guard.Entry{Plan: router.PlanNative(command)})
		require.NoError(t, err)
		if end != nil {
			end(router.Outcome{})
		}
	}
	run("before")
	fill()
	for n := range 100 {
		run(fmt.Sprint("in reserve ", n))
	}
	require.Zero(t, lost)
	require.EqualValues(t, 202, verify(t, dir).Records)
	for lost < 50 {
		run("too many")
	}
	rep := verify(t, dir)
	require.True(t, rep.OK)
	require.Zero(t, rep.Torn, "what could be written of a line is taken back")
	require.EqualValues(t, lost, rep.Lost+int64(len(rep.Open)), "the head tells of what is lost")
	free()
	run("after")
	require.NoError(t, r.Close())
	rep = verify(t, dir)
	require.True(t, rep.OK, "%v", rep.Broken)
	commands := map[string]int64{}
	require.NoError(t, Records(dir, func(r *Record, _ []byte) error {
		commands[r.Command]++
		return nil
	}))
	require.EqualValues(t, 1, commands["after"])
	require.Positive(t, rep.Lost)
	require.LessOrEqual(t, rep.Lost, int64(lost), "some were told of for their outcome alone")
	require.Equal(t, int64(lost), rep.Lost+int64(len(rep.Open)), "what is not there is told of")
}

// TestFullDiskFromTheBeginning: there was never room for a log.
func TestFullDiskFromTheBeginning(t *testing.T) {
	disk, fill, free := smallDisk(t)
	fill()
	dir, lost := filepath.Join(disk, "audit"), 0
	r := &Recorder{Log: Open(dir), Who: "person", Session: func() string { return "s" }, Secrets: NewSecrets(nil, nil), Lost: func(error) { lost++ }}
	for range 3 {
		_, err := r.Intent(&guard.Entry{Plan: router.PlanNative("ls")})
		require.NoError(t, err)
	}
	require.Equal(t, 3, lost)
	free()
	require.NoError(t, r.Close())
	rep := verify(t, dir)
	require.True(t, rep.OK, "%v", rep.Broken)
	require.EqualValues(t, 3, rep.Lost)
	require.EqualValues(t, 1, rep.Records)
}
