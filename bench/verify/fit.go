package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/judge"
)

// ridge is the weight of the penalty on squared coefficients, for a sum of weights
// of 1 over all items.
const ridge = .15

// rounds is how often the claim that makes an answer wrong is looked for again.
const rounds = 5

// example is an item with the features of its claims.
type example struct {
	item
	claims []judge.Measured
}

// measured computes the features of items.
func measured(ctx context.Context, d *judge.Evidence, items []item) ([]example, error) {
	return each(ctx, items, func(ctx context.Context, i item) (example, error) {
		claims, err := d.Measure(ctx, i.judged())
		return example{i, claims}, err
	})
}

// workers is how many items are judged at once.
const workers = 3

// each does the same with every item, several at once, and keeps their order.
func each[T any](ctx context.Context, items []item, do func(context.Context, item) (T, error)) ([]T, error) {
	out := make([]T, len(items))
	var done atomic.Int64
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i, it := range items {
		g.Go(func() (err error) {
			if err := gctx.Err(); err != nil {
				return err
			}
			out[i], err = do(gctx, it)
			if n := done.Add(1); n%200 == 0 {
				progress("%s %d of %d", it.set, n, len(items))
			}
			return err
		})
	}
	return out, g.Wait()
}

// matrix is what a regression is fitted to: standardised features of claims.
type matrix struct {
	names       []string
	mean, scale []float64
	rows        [][]float64
	// of is each row's item.
	of []int
}

func newMatrix(examples []example) matrix {
	var m matrix
	for i, e := range examples {
		for _, c := range e.claims {
			if c.Verbatim {
				continue
			}
			row := make([]float64, len(c.Features))
			if m.names == nil {
				for _, f := range c.Features {
					m.names = append(m.names, f.Name)
				}
			}
			for k, f := range c.Features {
				row[k] = f.Value
			}
			m.rows, m.of = append(m.rows, row), append(m.of, i)
		}
	}
	m.mean, m.scale = make([]float64, len(m.names)), make([]float64, len(m.names))
	for k := range m.names {
		sum, squares := 0.0, 0.0
		for _, row := range m.rows {
			sum += row[k]
			squares += row[k] * row[k]
		}
		n := float64(len(m.rows))
		m.mean[k] = sum / n
		m.scale[k] = math.Sqrt(max(squares/n-m.mean[k]*m.mean[k], 0))
		for _, row := range m.rows {
			row[k] = (row[k] - m.mean[k]) / max(m.scale[k], 1e-9)
		}
	}
	return m
}

// fit is a regression by items: all claims of a faithful answer are supported, and
// of a hallucinated one the claim with the highest risk is not.
//
// Items weigh as balance says.
func fit(examples []example) judge.Weights {
	m := newMatrix(examples)
	weights := balance(examples)
	beta := make([]float64, len(m.names)+1)
	for round := range rounds {
		var rows [][]float64
		var labels, w []float64
		worst := map[int]int{}
		claims := map[int]int{}
		for r, i := range m.of {
			claims[i]++
			if at, ok := worst[i]; !ok || score(beta, m.rows[r]) > score(beta, m.rows[at]) {
				worst[i] = r
			}
		}
		for r, i := range m.of {
			wrong := examples[i].hallucinated()
			if wrong && round > 0 && worst[i] != r {
				continue
			}
			share := weights[i]
			if !wrong || round == 0 {
				share /= float64(claims[i])
			}
			rows, labels, w = append(rows, m.rows[r]), append(labels, bit(wrong)), append(w, share)
		}
		beta = newton(rows, labels, w)
	}
	out := judge.Weights{Bias: beta[0]}
	for k, name := range m.names {
		if m.scale[k] > 1e-9 {
			out.Features = append(out.Features, judge.Weight{
				Name: name, Mean: rounded(m.mean[k]), Scale: rounded(m.scale[k]), Weight: rounded(beta[k+1]),
			})
		}
	}
	out.Bias = rounded(out.Bias + shift(examples, m, beta))
	return out
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func rounded(x float64) float64 { return math.Round(x*1e5) / 1e5 }

// balance gives each item a weight: each label has half of it, and of that each set
// the same.
func balance(examples []example) []float64 {
	type group struct {
		set   string
		wrong bool
	}
	count := map[group]int{}
	for _, e := range examples {
		count[group{e.set, e.hallucinated()}]++
	}
	sets := map[bool]int{}
	for g := range count {
		sets[g.wrong]++
	}
	out := make([]float64, len(examples))
	for i, e := range examples {
		out[i] = .5 / float64(count[group{e.set, e.hallucinated()}]*sets[e.hallucinated()])
	}
	return out
}

func score(beta, row []float64) float64 {
	sum := beta[0]
	for k, x := range row {
		sum += beta[k+1] * x
	}
	return sum
}

// shift moves the bias to where the balanced accuracy of items is best, at the middle
// of the best stretch: the risk of an item is that of its worst claim.
func shift(examples []example, m matrix, beta []float64) float64 {
	top := map[int]float64{}
	for r, i := range m.of {
		s := score(beta, m.rows[r])
		if at, ok := top[i]; !ok || s > at {
			top[i] = s
		}
	}
	weights := balance(examples)
	type point struct{ at, gain float64 }
	var points []point
	for i, s := range top {
		gain := weights[i]
		if examples[i].hallucinated() {
			gain = -gain
		}
		points = append(points, point{s, gain})
	}
	slices.SortFunc(points, func(a, b point) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	best, sum, at := 0.0, 0.0, 0.0
	for k, p := range points {
		sum += p.gain
		if sum > best && k+1 < len(points) {
			best, at = sum, (p.at+points[k+1].at)/2
		}
	}
	return -at
}

// newton minimises the weighted log loss plus the penalty.
func newton(rows [][]float64, labels, weights []float64) []float64 {
	n := len(rows[0]) + 1
	beta := make([]float64, n)
	for range 25 {
		gradient, hessian := make([]float64, n), make([]float64, n*n)
		for r, row := range rows {
			p := 1 / (1 + math.Exp(-score(beta, row)))
			d, h := weights[r]*(p-labels[r]), weights[r]*max(p*(1-p), 1e-6)
			x := append([]float64{1}, row...)
			for i := range n {
				gradient[i] += d * x[i]
				for j := 0; j <= i; j++ {
					hessian[i*n+j] += h * x[i] * x[j]
				}
			}
		}
		for i := 1; i < n; i++ {
			gradient[i] += ridge * beta[i]
			hessian[i*n+i] += ridge
		}
		step := solve(hessian, gradient, n)
		size := 0.0
		for i := range n {
			beta[i] -= step[i]
			size += step[i] * step[i]
		}
		if size < 1e-14 {
			break
		}
	}
	return beta
}

// solve solves a symmetric positive definite system whose lower half is given, by
// Cholesky's decomposition.
func solve(a, b []float64, n int) []float64 {
	for i := range n {
		for j := 0; j <= i; j++ {
			sum := a[i*n+j]
			for k := range j {
				sum -= a[i*n+k] * a[j*n+k]
			}
			if i == j {
				a[i*n+i] = math.Sqrt(max(sum, 1e-12))
			} else {
				a[i*n+j] = sum / a[j*n+j]
			}
		}
	}
	x := slices.Clone(b)
	for i := range n {
		for k := range i {
			x[i] -= a[i*n+k] * x[k]
		}
		x[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= a[k*n+i] * x[k]
		}
		x[i] /= a[i*n+i]
	}
	return x
}

func readWeights(path string, all map[string]judge.Weights) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &all)
}

func writeWeights(path string, all map[string]judge.Weights) error {
	b, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o600)
}
