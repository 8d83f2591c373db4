package answer

import (
	"cmp"
	"slices"

	"ragdesk/backend/text"
)

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

// Align lays two answers side by side. A sentence faces the same one wherever that
// stands in the other answer; of the rest the most similar face each other first. Rows
// are in the order of here; one that is only there comes before the next that faces one
// after it.
func Align(here, there []Sentence) []Row {
	var faces []Row
	for i, a := range here {
		for j, b := range there {
			if r := face(a, b); r.State == RowSame || r.Similarity >= changedFrom {
				r.Here, r.There = i, j
				faces = append(faces, r)
			}
		}
	}
	slices.SortStableFunc(faces, func(a, b Row) int { // ties stay in the order of both answers
		if same := a.State == RowSame; same != (b.State == RowSame) {
			if same {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Similarity, a.Similarity)
	})
	rows, taken := make([]Row, len(here)), make([]bool, len(there))
	for i := range rows {
		rows[i] = Row{State: RowOnlyHere, Here: i, There: -1}
	}
	for _, r := range faces {
		if rows[r.Here].There < 0 && !taken[r.There] {
			rows[r.Here], taken[r.There] = r, true
		}
	}
	return withOnlyThere(rows, taken)
}

// withOnlyThere adds rows of the sentences that no row has taken.
func withOnlyThere(rows []Row, taken []bool) []Row {
	out := make([]Row, 0, len(rows)+len(taken))
	next := 0
	upTo := func(end int) {
		for ; next < end; next++ {
			if !taken[next] {
				out = append(out, Row{State: RowOnlyThere, Here: -1, There: next})
			}
		}
	}
	for _, r := range rows {
		upTo(r.There)
		out = append(out, r)
	}
	upTo(len(taken))
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
