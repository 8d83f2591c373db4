package evaluate

import (
	"context"
	"slices"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// Choices say how stored runs are scored again.
type Choices struct {
	// Metrics are names as typed; empty means those of the first run.
	Metrics []string
	// Gain of nDCG where a metric leaves it open; the default is the first run's.
	Gain measure.Gain
	// Baseline names a run by ID or name; empty means the first. Primary names one
	// of Metrics; empty means that of the first run where it is among them.
	Baseline, Primary string
	Seed              uint64
	// Resamples as in Setup.
	Resamples int
	// Own as in Setup.
	Own *rag.Pipeline
}

// Compare scores stored runs over the questions that all of them answered, and
// compares them. One run alone is scored. Runs of the same name go by their IDs.
//
// Lists are cut to the smallest depth among the runs; metrics that look deeper are
// left out and named in the advice, as are questions that not all runs have. The
// faults are "runs_missing" without runs, "runs_apart" without a common question,
// "run_twice", and those of Setup.
func Compare(ctx context.Context, stored []runs.Stored, c Choices) (runs.Experiment, error) {
	if len(stored) == 0 {
		return runs.Experiment{}, fault.New("runs_missing")
	}
	stored, err := named(stored)
	if err != nil {
		return runs.Experiment{}, err
	}
	common, left := commonQuestions(stored)
	if len(common[0].Records) == 0 {
		return runs.Experiment{}, fault.New("runs_apart", fault.P("runs", strings.Join(namesOf(stored), ", ")))
	}
	o, deep, err := c.options(common)
	if err != nil {
		return runs.Experiment{}, err
	}
	exp, err := assess(ctx, common, o)
	if err != nil {
		return runs.Experiment{}, err
	}
	exp.Advice = append(c.warnings(common, o, left, deep), exp.Advice...)
	return exp, nil
}

// named gives each run a name of its own.
func named(stored []runs.Stored) ([]runs.Stored, error) {
	out := slices.Clone(stored)
	count := map[string]int{}
	ids := map[string]bool{}
	for _, s := range out {
		if ids[s.ID] {
			return nil, fault.New("run_twice", fault.P("run", s.ID))
		}
		ids[s.ID] = true
		count[s.Name]++
	}
	for i := range out {
		if count[out[i].Name] > 1 {
			out[i].Name = out[i].ID
		}
	}
	return out, nil
}

func namesOf(stored []runs.Stored) []string {
	names := make([]string, len(stored))
	for i, s := range stored {
		names[i] = s.Name
	}
	return names
}

// commonQuestions keeps the questions that every run has with the same text and
// the same standing, in the order of the first run, and counts the others.
func commonQuestions(stored []runs.Stored) (common []runs.Stored, left int) {
	index := make([]map[string]int, len(stored))
	all := map[string]bool{}
	for i, s := range stored {
		index[i] = make(map[string]int, len(s.Records))
		for at, r := range s.Records {
			index[i][r.QueryID] = at
			all[r.QueryID] = true
		}
	}
	common = slices.Clone(stored)
	for i := range common {
		common[i].Records = nil
	}
	for _, r := range stored[0].Records {
		shared := true
		for i, s := range stored {
			at, ok := index[i][r.QueryID]
			if !ok || s.Records[at].Query != r.Query || s.Records[at].Measured() != r.Measured() {
				shared = false
			}
		}
		if !shared {
			continue
		}
		for i, s := range stored {
			common[i].Records = append(common[i].Records, s.Records[index[i][r.QueryID]])
		}
	}
	return common, len(all) - len(common[0].Records)
}

// options settles metrics, depth, primary metric and baseline; deep lists the
// metrics that look below the lists.
func (c Choices) options(stored []runs.Stored) (o options, deep []string, err error) {
	first := stored[0].Run
	o = options{seed: c.Seed, resamples: c.Resamples, own: c.Own, depth: first.Depth}
	for _, s := range stored {
		o.depth = min(o.depth, s.Depth)
	}
	names, gain := c.Metrics, c.Gain
	if len(names) == 0 {
		names = first.Metrics
	}
	if gain == measure.GainDefault && first.Gain != "" {
		if gain, err = measure.ParseGain(first.Gain); err != nil {
			return options{}, nil, err
		}
	}
	all, err := parseMetrics(names, gain)
	if err != nil {
		return options{}, nil, err
	}
	for _, m := range all {
		if m.measure.K > o.depth {
			deep = append(deep, m.name)
		} else {
			o.metrics = append(o.metrics, m)
		}
	}
	if len(o.metrics) == 0 {
		return options{}, nil, fault.New("metrics_too_deep", fault.P("metrics", strings.Join(deep, ", ")), fault.P("depth", o.depth))
	}
	primary := c.Primary
	if primary == "" && slices.Contains(metricNames(o.metrics), first.Primary) {
		primary = first.Primary
	}
	if o.primary, err = primaryOf(o.metrics, primary); err != nil {
		return options{}, nil, err
	}
	baseline := c.Baseline
	for _, s := range stored {
		if baseline != "" && s.ID == baseline {
			baseline = s.Name
		}
	}
	o.baseline, err = baselineOf(namesOf(stored), baseline)
	return o, deep, err
}

// warnings are those that only stored runs can give rise to.
func (c Choices) warnings(stored []runs.Stored, o options, left int, deep []string) []runs.Advice {
	var out []runs.Advice
	for _, s := range stored {
		base := stored[o.baseline]
		if s.Library.KB != base.Library.KB && !sameDocuments(s.Library, base.Library) {
			out = append(out, warning(runs.LibrariesDiffer, fault.P("a", base.Name), fault.P("b", s.Name),
				fault.P("kb_a", base.Library.KB), fault.P("kb_b", s.Library.KB)))
		}
	}
	if left > 0 {
		out = append(out, warning(runs.QuestionsDiffer, fault.P("common", len(stored[0].Records)), fault.P("left", left)))
	}
	if len(deep) > 0 {
		out = append(out, warning(runs.MetricsLeftOut, fault.P("metrics", strings.Join(deep, ", ")), fault.P("depth", o.depth)))
	}
	for _, s := range stored {
		if s.Depth != o.depth {
			return append(out, warning(runs.DepthsDiffer, fault.P("depth", o.depth)))
		}
	}
	return out
}

// sameDocuments reports that two libraries are known to hold the same documents: how they were
// cut and indexed may well be what a comparison is about.
func sameDocuments(a, b runs.Library) bool { return a.Content != "" && a.Content == b.Content }
