package measure_test

import (
	"math"
	"testing"
	"testing/quick"

	"ragdesk/backend/measure"
)

// Nothing that is missing becomes a 0 or a 1.
func TestAMissingVerdictIsNoScore(t *testing.T) {
	t.Parallel()
	gap := []measure.Verdict{measure.Yes, measure.Missing}
	for name, v := range map[string]struct {
		got  measure.Value
		want measure.Reason
	}{
		"faithfulness, unjudged":       {measure.Faithfulness(gap), measure.Unjudged},
		"faithfulness, nothing said":   {measure.Faithfulness(nil), measure.NoClaims},
		"context recall":               {measure.ContextRecall(gap), measure.Unjudged},
		"context recall, no reference": {measure.ContextRecall(nil), measure.NoReference},
		"context precision":            {measure.ContextPrecision(gap), measure.Unjudged},
		"context precision, nothing":   {measure.ContextPrecision(nil), measure.NoContext},
		"relevancy":                    {measure.AnswerRelevancy(nil, nil).Value, measure.Unjudged},
		"correctness":                  {measure.AnswerCorrectness(0, 0, 0, 1), measure.NoClaims},
		"checker without claims":       {measure.Check(measure.Matrices{}).Faithfulness, measure.NoClaims},
		"checker without reference":    {measure.Check(measure.Matrices{}).ClaimRecall, measure.NoReference},
		"F1 of nothing":                {measure.Check(measure.Matrices{}).F1, measure.NoClaims},
		"citations":                    {measure.Citations(nil).Precision, measure.NoClaims},
		"nuggets":                      {measure.Nuggets(nil).All, measure.NoReference},
		"vital ones":                   {measure.Nuggets([]measure.Nugget{{Covered: measure.FullSupport}}).Vital, measure.NoReference},
		"key points":                   {measure.KeyPoints([]measure.PointVerdict{measure.PointStated, measure.PointUnjudged}).Complete, measure.Unjudged},
		"refusals":                     {measure.Refusals{Answered: 3}.Precision(), measure.NoValues},
		"refusals, all answerable":     {measure.Refusals{Answered: 3}.Recall(), measure.NoRelevant},
	} {
		if v.got.OK() || v.got.Reason != v.want {
			t.Errorf("%s: %+v, want the reason %q", name, v.got, v.want)
		}
	}
}

func TestCitationsOfNoUse(t *testing.T) {
	t.Parallel()
	out := measure.Citations([]measure.CitedSentence{
		{Supported: true, Citations: []measure.CitationSupport{{Alone: true}}}, // no such passage
		{Citations: []measure.CitationSupport{{Valid: true, Alone: true}}},     // not borne out
	})
	if out.Recall.Score != 0 || out.Precision.Score != 0 || out.Coverage.Score != .5 {
		t.Errorf("%+v", out)
	}
	if p := measure.Citations(make([]measure.CitedSentence, 2)).Precision; p != measure.Of(0) {
		t.Errorf("without citations precision is %+v", p)
	}
	many := measure.CitedSentence{Supported: true}
	for range 9 {
		many.Citations = append(many.Citations, measure.CitationSupport{Valid: true, Alone: len(many.Citations) < 3})
	}
	if p := measure.Citations([]measure.CitedSentence{many}).Precision.Score; p != 1 {
		t.Errorf("three citations of a sentence are read: %v", p)
	}
}

func TestRelevancyTellsWhatWasDone(t *testing.T) {
	t.Parallel()
	r := measure.AnswerRelevancy([]float64{-.3, .1}, []bool{true, false})
	if !r.Clamped || r.Noncommittal || math.Abs(r.Raw+.1) > 1e-9 || r.Score != 0 {
		t.Errorf("%+v", r)
	}
}

// The shares of RAGChecker sum to 1, and all lie in [0, 1].
func TestCheckerShares(t *testing.T) {
	t.Parallel()
	holds := func(answer, reference []uint8, passages uint8) bool {
		n := int(passages%4) + 1
		m := measure.Matrices{}
		for _, bits := range answer {
			m.Answer, m.Correct = append(m.Answer, row(bits, n)), append(m.Correct, bits&128 > 0)
		}
		for _, bits := range reference {
			m.Reference, m.Recalled = append(m.Reference, row(bits, n)), append(m.Recalled, bits&128 > 0)
		}
		c := measure.Check(m)
		for _, v := range []measure.Value{
			c.Precision, c.Recall, c.F1, c.ClaimRecall, c.ContextPrecision, c.Utilization, c.NoiseRelevant, c.NoiseIrrelevant,
		} {
			if v.OK() && (v.Score < 0 || v.Score > 1) {
				return false
			}
		}
		sum := c.Faithfulness.Score + c.Hallucination.Score + c.SelfKnowledge.Score
		return len(answer) == 0 || sum > 1-1e-9 && sum < 1+1e-9
	}
	if err := quick.Check(holds, nil); err != nil {
		t.Error(err)
	}
}

func row(bits uint8, n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = bits>>i&1 > 0
	}
	return out
}
