package drawing

import (
	"cmp"
	"slices"
)

// Box is where a shape stands, in any unit.
type Box struct{ X, Y, W, H int64 }

// Order returns the order in which shapes are read: from top to bottom, and from
// left to right what stands side by side. Shapes that overlap by a tenth are still
// told apart. Equal boxes keep their order.
func Order(boxes []Box) []int {
	all := make([]int, len(boxes))
	for i := range all {
		all[i] = i
	}
	return cut(boxes, all, true, false)
}

// cut divides shapes by empty stripes, in one direction and then in the other;
// tried says that the other direction divided nothing.
func cut(boxes []Box, in []int, rows, tried bool) []int {
	if len(in) < 2 {
		return in
	}
	start := func(i int) int64 {
		if rows {
			return boxes[i].Y + boxes[i].H/10
		}
		return boxes[i].X + boxes[i].W/10
	}
	end := func(i int) int64 {
		if rows {
			return boxes[i].Y + boxes[i].H - boxes[i].H/10
		}
		return boxes[i].X + boxes[i].W - boxes[i].W/10
	}
	in = slices.Clone(in)
	slices.SortStableFunc(in, func(a, b int) int { return cmp.Compare(start(a), start(b)) })
	var out []int
	from, reach := 0, end(in[0])
	for i := 1; i <= len(in); i++ {
		if i < len(in) && start(in[i]) < reach {
			reach = max(reach, end(in[i]))
			continue
		}
		part := in[from:i]
		switch {
		case len(part) < len(in):
			out = append(out, cut(boxes, part, !rows, false)...)
		case !tried:
			return cut(boxes, part, !rows, true)
		default:
			return byPlace(boxes, part)
		}
		if i < len(in) {
			from, reach = i, end(in[i])
		}
	}
	return out
}

// byPlace orders shapes that nothing divides.
func byPlace(boxes []Box, in []int) []int {
	slices.SortStableFunc(in, func(a, b int) int {
		return cmp.Or(cmp.Compare(boxes[a].Y, boxes[b].Y), cmp.Compare(boxes[a].X, boxes[b].X), cmp.Compare(a, b))
	})
	return in
}
