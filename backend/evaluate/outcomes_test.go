package evaluate_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// Every way for a question to end, counted in the right place.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	ten := []rag.ChunkID{"a", "b", "c", "d", "e", "low", "g", "h", "i", "j"}
	s := &script{
		lists:   map[string]map[string][]rag.ChunkID{"vector": {}},
		dropped: map[string][]rag.ChunkID{"dropped": {"x", "gone"}},
		fails:   map[string]map[string]error{"vector": {"errored": fault.New("model_missing", fault.P("model", "m"))}},
	}
	cases := []struct {
		text  string
		label label
		q     evaluate.Question
		cause runs.Cause
	}{
		{"found", label{grades: map[rag.ChunkID]int{"a": 2}}, evaluate.Question{Answerable: true}, ""},
		{"low", label{grades: map[rag.ChunkID]int{"low": 1}}, evaluate.Question{Answerable: true}, runs.RankedLow},
		{"absent", label{grades: map[rag.ChunkID]int{"zz": 1}}, evaluate.Question{Answerable: true}, runs.NotRetrieved},
		{"dropped", label{grades: map[rag.ChunkID]int{"gone": 1}}, evaluate.Question{Answerable: true}, runs.DroppedByThreshold},
		{"foreign", label{unreachable: runs.NotIndexed}, evaluate.Question{Answerable: true}, runs.NotIndexed},
		{"split", label{unreachable: runs.SplitByChunking}, evaluate.Question{Answerable: true}, runs.SplitByChunking},
		{"errored", label{grades: map[rag.ChunkID]int{"a": 1}}, evaluate.Question{Answerable: true}, ""},
		{"stale", label{}, evaluate.Question{Answerable: true, Stale: true}, ""},
		{"unanswerable", label{}, evaluate.Question{Type: "unanswerable"}, ""},
	}
	setup := evaluate.Setup{Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}}, Searcher: s,
		Metrics: []string{"Recall@10", "Precision@5", "faithfulness"}, Resamples: 500, Now: started()}
	var judge labels
	for _, c := range cases {
		s.lists["vector"][c.text] = ten
		c.q.ID, c.q.Text = c.text, c.text
		setup.Questions = append(setup.Questions, c.q)
		judge = append(judge, c.label)
	}
	setup.Judge = judge
	exp := run(t, setup)
	got := exp.Runs[0]
	for i, c := range cases {
		cause := runs.Cause("")
		if p := got.Stored.Records[i].Cause; p != nil {
			cause = *p
		}
		if cause != c.cause {
			t.Errorf("cause of %q is %q, want %q", c.text, cause, c.cause)
		}
	}
	if got.TotalQueries != 9 || got.Unanswerable != 1 || got.StaleQueries != 1 || got.ErroredQueries != 1 || got.FailedQueries != 5 {
		t.Errorf("counts are %+v", got.Scores)
	}
	if diff := cmp.Diff(map[string]int{"model_missing": 1}, got.Errors); diff != "" {
		t.Error(diff)
	}
	// Recall@10 over found 1, low 1, absent 0, dropped 0, foreign 0, split 0; the
	// errored one is missing.
	r := got.Metrics["Recall@10"]
	if r.N != 6 || r.Of != 7 || r.Value == nil || math.Abs(*r.Value-2./6) > 1e-12 {
		t.Errorf("Recall@10 = %+v, want 2/6 on 6 of 7", r)
	}
	if r.Bounds == nil || math.Abs(r.Bounds[0]-2./7) > 1e-12 || math.Abs(r.Bounds[1]-3./7) > 1e-12 {
		t.Errorf("bounds of Recall@10 = %v, want [2/7, 3/7]", r.Bounds)
	}
	f := got.Metrics["faithfulness"]
	if f.Value != nil || f.N != 0 || f.Of != 8 || f.Missing[evaluate.NeedsAnswers] != 7 || f.Missing[measure.NotRun] != 1 {
		t.Errorf("faithfulness = %+v, want nothing of 8", f)
	}
	if g := got.Groups["type"]["unanswerable"]; g.N != 1 || g.Metrics["Recall@10"].Value != nil || g.Metrics["Recall@10"].Of != 0 {
		t.Errorf("group unanswerable = %+v", g)
	}
	if len(got.Failures) != 5 || len(got.Failures[0].Retrieved) != 10 || !got.Failures[0].Retrieved[5].Relevant {
		t.Errorf("failures = %+v", got.Failures)
	}
}

// byUnit judges gold passages: "d1" and "d2" are documents of two chunks each, and
// the second question has one of its two passages outside the library.
type byUnit struct{ documents bool }

func (j byUnit) Ranking(question int, ids []rag.ChunkID) (measure.Ranking, error) {
	out := measure.Ranking{ByUnit: !j.documents, HasGold: true, Ideal: []int{1, 1}}
	if question == 2 {
		out.Ideal = []int{1}
	}
	for _, id := range ids {
		item := measure.Item{ID: string(id)}
		if j.documents {
			item.ID = string(id[:2])
		}
		switch {
		case question == 2: // its only passage is outside
		case id == "d1a", id == "d1b":
			item.Grade, item.Units = 1, []int{0}
		case id == "d2a" && question == 0:
			item.Grade, item.Units = 1, []int{1}
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

func (byUnit) Gold(question int) (evaluate.Gold, error) {
	if question == 2 {
		return evaluate.Gold{Unreachable: runs.NotIndexed}, nil
	}
	return evaluate.Gold{Relevant: []runs.Relevant{{ID: "d1a", Grade: 1}}}, nil
}

func TestUnitsAndDocumentsCountOnce(t *testing.T) {
	t.Parallel()
	list := []rag.ChunkID{"d3a", "d1a", "d1b", "d2a", "d4a"}
	for name, c := range map[string]struct {
		judge  byUnit
		recall [3]float64
		// precision at 3: two of the units' items are one passage; documents move up.
		precision [3]float64
	}{
		"units":     {byUnit{}, [3]float64{1, .5, 0}, [3]float64{1. / 3, 1. / 3, 0}},
		"documents": {byUnit{documents: true}, [3]float64{1, .5, 0}, [3]float64{2. / 3, 1. / 3, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{lists: map[string]map[string][]rag.ChunkID{"vector": {"a": list, "b": list, "c": list}}}
			exp := run(t, evaluate.Setup{
				Questions: []evaluate.Question{
					{ID: "a", Text: "a", Answerable: true}, {ID: "b", Text: "b", Answerable: true}, {ID: "c", Text: "c", Answerable: true},
				},
				Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}}, Searcher: s, Judge: c.judge,
				Metrics: []string{"Recall@5", "Precision@3"}, Resamples: 200, Now: started(),
			})
			for q, r := range exp.Runs[0].Stored.Records {
				if got := *r.Metrics["Recall@5"]; got != c.recall[q] {
					t.Errorf("Recall@5 of %s is %v, want %v", r.QueryID, got, c.recall[q])
				}
				if got := *r.Metrics["Precision@3"]; math.Abs(got-c.precision[q]) > 1e-12 {
					t.Errorf("Precision@3 of %s is %v, want %v", r.QueryID, got, c.precision[q])
				}
			}
			if got := exp.Runs[0].Causes[runs.NotIndexed]; got != 1 || find(exp.Advice, runs.GoldNotIndexed) == nil {
				t.Errorf("%d questions are not indexed, want 1 and the advice", got)
			}
		})
	}
}
