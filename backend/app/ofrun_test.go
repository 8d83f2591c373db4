package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

func TestAStoredRunIsAStrategy(t *testing.T) {
	t.Parallel()
	s, questions := thesaurus(t, 4)
	odd := api.Retrieval{Candidates: ptr(7), RerankDepth: ptr(3), TopK: ptr(2), Thresholds: map[string]float64{"vector": 0.1},
		Options: &api.RetrievalOptions{MaxRanks: map[string]int{"bm25": 4}, FoldDuplicates: ptr(0.9)}}
	j, err := s.StartEval(t.Context(), api.EvalRequest{KB: "kb", Dataset: questions, Strategies: []string{"hybrid+rerank"}, Retrieval: odd})
	if j = ended(t, s, j, err); j.State != "done" {
		t.Fatalf("eval: %+v", j.Error)
	}
	id := j.Eval.Runs[0].RunID
	request := api.CompareRequest{KB: "kb", Query: "infant", Strategies: []string{"run:" + id[:len(id)-2], "bm25"}}
	got, err := s.Compare(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: "infant", Strategies: []string{"hybrid+rerank", "bm25"}, Retrieval: odd})
	if err != nil {
		t.Fatal(err)
	}
	column := got.Strategies[0]
	if column.Strategy != "run:"+id || len(column.Hits) == 0 {
		t.Errorf("strategy %s, %d hits", column.Strategy, len(column.Hits))
	}
	if diff := cmp.Diff(want.Strategies[0].Hits, column.Hits); diff != "" {
		t.Errorf("hits (-asked for again +run):\n%s", diff)
	}
	wantRun := &api.ColumnRun{RunID: id, Name: "hybrid+rerank", Strategy: "hybrid+rerank", Dataset: "questions", Created: column.Run.Created,
		Variables: []runs.Variable{
			{Name: "candidates", A: "50", B: "7"}, {Name: "rerank_depth", A: "20", B: "3"}, {Name: "top_k", A: "5", B: "2"},
			{Name: "threshold.vector", B: "0.1"}, {Name: "max_rank.bm25", B: "4"}, {Name: "fold_duplicates", B: "0.9"},
		}}
	if diff := cmp.Diff(wantRun, column.Run); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
	if got.Strategies[1].Run != nil {
		t.Errorf("bm25 is of a run: %+v", got.Strategies[1].Run)
	}

	if j := load(t, s, folder(t, map[string]string{"more.txt": "One more note."})); j.State != "done" {
		t.Fatalf("ingested: %+v", j)
	}
	if got, err = s.Compare(t.Context(), request); err != nil || !got.Strategies[0].Run.Changed {
		t.Errorf("changed %v, error %v", got.Strategies[0].Run, err)
	}
	request.Strategies = []string{"run:no-such-run", "bm25"}
	if _, err := s.Compare(t.Context(), request); !fault.Is(err, "run_unknown") {
		t.Errorf("an unknown run: %v", err)
	}
}
