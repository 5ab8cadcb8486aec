package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTargets(t *testing.T) {
	for _, row := range []struct {
		text    string
		want    Targets
		problem string
	}{
		{`{}`, Targets{Names: map[string]string{}}, ""},
		{`{"target": "web1", "targets": {"web1": "ssh:h/srv"}, "targetKeep": 5}`, Targets{"web1", map[string]string{"web1": "ssh:h/srv"}, 5}, ""},
		{`{"targets": {"web1": 5}}`, Targets{}, "targets.web1"},
		{`{"targets": "ssh:h"}`, Targets{}, "targets: it is a string: write an object"},
		{`{"targetKeep": -1}`, Targets{}, "targetKeep: it is below 0"},
	} {
		r, err := newTestHome(t, map[string]string{userFile: row.text}).try()
		if row.problem != "" {
			require.ErrorContains(t, err, row.problem)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, row.want, r.Targets)
	}
	r := newTestHome(t, map[string]string{userFile: `{"target": "docker:db"}`, projectOwn: `{"target": "evil", "targets": {"docker:db": "ssh:evil"}}`}).load()
	require.Equal(t, Targets{"docker:db", map[string]string{}, 0}, r.Targets)
	require.Len(t, r.Warnings, 1)
	require.ErrorContains(t, r.Warnings[0], "target, targets: a project's file cannot say where commands run")
}
