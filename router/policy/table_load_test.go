package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableOfProgramsIsRight(t *testing.T) {
	table, err := readPrograms(programFiles)
	require.NoError(t, err)
	for _, e := range table.entries {
		_, err := table.readEntry(e)
		require.NoError(t, err)
	}
}

// BenchmarkTable reads the table of programs, which the first line waits for.
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		if _, err := readPrograms(programFiles); err != nil {
			b.Fatal(err)
		}
	}
}
