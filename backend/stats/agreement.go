package stats

import (
	"fmt"
	"math"
	"slices"
)

// Weights say how much a disagreement between categories i and j of k counts as
// agreement.
type Weights uint8

// The weights [C68].
const (
	// Unweighted: categories agree or do not.
	Unweighted Weights = iota
	// Linear: 1 − |i−j|/(k−1), for ordered categories.
	Linear
	// Quadratic: 1 − (i−j)²/(k−1)², for ordered categories.
	Quadratic
)

func (w Weights) of(i, j, k int) float64 {
	distance := math.Abs(float64(i-j)) / float64(k-1)
	switch {
	case w == Linear:
		return 1 - distance
	case w == Quadratic:
		return 1 - float64(distance*distance)
	case i == j:
		return 1
	}
	return 0
}

// Agreement is Cohen's κ with what it is made of.
type Agreement struct {
	// N counts the items that both rated.
	N int
	// Observed and Expected are the weighted shares of agreement, seen and by
	// chance.
	Observed, Expected float64
	Kappa              float64
	// SE is the standard error of Kappa.
	SE float64
	// CI is Kappa ± z·SE, kept within [−1, 1].
	CI Interval
}

// Crosstab counts the items that a put into category i and b into category j, of
// k categories.
func Crosstab(a, b []int, k int) ([][]int, error) {
	if len(a) != len(b) || k < 2 {
		return nil, fmt.Errorf("%d and %d ratings of %d categories: %w", len(a), len(b), k, ErrArgument)
	}
	table := make([][]int, k)
	for i := range table {
		table[i] = make([]int, k)
	}
	for i := range a {
		if a[i] < 0 || a[i] >= k || b[i] < 0 || b[i] >= k {
			return nil, fmt.Errorf("ratings %d and %d of %d categories: %w", a[i], b[i], k, ErrArgument)
		}
		table[a[i]][b[i]]++
	}
	return table, nil
}

// Kappa returns the agreement of two raters beyond chance [C60, C68] from a square
// table of counts: κ = (po − pe)/(1 − pe), po = Σ w·p, pe = Σ w·(row share)·(column
// share). SE is √(po(1−po)/(n(1−pe)²)) [C60] unweighted, and the large-sample
// formula 13 of [FCE69] weighted. When chance alone would make the raters agree on
// everything, as when both always give the same one answer, κ is ErrUndefined.
func Kappa(table [][]int, w Weights, level float64) (Agreement, error) {
	if err := checkShare("level", level); err != nil {
		return Agreement{}, err
	}
	shares, rows, columns, n, err := margins(table)
	if err != nil {
		return Agreement{}, err
	}
	k := len(table)
	a := Agreement{N: n}
	for i := range k {
		for j := range k {
			a.Observed += float64(w.of(i, j, k) * shares[i][j])
			a.Expected += float64(w.of(i, j, k) * rows[i] * columns[j])
		}
	}
	beyond := 1 - a.Expected
	if beyond < 1e-12 {
		return Agreement{}, fmt.Errorf("kappa of raters who gave one answer: %w", ErrUndefined)
	}
	a.Kappa = (a.Observed - a.Expected) / beyond
	variance := float64(a.Observed * (1 - a.Observed))
	if w != Unweighted {
		variance = weightedVariance(shares, rows, columns, w, a)
	}
	a.SE = math.Sqrt(math.Max(variance, 0)/float64(n)) / beyond
	half := float64(twoSidedZ(level) * a.SE)
	a.CI = Interval{math.Max(a.Kappa-half, -1), math.Min(a.Kappa+half, 1)}
	return a, nil
}

// weightedVariance is n(1−pe)² times the variance of a weighted κ [FCE69]:
// Σ p_ij (w_ij − (w̄_i· + w̄_·j)(1−κ))² − (κ − pe(1−κ))², where w̄_i· is the mean
// weight of row i under the column shares and w̄_·j that of column j.
func weightedVariance(shares [][]float64, rows, columns []float64, w Weights, a Agreement) float64 {
	k := len(rows)
	byRow, byColumn := make([]float64, k), make([]float64, k)
	for i := range k {
		for j := range k {
			byRow[i] += float64(w.of(i, j, k) * columns[j])
			byColumn[j] += float64(w.of(i, j, k) * rows[i])
		}
	}
	sum := 0.0
	for i := range k {
		for j := range k {
			d := w.of(i, j, k) - float64((byRow[i]+byColumn[j])*(1-a.Kappa))
			sum += float64(shares[i][j] * d * d)
		}
	}
	center := a.Kappa - float64(a.Expected*(1-a.Kappa))
	return sum - float64(center*center)
}

// margins returns a table's shares, those of its rows and columns, and its total.
func margins(table [][]int) (shares [][]float64, rows, columns []float64, n int, err error) {
	k := len(table)
	for _, row := range table {
		if len(row) != k || k < 2 {
			return nil, nil, nil, 0, fmt.Errorf("a row of %d counts in a table of %d: %w", len(row), k, ErrArgument)
		}
		for _, count := range row {
			if count < 0 {
				return nil, nil, nil, 0, fmt.Errorf("a count of %d: %w", count, ErrArgument)
			}
			n += count
		}
	}
	if n == 0 {
		return nil, nil, nil, 0, fmt.Errorf("kappa of no ratings: %w", ErrTooFew)
	}
	rows, columns = make([]float64, k), make([]float64, k)
	for i, row := range table {
		shares = append(shares, make([]float64, k))
		for j, count := range row {
			share := float64(count) / float64(n)
			shares[i][j] = share
			rows[i] += share
			columns[j] += share
		}
	}
	return shares, rows, columns, n, nil
}

// leastDefined is the share of bootstrap samples that must have a κ.
const leastDefined = .5

// BootstrapKappa returns the percentile interval of κ when whole clusters of items are
// drawn with replacement [ET93, sec. 8.3]. a and b are the categories, of k, that two
// raters gave each item, and clusters names the cluster of each. Samples in which κ is
// undefined, because both raters gave one answer, are left out; when more than half
// are, the interval is ErrUndefined. It needs two clusters.
func BootstrapKappa(a, b []int, clusters []string, k int, w Weights, o Options) (Interval, error) {
	if len(a) != len(clusters) {
		return Interval{}, fmt.Errorf("%d ratings in %d clusters named: %w", len(a), len(clusters), ErrArgument)
	}
	if _, err := Crosstab(a, b, k); err != nil {
		return Interval{}, err
	}
	cells := clusterCells(a, b, clusters)
	if len(cells) < 2 {
		return Interval{}, fmt.Errorf("bootstrap %d clusters: %w", len(cells), ErrTooFew)
	}
	o, err := o.filled()
	if err != nil {
		return Interval{}, err
	}
	replicates := resample(o, len(cells), func(drawn []uint32) float64 {
		table := make([][]int, k)
		for i := range table {
			table[i] = make([]int, k)
		}
		for _, c := range drawn {
			for _, cell := range cells[c] {
				table[cell[0]][cell[1]]++
			}
		}
		found, err := Kappa(table, w, o.Level)
		if err != nil {
			return math.Inf(1)
		}
		return found.Kappa
	})
	defined, _ := slices.BinarySearch(replicates, math.Inf(1))
	if float64(defined) < leastDefined*float64(len(replicates)) {
		return Interval{}, fmt.Errorf("kappa in %d of %d samples: %w", defined, len(replicates), ErrUndefined)
	}
	return percentiles(replicates[:defined], (1-o.Level)/2, (1+o.Level)/2), nil
}

// clusterCells are the cells of a table that each cluster's items fall into, in order of
// the clusters' first items.
func clusterCells(a, b []int, clusters []string) [][][2]int {
	index := map[string]int{}
	var cells [][][2]int
	for i, name := range clusters {
		at, ok := index[name]
		if !ok {
			at = len(cells)
			index[name] = at
			cells = append(cells, nil)
		}
		cells[at] = append(cells[at], [2]int{a[i], b[i]})
	}
	return cells
}
