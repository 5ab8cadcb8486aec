package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableOfProgramsIsRight(t *testing.T) {
	_, err := readPrograms(programFiles)
	require.NoError(t, err)
}
