package evaluate

import (
	"errors"

	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// pair tells what else differs between runs i and j.
func (a *assessment) pair(i, j int) (runs.Pair, error) {
	x, y := a.stored[i], a.stored[j]
	out := runs.Pair{
		A: x.Name, B: y.Name, Variables: list(runs.Variables(x.Run, y.Run)),
		Mended: []runs.Moved{}, Broken: []runs.Moved{},
	}
	for q := range x.Records {
		from, to := x.Records[q], y.Records[q]
		if !from.Measured() || from.Error != nil || to.Error != nil {
			continue
		}
		switch compareRanks(from.First, to.First) {
		case 1:
			out.Raised++
		case -1:
			out.Lowered++
		default:
			out.Kept++
		}
		moved := runs.Moved{QueryID: from.QueryID, Query: from.Query, Type: from.Type, From: from.First, To: to.First}
		switch {
		case from.Failed() && !to.Failed():
			out.Mended = append(out.Mended, moved)
		case !from.Failed() && to.Failed():
			out.Broken = append(out.Broken, moved)
		}
	}
	out.Causes, out.Buckets = transitions(x.Records, y.Records)
	var err error
	out.LatencyMS, err = a.latency(x.Timing, y.Timing)
	return out, err
}

// compareRanks is 1 when to stands above from, −1 below, 0 level. No rank is below
// every rank.
func compareRanks(from, to *int) int {
	switch {
	case from == nil && to == nil:
		return 0
	case from == nil:
		return 1
	case to == nil:
		return -1
	case *to < *from:
		return 1
	case *to > *from:
		return -1
	}
	return 0
}

// latency compares the time of whole searches, question by question.
func (a *assessment) latency(x, y runs.Timing) (*runs.LatencyDifference, error) {
	took := map[string]float64{}
	for _, q := range x.Queries {
		took[q.QueryID] = q.MS[runs.Total]
	}
	var diff []float64
	for _, q := range y.Queries {
		if before, ok := took[q.QueryID]; ok {
			diff = append(diff, q.MS[runs.Total]-before)
		}
	}
	if len(diff) == 0 {
		return nil, nil
	}
	out := &runs.LatencyDifference{Diff: *mean(diff), Verdict: runs.Inconclusive, N: len(diff)}
	ci, err := stats.BootstrapMean(diff, a.seedFor("latency"))
	if errors.Is(err, stats.ErrTooFew) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.CI = &runs.CI{ci.Low, ci.High}
	switch {
	case ci.High < 0:
		out.Verdict = runs.Faster
	case ci.Low > 0:
		out.Verdict = runs.Slower
	}
	return out, nil
}
