package grid

import "ragdesk/backend/parse/numfmt"

// Numeric returns the cell of a number as its format shows it, as General without
// one. date1904 says that days are counted from 1904.
func Numeric(v float64, f *numfmt.Format, date1904 bool) Cell {
	c := Cell{Kind: Number, Year: MayBeYear(v)}
	if f == nil {
		c.Text = numfmt.General(v)
		return c
	}
	c.Text = f.Number(v, date1904)
	if f.IsDate() {
		c.Kind, c.Year = Date, false
	}
	return c
}

// MayBeYear reports whether v is a whole number from 1900 to 2100.
func MayBeYear(v float64) bool { return v >= 1900 && v <= 2100 && v == float64(int(v)) }
