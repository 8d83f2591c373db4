package drawing_test

import (
	"slices"
	"testing"

	"ragdesk/backend/parse/office/drawing"
)

func TestOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		boxes []drawing.Box
		want  []int
	}{
		"a row, then a line": {[]drawing.Box{{0, 100, 10, 10}, {50, 0, 10, 10}, {0, 2, 10, 10}}, []int{2, 1, 0}},
		"a column beside a tall box": {
			[]drawing.Box{{100, 0, 50, 100}, {0, 60, 50, 40}, {0, 0, 50, 40}}, []int{2, 1, 0}},
		"two by two":     {[]drawing.Box{{60, 60, 40, 40}, {0, 60, 40, 40}, {60, 0, 40, 40}, {0, 0, 40, 40}}, []int{3, 2, 1, 0}},
		"all overlap":    {[]drawing.Box{{5, 5, 100, 100}, {0, 0, 100, 100}, {5, 0, 90, 100}}, []int{1, 2, 0}},
		"same place":     {make([]drawing.Box, 3), []int{0, 1, 2}},
		"none":           {nil, []int{}},
		"slight overlap": {[]drawing.Box{{0, 95, 100, 100}, {0, 0, 100, 100}}, []int{1, 0}},
	} {
		if got := drawing.Order(c.boxes); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
