package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplay(t *testing.T) {
	for _, row := range []struct {
		name       string
		log        []Step
		undo, redo []int
	}{
		{"nothing", nil, nil, nil},
		{"steps", []Step{{ID: 1}, {ID: 2}}, []int{2, 1}, nil},
		{"undo", []Step{{ID: 1}, {ID: 2}, {ID: 3, To: 2}}, []int{1}, []int{3}},
		{"undo twice", []Step{{ID: 1}, {ID: 2}, {ID: 3, To: 2}, {ID: 4, To: 1}}, nil, []int{4, 3}},
		{"redo", []Step{{ID: 1}, {ID: 2}, {ID: 3, To: 2}, {ID: 4, To: 1}, {ID: 5, To: 4}}, []int{1}, []int{3}},
		{"redo twice", []Step{{ID: 1}, {ID: 2}, {ID: 3, To: 2}, {ID: 4, To: 1}, {ID: 5, To: 4}, {ID: 6, To: 3}}, []int{2, 1}, nil},
		{"undo of a redo", []Step{{ID: 1}, {ID: 2, To: 1}, {ID: 3, To: 2}, {ID: 4, To: 1}}, nil, []int{4}},
		{"far back", []Step{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4, To: 1}}, nil, []int{4}},
		{"forward from far back", []Step{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4, To: 1}, {ID: 5, To: 4}}, []int{3, 2, 1}, nil},
		{"a step ends what can be redone", []Step{{ID: 1}, {ID: 2, To: 1}, {ID: 3}}, []int{3}, nil},
		{"a step in which nothing changed does not", []Step{{ID: 1}, {ID: 2, To: 1}, {ID: 3, Same: true}}, []int{3}, []int{2}},
		{"a log whose beginning is gone", []Step{{ID: 8}, {ID: 9, To: 3}}, nil, []int{9}},
	} {
		t.Run(row.name, func(t *testing.T) {
			undo, redo := Replay(row.log)
			require.Equal(t, row.undo, undo)
			require.Equal(t, row.redo, redo)
		})
	}
}
