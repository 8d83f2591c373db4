package evaluate

import (
	"time"

	"ragdesk/backend/measure"
	"ragdesk/backend/runs"
)

// liveEvery is the least time between two looks at an evaluation that goes on.
const liveEvery = 400 * time.Millisecond

// live sums up what every entry has answered.
type live struct {
	plan *plan
	show func(runs.Live)
	// missing counts, for each question, the entries that have not answered it.
	missing []int
	whole   int
	runs    []liveSums
	last    time.Time
}

// liveSums are those of one entry, by metric.
type liveSums struct {
	sums            []float64
	counts          []int
	failed, errored int
}

// newLive returns nil where nobody looks.
func newLive(p *plan) *live {
	if p.Live == nil {
		return nil
	}
	l := &live{plan: p, show: p.Live, missing: make([]int, len(p.Questions)), runs: make([]liveSums, len(p.Entries))}
	for q := range l.missing {
		l.missing[q] = len(p.Entries)
	}
	for i := range l.runs {
		l.runs[i] = liveSums{sums: make([]float64, len(p.metrics)), counts: make([]int, len(p.metrics))}
	}
	return l
}

// finished takes in one answer to a question; done are those of all entries. Calls
// come one at a time.
func (l *live) finished(question int, done [][]*runs.Finished) error {
	if l == nil {
		return nil
	}
	if l.missing[question]--; l.missing[question] > 0 {
		return nil
	}
	l.whole++
	for i := range done {
		if err := l.runs[i].add(l.plan, done[i][question].Record); err != nil {
			return err
		}
	}
	if time.Since(l.last) >= liveEvery {
		l.tell()
	}
	return nil
}

func (s *liveSums) add(p *plan, r runs.Record) error {
	profile, err := measure.Judge(r.Ranking(p.depth))
	if err != nil {
		return err
	}
	if r.Error != nil {
		s.errored++
	}
	for m, metric := range p.metrics {
		if v := metric.value(r, profile); v.OK() {
			s.sums[m] += v.Score
			s.counts[m]++
		}
	}
	r.First, r.Cause = outcome(r, profile)
	if r.Failed() {
		s.failed++
	}
	return nil
}

// tell shows what there is, once there is something.
func (l *live) tell() {
	if l == nil || l.whole == 0 {
		return
	}
	l.last = time.Now()
	p := l.plan
	out := runs.Live{Questions: l.whole, Of: len(p.Questions), Metrics: metricNames(p.metrics), Primary: p.metrics[p.primary].name, Runs: make([]runs.LiveRun, len(l.runs))}
	for i, s := range l.runs {
		run := runs.LiveRun{Name: p.Entries[i].Name, Strategy: p.Entries[i].Pipeline.Strategy, FailedQueries: s.failed, ErroredQueries: s.errored,
			Metrics: make(map[string]runs.LiveMean, len(p.metrics))}
		for m, metric := range p.metrics {
			mean := runs.LiveMean{N: s.counts[m]}
			if s.counts[m] > 0 {
				v := s.sums[m] / float64(s.counts[m])
				mean.Value = &v
			}
			run.Metrics[metric.name] = mean
		}
		out.Runs[i] = run
	}
	l.show(out)
}
