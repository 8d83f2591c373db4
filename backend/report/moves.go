package report

import (
	"strconv"

	"ragdesk/backend/runs"
)

// moves is what the last run does to the questions of the baseline.
type moves struct {
	A, B                 string
	Buckets              []text
	Rows                 []moveRow
	Up, Same, Down       int
	Mended, Broken       []moved
	MoreMended, MoreLost int
}

// moveRow has the questions that stood in one bucket before.
type moveRow struct {
	Bucket text
	Cells  []moveCell
}

type moveCell struct {
	N int
	// Tone is up, down or even; Heat is 0 for none, then 1 to 5.
	Tone string
	Heat int
}

type moved struct {
	ID, Query string
	From, To  rankChip
}

// bucketEnds are the last ranks of the buckets of the matrix; one without an end
// and one for "not found" follow.
var bucketEnds = []int{1, 3, 5, 10}

// bucketsOf names the buckets that lists of a depth can fill.
func bucketsOf(depth int) (ends []int, names []text) {
	begin := 1
	for _, end := range bucketEnds {
		if begin > depth {
			break
		}
		end = min(end, depth)
		ends, names = append(ends, end), append(names, plain(span(begin, end)))
		begin = end + 1
	}
	if begin <= depth {
		ends, names = append(ends, depth), append(names, plain(span(begin, depth)))
	}
	return ends, append(names, word("moves.none"))
}

func span(from, to int) string {
	if from == to {
		return strconv.Itoa(from)
	}
	return strconv.Itoa(from) + "–" + strconv.Itoa(to)
}

// movesOf is nil for a single run.
func movesOf(exp runs.Experiment) *moves {
	shown, base := last(exp), runOf(exp, exp.Baseline)
	var pair *runs.Pair
	for i := range exp.Pairs {
		if exp.Pairs[i].B == shown.Name {
			pair = &exp.Pairs[i]
		}
	}
	if pair == nil {
		return nil
	}
	m := &moves{A: pair.A, B: pair.B, Up: pair.Raised, Same: pair.Kept, Down: pair.Lowered}
	m.matrix(base.Stored.Records, shown.Stored.Records, shown.Depth)
	m.Mended, m.MoreMended = movedQuestions(pair.Mended)
	m.Broken, m.MoreLost = movedQuestions(pair.Broken)
	return m
}

func (m *moves) matrix(before, after []runs.Record, depth int) {
	ends, names := bucketsOf(depth)
	m.Buckets = names
	place := func(first *int) int {
		if first == nil {
			return len(ends)
		}
		for i, end := range ends {
			if *first <= end {
				return i
			}
		}
		return len(ends)
	}
	counts := make([][]int, len(names))
	for i := range counts {
		counts[i] = make([]int, len(names))
	}
	most := 1
	for q, r := range before {
		if !r.Measured() || r.Error != nil || after[q].Error != nil {
			continue
		}
		i, j := place(r.First), place(after[q].First)
		counts[i][j]++
		if i != j {
			most = max(most, counts[i][j])
		}
	}
	for i, row := range counts {
		r := moveRow{Bucket: names[i]}
		for j, n := range row {
			c := moveCell{N: n, Tone: "even", Heat: heat(n, most)}
			switch {
			case j < i:
				c.Tone = "up"
			case j > i:
				c.Tone = "down"
			}
			r.Cells = append(r.Cells, c)
		}
		m.Rows = append(m.Rows, r)
	}
}

func movedQuestions(all []runs.Moved) (shown []moved, more int) {
	for _, q := range all[:min(len(all), movedShown)] {
		shown = append(shown, moved{
			ID: q.QueryID, Query: q.Query,
			From: chip("", runs.Record{First: q.From}), To: chip("", runs.Record{First: q.To}),
		})
	}
	return shown, len(all) - len(shown)
}
