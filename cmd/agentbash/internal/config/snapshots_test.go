package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSnapshots(t *testing.T) {
	for _, row := range []struct {
		text    string
		want    *Snapshots
		problem string
	}{
		{`{}`, nil, ""},
		{`{"snapshots": false}`, &Snapshots{Off: true}, ""},
		{`{"snapshots": true}`, &Snapshots{}, ""},
		{`{"snapshots": {"files": 5, "bytes": 6, "days": 0.5}}`, &Snapshots{Files: 5, Bytes: 6, Days: 0.5}, ""},
		{`{"snapshots": {"file": 5}}`, nil, "snapshots.file: unknown key: did you mean files?"},
		{`{"snapshots": {"days": -1}}`, nil, "snapshots.days: it is below 0"},
		{`{"snapshots": {"files": "5"}}`, nil, "snapshots.files: a string stands where a whole number is wanted"},
	} {
		r, err := newTestHome(t, map[string]string{userFile: row.text}).try()
		if row.problem != "" {
			require.ErrorContains(t, err, row.problem)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, row.want, r.Snapshots)
	}
	r := newTestHome(t, map[string]string{userFile: `{"snapshots": {"days": 1}}`, projectOwn: `{"snapshots": false}`}).load()
	require.Equal(t, &Snapshots{Days: 1}, r.Snapshots)
	require.Len(t, r.Warnings, 1)
	require.ErrorContains(t, r.Warnings[0], "snapshots: a project's file cannot say what is kept to be taken back")
}
