package answer

import "ragdesk/backend/text"

// States of a row of two answers side by side.
const (
	// RowSame is a sentence that both say, citations, width and punctuation apart.
	RowSame = "same"
	// RowChanged is one that both say in part.
	RowChanged = "changed"
	// RowOnlyHere and RowOnlyThere are said by one alone.
	RowOnlyHere  = "only_here"
	RowOnlyThere = "only_there"
)

// Row is a sentence of two answers, or of one of them.
type Row struct {
	State string
	// Here and There are indexes of sentences; -1 where there is none.
	Here, There int
	// Similarity is Dice's coefficient of the words of both: twice those in common over
	// all, in [0, 1].
	Similarity float64
}

// changedFrom is the similarity from which two sentences are one that was changed.
const changedFrom = 0.5

// Align lays two answers side by side in their order, so that the similarities of the
// sentences that face each other add up to the most.
func Align(here, there []Sentence) []Row {
	n, m := len(here), len(there)
	like := make([][]Row, n)
	best := make([][]float64, n+1) // best[i][j] is the most that here[i:] and there[j:] add up to
	for i := range best {
		best[i] = make([]float64, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		like[i] = make([]Row, m)
		for j := m - 1; j >= 0; j-- {
			like[i][j] = face(here[i], there[j])
			like[i][j].Here, like[i][j].There = i, j
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s := like[i][j].Similarity; s >= changedFrom {
				best[i][j] = max(best[i][j], best[i+1][j+1]+s)
			}
		}
	}
	out := make([]Row, 0, n+m)
	i, j := 0, 0
	for i < n && j < m {
		r := like[i][j]
		switch {
		case r.Similarity >= changedFrom && best[i][j] == best[i+1][j+1]+r.Similarity:
			out = append(out, r)
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			out = append(out, Row{State: RowOnlyHere, Here: i, There: -1})
			i++
		default:
			out = append(out, Row{State: RowOnlyThere, Here: -1, There: j})
			j++
		}
	}
	for ; i < n; i++ {
		out = append(out, Row{State: RowOnlyHere, Here: i, There: -1})
	}
	for ; j < m; j++ {
		out = append(out, Row{State: RowOnlyThere, Here: -1, There: j})
	}
	return out
}

// face compares two sentences.
func face(a, b Sentence) Row {
	if text.Letters(a.Text) == text.Letters(b.Text) {
		return Row{State: RowSame, Similarity: 1}
	}
	x, y := termsOf(a.Text).words, termsOf(b.Text).words
	has := make(map[string]bool, len(y))
	for _, w := range y {
		has[w] = true
	}
	common := 0
	for _, w := range x {
		if has[w] {
			common++
		}
	}
	r := Row{State: RowChanged}
	if all := len(x) + len(y); all > 0 {
		r.Similarity = float64(2*common) / float64(all)
	}
	return r
}
