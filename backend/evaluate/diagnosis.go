package evaluate

import (
	"fmt"

	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// diagnose returns the causes of run i with their intervals, what may help, and an
// experiment that would show whether it does.
func (a *assessment) diagnose(i int) (runs.Diagnosis, error) {
	s := a.stored[i]
	out := runs.Diagnosis{NotLooked: []runs.Cause{}, Buckets: []runs.BucketCount{}, Causes: []runs.CauseCount{}}
	out.Answers = answersIn(s.Records)
	var clusters []string
	var looked []runs.Record
	for _, r := range s.Records {
		if !looksAt(r) {
			continue
		}
		looked, clusters = append(looked, r), append(clusters, r.Cluster)
		switch {
		case r.Cause != nil:
			out.Failed++
		case out.Answers && unjudged(r):
			out.Unjudged++
		}
	}
	out.Of = len(looked)
	count := func(name string, has func(runs.Cause) bool) (n int, share float64, ci *runs.CI, failed []runs.Record, err error) {
		indicators := make([]float64, len(looked))
		for q, r := range looked {
			if r.Cause != nil && has(*r.Cause) {
				indicators[q] = 1
				failed = append(failed, r)
			}
		}
		n = len(failed)
		share = float64(n) / float64(max(len(looked), 1))
		ci, _, err = interval(indicators, clusters, true, a.seedFor("cause", name))
		return n, share, ci, failed, err
	}
	for _, b := range runs.Buckets() {
		if !out.Answers && b != runs.BucketMissed {
			continue
		}
		n, share, ci, _, err := count(b, func(c runs.Cause) bool { return c.Bucket() == b })
		if err != nil {
			return runs.Diagnosis{}, fmt.Errorf("interval of the bucket %s: %w", b, err)
		}
		out.Buckets = append(out.Buckets, runs.BucketCount{Bucket: b, N: n, Share: share, CI: ci})
	}
	for _, c := range runs.Causes() {
		if !out.Answers && !c.Retrieval() {
			out.NotLooked = append(out.NotLooked, c)
			continue
		}
		n, share, ci, failed, err := count(string(c), func(other runs.Cause) bool { return other == c })
		if err != nil {
			return runs.Diagnosis{}, fmt.Errorf("interval of the cause %s: %w", c, err)
		}
		if n == 0 {
			continue
		}
		found := runs.CauseCount{
			Cause: c, Bucket: c.Bucket(), N: n, Share: share, CI: ci, Questions: make([]string, n),
			Parameters: Parameters(c), Sweep: Sweep(c, s, failed),
		}
		for k, r := range failed {
			found.Questions[k] = r.QueryID
		}
		out.Causes = append(out.Causes, found)
	}
	return out, nil
}

// answersIn reports records of which one was answered.
func answersIn(records []runs.Record) bool {
	for _, r := range records {
		if r.Answer != nil {
			return true
		}
	}
	return false
}

// looksAt reports a question that the tree of causes can say something of: one with
// gold that was searched, or an unanswerable one that was answered.
func looksAt(r runs.Record) bool {
	return r.Error == nil && !r.Stale && (r.Answerable || r.Answer != nil)
}

// unjudged reports a question whose answer could not be had or judged.
func unjudged(r runs.Record) bool {
	return r.Answer == nil || r.Answer.Error != nil || !r.Answer.Abstained && (r.Answer.Label == "" || r.Answer.Label == string(rag.Unscored))
}

// transitions says what became of the questions that both of two runs looked at.
func transitions(from, to []runs.Record) (causes []runs.Transition, buckets []runs.BucketTransition) {
	type cell struct{ from, to runs.Cause }
	byCause := map[cell][]string{}
	type move struct{ from, to string }
	byBucket := map[move][]string{}
	for q := range from {
		if !looksAt(from[q]) || !looksAt(to[q]) {
			continue
		}
		c := cell{causeOf(from[q]), causeOf(to[q])}
		byCause[c] = append(byCause[c], from[q].QueryID)
		m := move{bucketOf(c.from), bucketOf(c.to)}
		byBucket[m] = append(byBucket[m], from[q].QueryID)
	}
	causes, buckets = []runs.Transition{}, []runs.BucketTransition{}
	ends := append(runs.Causes(), "")
	for _, f := range ends {
		for _, t := range ends {
			if ids := byCause[cell{f, t}]; len(ids) > 0 {
				causes = append(causes, runs.Transition{From: orNone(f), To: orNone(t), N: len(ids), Questions: ids})
			}
		}
	}
	names := append(runs.Buckets(), "")
	for _, f := range names {
		for _, t := range names {
			if ids := byBucket[move{f, t}]; len(ids) > 0 {
				buckets = append(buckets, runs.BucketTransition{From: orNone(f), To: orNone(t), N: len(ids), Questions: ids})
			}
		}
	}
	return causes, buckets
}

func causeOf(r runs.Record) runs.Cause {
	if r.Cause == nil {
		return ""
	}
	return *r.Cause
}

func bucketOf(c runs.Cause) string {
	if c == "" {
		return ""
	}
	return c.Bucket()
}

// orNone is nil for an empty name.
func orNone[T ~string](name T) *T {
	if name == "" {
		return nil
	}
	return &name
}
