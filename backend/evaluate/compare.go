package evaluate

import (
	"errors"
	"fmt"

	"ragdesk/backend/measure"
	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// Alpha is the level below which an adjusted p-value makes a verdict.
const Alpha = .05

// Names of the paired tests.
const (
	signFlip        = "sign_flip"
	clusterSignFlip = "cluster_sign_flip"
	mcNemar         = "mcnemar"
)

// compare lays out the comparisons of every other run with the baseline, primary
// metric first, and returns the jobs that fill them in and what is left to do
// after them.
func (a *assessment) compare() (jobs []func() error, finish func() error) {
	order := []int{a.primary}
	for m := range a.metrics {
		if m != a.primary {
			order = append(order, m)
		}
	}
	var pairs [][3]int // metric, a, b
	for _, m := range order {
		for i := range a.stored {
			if i != a.baseline && a.answered(m) {
				pairs = append(pairs, [3]int{m, a.baseline, i})
			}
		}
	}
	a.exp.Comparisons = make([]runs.Comparison, len(pairs))
	for at, p := range pairs {
		jobs = append(jobs, func() error {
			c, err := a.comparison(p[0], p[1], p[2])
			if err != nil {
				return fmt.Errorf("compare %s of %s and %s: %w",
					a.metrics[p[0]].name, a.stored[p[1]].Name, a.stored[p[2]].Name, err)
			}
			a.exp.Comparisons[at] = c
			return nil
		})
	}
	return jobs, a.decide
}

// answered reports a metric that some run can have a value of: one of answers needs
// answers.
func (a *assessment) answered(m int) bool {
	if !a.metrics[m].answers() {
		return true
	}
	for _, s := range a.stored {
		for _, r := range s.Records {
			if r.Answer != nil {
				return true
			}
		}
	}
	return false
}

// paired are the questions that have both values, with what the missing ones could
// do to the difference.
type paired struct {
	x, y, diff []float64
	clusters   []string
	of         int
	// low and high are sums of the differences that the others could have.
	low, high float64
}

func (a *assessment) paired(m, i, j int) paired {
	var p paired
	for q := range a.stored[i].Records {
		x, y := a.values[i][m][q], a.values[j][m][q]
		if x.Reason == measure.NoRelevant || y.Reason == measure.NoRelevant {
			continue
		}
		p.of++
		if x.OK() && y.OK() {
			p.x, p.y = append(p.x, x.Score), append(p.y, y.Score)
			p.diff = append(p.diff, y.Score-x.Score)
			p.clusters = append(p.clusters, a.stored[i].Records[q].Cluster)
			continue
		}
		lowX, highX := possible(x)
		lowY, highY := possible(y)
		p.low += lowY - highX
		p.high += highY - lowX
	}
	return p
}

// possible returns what a value is, or could be.
func possible(v measure.Value) (low, high float64) {
	if v.OK() {
		return v.Score, v.Score
	}
	return 0, 1
}

// comparison compares run j with run i on metric m, without a verdict.
func (a *assessment) comparison(m, i, j int) (runs.Comparison, error) {
	p := a.paired(m, i, j)
	c := runs.Comparison{
		Metric: a.metrics[m].name, A: a.stored[i].Name, B: a.stored[j].Name, Verdict: runs.Inconclusive,
		N: len(p.diff), Of: p.of, Clusters: distinct(p.clusters), Exploratory: m != a.primary,
		LowerIsBetter: a.metrics[m].lower(),
	}
	sum := 0.0
	for _, d := range p.diff {
		sum += d
		switch {
		case d > 0:
			c.Wins++
		case d < 0:
			c.Losses++
		default:
			c.Ties++
		}
	}
	if c.N > 0 {
		c.ValueA, c.ValueB = mean(p.x), mean(p.y)
		diff := sum / float64(c.N)
		c.Diff = &diff
	}
	if c.N < c.Of {
		c.Bounds = &runs.CI{(sum + p.low) / float64(c.Of), (sum + p.high) / float64(c.Of)}
	}
	return c, a.test(&c, p, a.metrics[m])
}

// test fills in interval and p-value where there are enough pairs.
func (a *assessment) test(c *runs.Comparison, p paired, m metric) error {
	o := a.seedFor("diff", m.name)
	clustered := c.Clusters < c.N
	var ci stats.Interval
	var err error
	if clustered {
		ci, err = stats.ClusterBootstrapMean(p.diff, p.clusters, o)
	} else {
		ci, err = stats.BootstrapMean(p.diff, o)
	}
	if errors.Is(err, stats.ErrTooFew) {
		note := runs.NoteFewPairs
		c.Note = &note
		return nil
	}
	if err != nil {
		return err
	}
	c.CI = &runs.CI{ci.Low, ci.High}
	var value float64
	switch {
	case clustered:
		t, testErr := stats.ClusterSignFlip(p.diff, p.clusters, o)
		value, err, c.Test = t.P, testErr, clusterSignFlip
	case m.rate():
		value, err = stats.McNemar(c.Wins, c.Losses)
		c.Test = mcNemar
	default:
		t, testErr := stats.SignFlip(p.diff, o)
		value, err, c.Test = t.P, testErr, signFlip
	}
	if err != nil {
		return err
	}
	c.P = &value
	return nil
}

// decide adjusts the p-values of the primary metric together and gives every
// comparison its verdict.
func (a *assessment) decide() error {
	var at []int
	var ps []float64
	for i, c := range a.exp.Comparisons {
		if !c.Exploratory && c.P != nil {
			at, ps = append(at, i), append(ps, *c.P)
		}
	}
	if len(ps) > 0 {
		adjusted, err := stats.Holm(ps)
		if err != nil {
			return fmt.Errorf("adjust %d p-values: %w", len(ps), err)
		}
		for k, i := range at {
			a.exp.Comparisons[i].PAdj = &adjusted[k]
		}
	}
	for i := range a.exp.Comparisons {
		settle(&a.exp.Comparisons[i])
	}
	return nil
}

// settle gives a verdict: better or worse, as the metric goes, when the p-value, adjusted where there
// is an adjustment, is below Alpha, the interval excludes 0, and no outcome of the
// missing questions could turn the sign of the difference.
func settle(c *runs.Comparison) {
	p := c.PAdj
	if c.Exploratory {
		p = c.P
	}
	if p == nil || c.CI == nil || *p >= Alpha {
		return
	}
	up, down := c.CI[0] > 0, c.CI[1] < 0
	if !up && !down {
		return
	}
	if c.Bounds != nil && (up && c.Bounds[0] <= 0 || down && c.Bounds[1] >= 0) {
		note := runs.NoteErrors
		c.Note = &note
		return
	}
	if up != c.LowerIsBetter {
		c.Verdict = runs.Better
	} else {
		c.Verdict = runs.Worse
	}
}

func mean(values []float64) *float64 {
	m := stats.Mean(values)
	return &m
}
