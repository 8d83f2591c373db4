package layout

// Gaps in ems of the text beside them.
const (
	// GapSegment parts segments: more than justified text leaves between words,
	// less than columns and cells have between them.
	GapSegment = 1.0
	// GapWide is a blank that counts between characters of a script without
	// spaces; less is letter spacing.
	GapWide = 0.7
)

// Skew is the direction of text that is neither upright nor turned by quarters.
const Skew = -1

// Segment is a run of text on one line without a wide gap.
type Segment struct {
	Text string
	Box  Box
	// Size is the font's size in points as shown; 0 when it is not known.
	Size float64
	Bold bool
	// Quarter is the direction of writing: quarter turns clockwise, or Skew.
	Quarter int
	// Vertical says that characters stand below each other.
	Vertical bool
	// RTL says that it holds letters of a right-to-left script; Text is in logical
	// order.
	RTL bool
	// Whole says that it starts and ends where words do.
	Whole bool
	// Runes counts the characters.
	Runes int
}

// Em is the length of an em of the segment.
func (s Segment) Em() float64 { return Em(s.Size, s.Box.Height()) }

// Em is the length of an em of text of a size in points; where that is not known
// it follows from the height of the line.
func Em(size, height float64) float64 {
	if size > 0.5 {
		return size
	}
	return max(height*0.8, 1)
}
