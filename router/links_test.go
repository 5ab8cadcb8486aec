package router

import (
	"context"
	"fmt"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

func TestManyToolsCanBeCalledAtOnce(t *testing.T) {
	reg := registry.New()
	for n := range 500 {
		require.NoError(t, reg.Register(text(fmt.Sprint("field:many:t", n), stringParam("x", true))))
	}
	r, err := New(reg, nil)
	require.NoError(t, err)
	defer r.Close()
	// The name stands nowhere in the text, and xargs is no shell that could ask.
	res := r.Run(context.Background(), "printf '%s:%s' fie many:t499 | sed s/fie/field/ | xargs -I{} env {} --x 1", nil)
	require.Equal(t, "x=1\n", res.Output)
}
