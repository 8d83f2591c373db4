package pdf

import "math"

// box is a place on a page in points: x to the right, y downward from the top of
// the page as it is shown.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) width() float64  { return b.x1 - b.x0 }
func (b box) height() float64 { return b.y1 - b.y0 }
func (b box) midX() float64   { return (b.x0 + b.x1) / 2 }
func (b box) midY() float64   { return (b.y0 + b.y1) / 2 }

// union is the smallest box around both.
func (b box) union(o box) box {
	return box{math.Min(b.x0, o.x0), math.Min(b.y0, o.y0), math.Max(b.x1, o.x1), math.Max(b.y1, o.y1)}
}

// overlapY is the share of the lower of both boxes that lies beside the other.
func (b box) overlapY(o box) float64 {
	low := math.Min(b.height(), o.height())
	if low <= 0 {
		if b.y0 <= o.y1 && o.y0 <= b.y1 {
			return 1
		}
		return 0
	}
	return (math.Min(b.y1, o.y1) - math.Max(b.y0, o.y0)) / low
}

// overlapX is the length that both boxes share from left to right, negative for a
// gap.
func (b box) overlapX(o box) float64 { return math.Min(b.x1, o.x1) - math.Max(b.x0, o.x0) }

// holds reports whether the middle of o lies in b, with slack on every side.
func (b box) holds(o box, slack float64) bool {
	x, y := o.midX(), o.midY()
	return x >= b.x0-slack && x <= b.x1+slack && y >= b.y0-slack && y <= b.y1+slack
}

// area is 0 for a box without extent.
func (b box) area() float64 {
	if b.x1 <= b.x0 || b.y1 <= b.y0 {
		return 0
	}
	return b.width() * b.height()
}

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

func (f frame) box(x0, y0, x1, y1 float64) box {
	ax, ay := f.point(x0, y0)
	bx, by := f.point(x1, y1)
	return box{math.Min(ax, bx), math.Min(ay, by), math.Max(ax, bx), math.Max(ay, by)}
}

// turn maps a box of a page of w × h points to the page turned so that text
// which runs at quarter turns clockwise is upright.
func turn(b box, quarter int, w, h float64) box {
	switch quarter {
	case 1:
		return box{b.y0, w - b.x1, b.y1, w - b.x0}
	case 2:
		return box{w - b.x1, h - b.y1, w - b.x0, h - b.y0}
	case 3:
		return box{h - b.y1, b.x0, h - b.y0, b.x1}
	}
	return b
}
