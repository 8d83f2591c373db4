package evaluate

import (
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// facts are what the tree of causes asks of a record.
type facts struct {
	// measured questions have gold that fits; first is the rank of the first
	// relevant hit, 0 without one.
	measured           bool
	unreachable        runs.Cause
	first              int
	dropped            bool
	answered, refused  bool
	prompted           bool // something relevant was in the prompt
	right, lacks       bool // the answer has the reference; has not half of it
	rests, restsBeside bool // on what is relevant; on something else
	faithful           bool
	contradicted, made bool
	miscited           bool
}

// DiagnoseRecord returns the first cause that applies to a question, whose first
// relevant hit stands at rank first, nil without one; empty when it did not fail. The
// causes from runs.CutFromPrompt on need an answer. A question that could not be
// searched, or whose gold is stale, has none.
func DiagnoseRecord(r runs.Record, first *int) runs.Cause {
	if r.Stale || r.Error != nil {
		return ""
	}
	f := factsOf(r, first)
	for _, leaf := range leaves {
		if leaf.applies(f) {
			return leaf.cause
		}
	}
	return ""
}

// leaves are the tree: each is asked where those before it did not apply.
var leaves = []struct {
	cause   runs.Cause
	applies func(facts) bool
}{
	{runs.NotIndexed, func(f facts) bool { return f.unreachable == runs.NotIndexed }},
	{runs.SplitByChunking, func(f facts) bool { return f.unreachable == runs.SplitByChunking }},
	{runs.NotRetrieved, func(f facts) bool { return f.measured && f.first == 0 && !f.dropped }},
	{runs.RankedLow, func(f facts) bool { return f.measured && f.first > runs.FailedDepth }},
	{runs.DroppedByThreshold, func(f facts) bool { return f.measured && f.first == 0 }},
	{runs.CutFromPrompt, func(f facts) bool { return f.measured && f.answered && !f.prompted && !f.right }},
	{runs.Ignored, func(f facts) bool {
		beside := f.restsBeside && !f.rests
		return f.measured && f.answered && !f.refused && !f.right && (beside || f.faithful && f.lacks)
	}},
	{runs.NoiseFollowed, func(f facts) bool { return !f.measured && f.answered && !f.refused && f.faithful }},
	{runs.Contradicted, func(f facts) bool { return f.answered && f.contradicted }},
	{runs.Fabricated, func(f facts) bool { return f.answered && f.made }},
	{runs.WrongCitation, func(f facts) bool { return f.answered && f.miscited }},
	{runs.WrongRefusal, func(f facts) bool { return f.measured && f.answered && f.refused }},
}

func factsOf(r runs.Record, first *int) facts {
	f := facts{measured: r.Measured(), dropped: len(r.Dropped) > 0}
	if first != nil {
		f.first = *first
	}
	if f.first == 0 || f.first > runs.FailedDepth {
		f.unreachable = unreachable(r)
	}
	a := r.Answer
	if a == nil || a.Error != nil && a.Text == "" {
		return f
	}
	f.answered, f.refused, f.faithful = true, a.Abstained, a.Label == string(rag.Faithful)
	relevant := map[rag.ChunkID]bool{}
	for _, h := range r.Passages() {
		relevant[h.ChunkID] = h.Relevant()
		f.prompted = f.prompted || h.Relevant()
	}
	f.right, f.lacks = against(a.Reference)
	rests := func(id rag.ChunkID) {
		f.rests, f.restsBeside = f.rests || relevant[id], f.restsBeside || !relevant[id]
	}
	for _, c := range a.Claims {
		verdict := rag.ClaimVerdict(c.Verdict)
		f.contradicted, f.made = f.contradicted || verdict == rag.Contradicted, f.made || verdict == rag.Unverifiable
		if (verdict == rag.Supported || verdict == rag.Contradicted) && c.Evidence != nil && c.Evidence.Context < len(a.Context) {
			rests(a.Context[c.Evidence.Context])
		}
	}
	for _, c := range a.Citations {
		f.miscited = f.miscited || c.State == citationWrong
		if c.ChunkID != "" && c.State != citationMissing {
			rests(c.ChunkID)
		}
	}
	return f
}

// lackShare is the share of the reference's words below which an answer lacks it.
const lackShare = .5

// against says of an answer whether it has the reference, and whether it clearly
// lacks it: no key point, or where there are none, fewer than half of the words of the
// reference that is nearest. Between the two nothing is said.
func against(ref *runs.Reference) (right, lacks bool) {
	if ref == nil {
		return false, false
	}
	stated := 0
	for _, k := range ref.KeyPoints {
		if k.Stated {
			stated++
		}
	}
	share := 1.
	if ref.TP+ref.FN > 0 {
		share = float64(ref.TP) / float64(ref.TP+ref.FN)
	}
	switch {
	case ref.Contains != nil && *ref.Contains, len(ref.KeyPoints) > 0 && stated == len(ref.KeyPoints):
		return true, false
	case len(ref.KeyPoints) > 0 && ref.Contains == nil:
		return false, stated == 0
	case len(ref.KeyPoints) > 0:
		return share >= statedShare, stated == 0 && share < lackShare
	}
	return share >= statedShare, share < lackShare
}
