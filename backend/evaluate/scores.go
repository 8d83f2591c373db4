package evaluate

import (
	"errors"
	"fmt"
	"slices"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// groupings are the properties that questions are grouped by.
var groupings = []struct {
	name string
	of   func(runs.Record) string
}{
	{"type", func(r runs.Record) string { return r.Type }},
	{"lang", func(r runs.Record) string { return r.Lang }},
}

// scoreRun fills in the scores of run i; what takes time is left to the jobs it
// returns.
func (a *assessment) scoreRun(i int) []func() error {
	s := a.stored[i]
	sc := runs.Scores{
		Strategy: s.Strategy, Name: s.Name, Metrics: map[string]runs.Metric{}, Groups: map[string]map[string]runs.Group{},
		Depth: a.depth, TotalQueries: len(s.Records), Errors: map[string]int{}, Causes: map[runs.Cause]int{},
		Buckets: map[string]int{runs.BucketMissed: 0}, Failures: []runs.FailedOutcome{}, Others: []runs.DetectorScores{},
	}
	if answersIn(s.Records) {
		for _, b := range runs.Buckets() {
			sc.Buckets[b] = 0
		}
	}
	for _, r := range s.Records {
		count(&sc, r)
	}
	a.exp.Runs[i] = runs.Result{RunID: s.ID, Scores: sc, Note: s.Note, LatencyMS: s.Timing.Latency(), Stored: s}
	everything := make([]int, len(s.Records))
	for q := range everything {
		everything[q] = q
	}
	jobs := []func() error{a.metricsJob(i, "", everything, sc.Metrics), func() (err error) {
		a.exp.Runs[i].Diagnosis, err = a.diagnose(i)
		return err
	}, func() (err error) {
		a.exp.Runs[i].Headline, err = a.headline(i)
		return err
	}, func() (err error) {
		a.exp.Runs[i].Style, err = a.style(i)
		return err
	}, func() (err error) {
		a.exp.Runs[i].Others, err = a.others(i)
		return err
	}}
	for _, g := range groupings {
		members := map[string][]int{}
		for q, r := range s.Records {
			members[g.of(r)] = append(members[g.of(r)], q)
		}
		sc.Groups[g.name] = make(map[string]runs.Group, len(members))
		for value, questions := range members {
			group := runs.Group{N: len(questions), Metrics: map[string]runs.Metric{}}
			sc.Groups[g.name][value] = group
			jobs = append(jobs, a.metricsJob(i, g.name+"="+value, questions, group.Metrics))
		}
	}
	return jobs
}

// count adds one record to the counters.
func count(sc *runs.Scores, r runs.Record) {
	seen := map[rag.ChunkID]bool{}
	for _, h := range r.Retrieved {
		if seen[h.ChunkID] {
			sc.DuplicateHits++
		}
		seen[h.ChunkID] = true
	}
	if !r.Answerable {
		sc.Unanswerable++
	}
	if r.Stale {
		sc.StaleQueries++
	}
	if r.Error != nil {
		sc.ErroredQueries++
		sc.Errors[r.Error.Code]++
	}
	if r.Cause == nil {
		return
	}
	sc.Causes[*r.Cause]++
	sc.Buckets[r.Cause.Bucket()]++
	if !r.Failed() {
		return
	}
	sc.FailedQueries++
	f := runs.FailedOutcome{
		QueryID: r.QueryID, Query: r.Query, Type: r.Type, Lang: r.Lang, Retrieved: []runs.Shown{},
		Expected: r.Expected, Cause: *r.Cause, First: r.First,
	}
	for _, h := range r.Retrieved {
		f.Retrieved = append(f.Retrieved, runs.Shown{
			ChunkID: string(h.ChunkID), Source: h.Source, Rank: h.Rank, Relevant: h.Relevant(), Excerpt: h.Excerpt,
		})
	}
	sc.Failures = append(sc.Failures, f)
}

// metricsJob computes every metric of run i over some questions into a map of its
// own.
func (a *assessment) metricsJob(i int, group string, questions []int, into map[string]runs.Metric) func() error {
	return func() error {
		for m, metric := range a.metrics {
			mean, err := a.mean(i, m, group, questions)
			if err != nil {
				return fmt.Errorf("%s of run %s: %w", metric.name, a.stored[i].Name, err)
			}
			into[metric.name] = mean
		}
		return nil
	}
}

// mean summarizes metric m of run i over questions.
func (a *assessment) mean(i, m int, group string, questions []int) (runs.Metric, error) {
	values := make([]measure.Value, len(questions))
	clusters := make([]string, len(questions))
	for k, q := range questions {
		values[k], clusters[k] = a.values[i][m][q], a.stored[i].Records[q].Cluster
	}
	return a.summary(a.metrics[m], group, values, clusters)
}

// summary is the mean of a metric's values with its interval. Questions without anything
// relevant are not of its number.
func (a *assessment) summary(m metric, group string, all []measure.Value, clusterOf []string) (runs.Metric, error) {
	var values []measure.Value
	var scores []float64
	var clusters []string
	for k, v := range all {
		if v.Reason == measure.NoRelevant {
			continue
		}
		values = append(values, v)
		if v.OK() {
			scores = append(scores, v.Score)
			clusters = append(clusters, clusterOf[k])
		}
	}
	sum := measure.Summarize(values)
	out := runs.Metric{Value: pointer(sum.Value), N: sum.N, Of: sum.Of, Gain: m.gain(), Missing: map[measure.Reason]int{}}
	if sum.N < sum.Of {
		out.Missing, out.Bounds = sum.Missing, &runs.CI{sum.Low, sum.High}
	}
	ci, method, err := interval(scores, clusters, m.rate(), a.seedFor("mean", m.name, group))
	if err != nil {
		return runs.Metric{}, err
	}
	out.CI, out.CIMethod = ci, method
	return out, nil
}

// headlineNames are the metrics that are read first.
var headlineNames = [3]string{"Hit@5", "faithfulness", "answer_relevancy"}

// headline computes the metrics of run i that are read first, whatever was asked for.
// Hit@5 of lists that are shorter has no value.
func (a *assessment) headline(i int) (runs.Headline, error) {
	all, err := parseMetrics(headlineNames[:], measure.GainDefault)
	if err != nil {
		return runs.Headline{}, err
	}
	var out [3]runs.Metric
	for k, m := range all {
		records := a.stored[i].Records
		values, clusters := make([]measure.Value, len(records)), make([]string, len(records))
		for q, r := range records {
			values[q], clusters[q] = m.value(r, a.profiles[i][q]), r.Cluster
			if m.measure.K > a.depth && values[q].OK() {
				values[q] = measure.Absent(NotComputed)
			}
		}
		if out[k], err = a.summary(m, "", values, clusters); err != nil {
			return runs.Headline{}, err
		}
	}
	return runs.Headline{Hit5: out[0], Faithfulness: out[1], AnswerRelevancy: out[2]}, nil
}

// Names of the methods behind intervals.
const (
	wilson           = "wilson"
	bootstrap        = "bootstrap"
	clusterBootstrap = "cluster_bootstrap"
)

// interval returns the 95 % interval of a mean, nil when there are too few values.
//
// A rate has Wilson's. So has a mean whose values are all 0 or all 1, because a
// bootstrap of equal values has no width. Where questions have variants, clusters
// are drawn instead, and Wilson's counts clusters.
func interval(values []float64, clusters []string, rate bool, o stats.Options) (*runs.CI, string, error) {
	if len(values) == 0 {
		return nil, "", nil
	}
	groups := distinct(clusters)
	lowest, highest := slices.Min(values), slices.Max(values)
	same := lowest == highest && (lowest == 0 || lowest == 1)
	var ci stats.Interval
	var method string
	var err error
	switch {
	case same || rate && groups == len(values):
		successes := 0
		for _, v := range values {
			if v == 1 {
				successes++
			}
		}
		if same && successes > 0 {
			successes = groups
		}
		method = wilson
		ci, err = stats.Wilson(successes, groups, stats.DefaultLevel)
	case groups < len(values):
		method = clusterBootstrap
		ci, err = stats.ClusterBootstrapMean(values, clusters, o)
	default:
		method = bootstrap
		ci, err = stats.BootstrapMean(values, o)
	}
	if errors.Is(err, stats.ErrTooFew) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	return &runs.CI{ci.Low, ci.High}, method, nil
}

func distinct(names []string) int {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		seen[n] = true
	}
	return len(seen)
}
