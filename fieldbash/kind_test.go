package fieldbash_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// Annotations tighten whoever says them, and loosen only for a server that the
// configuration trusts.
func TestAnnotationsAndTrust(t *testing.T) {
	rows := []struct {
		name, annotations string
		trusted           registry.Kind // an untrusted server's tool is always of unknown kind
		tags              []string
	}{
		{"none", `{}`, "", nil},
		{"reads", `{"readOnlyHint":true}`, registry.ReadOnly, nil},
		{"reads_the_web", `{"readOnlyHint":true,"openWorldHint":true}`, registry.Network, []string{"open-world"}},
		{"reads_here", `{"readOnlyHint":true,"openWorldHint":false}`, registry.ReadOnly, nil},
		{"contradicts_itself", `{"readOnlyHint":true,"destructiveHint":true}`, "", []string{"destructive"}},
		{"destroys", `{"destructiveHint":true}`, "", []string{"destructive"}},
		{"only_adds", `{"readOnlyHint":false,"destructiveHint":false}`, "", nil},
		{"of_another_type", `{"readOnlyHint":"true"}`, "", nil},
		{"no_object", `"readOnlyHint"`, "", nil},
	}
	var defs []string
	for _, row := range rows {
		defs = append(defs, `{"name":"`+row.name+`","inputSchema":{"type":"object"},"annotations":`+row.annotations+`}`)
	}
	for _, trusted := range []bool{false, true} {
		s, _ := listed(t, "["+strings.Join(defs, ",")+"]")
		s.Trust = trusted
		b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": s}}, nil)
		tools, err := b.reg.LoadGroup(context.Background(), "s")
		require.NoError(t, err)
		require.Len(t, tools, len(rows))
		for _, row := range rows {
			tool, err := b.reg.Resolve(context.Background(), "field:s:"+row.name)
			require.NoError(t, err)
			want := row.trusted
			if !trusted {
				want = ""
			}
			require.Equal(t, want, tool.Kind, "%s, trusted: %v", tool.Name, trusted)
			require.Equal(t, append([]string{"field", "s"}, row.tags...), tool.Tags, row.name)
		}
	}
}
