// Package layout finds what a page says from where its text stands: columns and
// the order they are read in, tables with and without rules, lists, headings,
// paragraphs, and the headers and footers that repeat. It knows neither files nor
// fonts; PDF pages and recognised pictures both come as segments.
//
// Segments become a page in reading order: the tables that rules draw first
// (grid.go), then columns along gutters (order.go), then the rows of a column as
// lines or as tables without rules (row.go, table.go). With all pages there, what
// repeats is dropped (repeat.go), lines become paragraphs (flow.go) and
// paragraphs headings (heading.go), and Write hands them to the document.
//
// Invariants: each segment is in the text once, or counted as repeated; rows
// whose cells belong together are not read as columns when there is doubt; text
// stays as it is but for blanks and the hyphens that divide words.
//
//	p := layout.Order(segments, rules, 595, 842)
//	n := layout.DropRepeated(pages)
//	layout.Write(&builder, pages, outline)
package layout

import "math"

// Box is a place on a page in points: x to the right, y downward from the top of
// the page as it is shown.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Width is the box's extent from left to right.
func (b Box) Width() float64 { return b.X1 - b.X0 }

// Height is its extent from top to bottom.
func (b Box) Height() float64 { return b.Y1 - b.Y0 }

// MidX is its middle from left to right.
func (b Box) MidX() float64 { return (b.X0 + b.X1) / 2 }

// MidY is its middle from top to bottom.
func (b Box) MidY() float64 { return (b.Y0 + b.Y1) / 2 }

// Union is the smallest box around both.
func (b Box) Union(o Box) Box {
	return Box{math.Min(b.X0, o.X0), math.Min(b.Y0, o.Y0), math.Max(b.X1, o.X1), math.Max(b.Y1, o.Y1)}
}

// OverlapY is the share of the lower of both boxes that lies beside the other.
func (b Box) OverlapY(o Box) float64 {
	low := math.Min(b.Height(), o.Height())
	if low <= 0 {
		if b.Y0 <= o.Y1 && o.Y0 <= b.Y1 {
			return 1
		}
		return 0
	}
	return (math.Min(b.Y1, o.Y1) - math.Max(b.Y0, o.Y0)) / low
}

// OverlapX is the length that both boxes share from left to right, negative for a
// gap.
func (b Box) OverlapX(o Box) float64 { return math.Min(b.X1, o.X1) - math.Max(b.X0, o.X0) }

// Holds reports whether the middle of o lies in b, with slack on every side.
func (b Box) Holds(o Box, slack float64) bool {
	x, y := o.MidX(), o.MidY()
	return x >= b.X0-slack && x <= b.X1+slack && y >= b.Y0-slack && y <= b.Y1+slack
}

// Turn maps a box of a page of w × h points to the page turned so that text
// which runs at quarter turns clockwise is upright.
func (b Box) Turn(quarter int, w, h float64) Box {
	switch quarter {
	case 1:
		return Box{b.Y0, w - b.X1, b.Y1, w - b.X0}
	case 2:
		return Box{w - b.X1, h - b.Y1, w - b.X0, h - b.Y0}
	case 3:
		return Box{h - b.Y1, b.X0, h - b.Y0, b.X1}
	}
	return b
}
