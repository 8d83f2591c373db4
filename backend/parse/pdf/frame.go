package pdf

import (
	"math"

	"ragdesk/backend/parse/layout"
)

// frame maps PDFium's coordinates (y upward, the page before its rotation) to
// those of the page as it is shown.
type frame struct {
	// left, bottom, right, top are the page's visible box.
	left, bottom, right, top float64
	// quarter is the page's rotation in quarter turns clockwise.
	quarter int
}

// size is that of the page as it is shown.
func (f frame) size() (w, h float64) {
	w, h = f.right-f.left, f.top-f.bottom
	if f.quarter%2 == 1 {
		w, h = h, w
	}
	return w, h
}

func (f frame) point(x, y float64) (float64, float64) {
	switch f.quarter {
	case 1:
		return y - f.bottom, x - f.left
	case 2:
		return f.right - x, y - f.bottom
	case 3:
		return f.top - y, f.right - x
	}
	return x - f.left, f.top - y
}

func (f frame) box(x0, y0, x1, y1 float64) layout.Box {
	ax, ay := f.point(x0, y0)
	bx, by := f.point(x1, y1)
	return layout.Box{X0: math.Min(ax, bx), Y0: math.Min(ay, by), X1: math.Max(ax, bx), Y1: math.Max(ay, by)}
}
