package evaluate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

var update = flag.Bool("update", false, "write golden files anew")

// script is a Searcher that returns what was written down for a strategy and a
// question, by the question's text.
type script struct {
	lists map[string]map[string][]rag.ChunkID
	// dropped are what thresholds removed, for every strategy.
	dropped map[string][]rag.ChunkID
	// fails has the questions whose search gives an error, by strategy.
	fails map[string]map[string]error
	print string

	mu    sync.Mutex
	calls int
	// before is called with the number of the call, when set.
	before func(call int)
}

func (s *script) Search(ctx context.Context, p rag.Pipeline, query string) (evaluate.Result, error) {
	s.mu.Lock()
	s.calls++
	call := s.calls
	s.mu.Unlock()
	if s.before != nil {
		s.before(call)
	}
	if err := ctx.Err(); err != nil {
		return evaluate.Result{}, err
	}
	if err := s.fails[p.Strategy][query]; err != nil {
		return evaluate.Result{}, err
	}
	list := s.lists[p.Strategy][query]
	res := evaluate.Result{
		Fingerprint: p.Fingerprint(s.print), Took: map[rag.Stage]time.Duration{rag.StageVector: time.Millisecond},
	}
	for i, id := range list[:min(len(list), p.TopK)] {
		res.Hits = append(res.Hits, rag.Hit{
			Chunk:  rag.Chunk{ID: id, DocID: "doc-" + rag.DocumentID(id), Text: "text of " + string(id)},
			Source: string(id) + ".md", Rank: i + 1, Score: 1 / float64(i+1), ScoreStage: rag.StageVector,
		})
	}
	threshold := .5
	for _, id := range s.dropped[query] {
		res.Dropped = append(res.Dropped, rag.Dropped{
			Chunk: rag.Chunk{ID: id}, Source: string(id) + ".md", Stage: rag.StageVector, Scored: true, Score: .1, Rank: 1, Threshold: &threshold,
		})
	}
	return res, nil
}

// label is what is relevant to a question.
type label struct {
	grades      map[rag.ChunkID]int
	unreachable runs.Cause
}

// labels is a Judge by the index of the question.
type labels []label

func (l labels) Ranking(question int, ids []rag.ChunkID) (measure.Ranking, error) {
	q := l[question]
	out := measure.Ranking{HasGold: len(q.grades) > 0 || q.unreachable != ""}
	for _, id := range ids {
		out.Items = append(out.Items, measure.Item{ID: string(id), Grade: q.grades[id]})
	}
	for _, g := range q.grades {
		out.Ideal = append(out.Ideal, g)
	}
	slices.Sort(out.Ideal)
	return out, nil
}

func (l labels) Gold(question int) (evaluate.Gold, error) {
	out := evaluate.Gold{Unreachable: l[question].unreachable}
	for id, g := range l[question].grades {
		out.Relevant = append(out.Relevant, runs.Relevant{ID: string(id), Grade: g})
	}
	slices.SortFunc(out.Relevant, func(a, b runs.Relevant) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

func strategy(t *testing.T, name string) rag.Pipeline {
	t.Helper()
	p, err := rag.ParseStrategy(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// started is when every evaluation of the tests begins.
func started() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// synthetic is an evaluation of n questions with one relevant chunk each, ranked by
// vector and by hybrid as ranks says; rank 0 means not at all.
func synthetic(t *testing.T, n int, ranks func(q int) (vector, hybrid int)) (evaluate.Setup, *script) {
	t.Helper()
	s := &script{print: "index-1", lists: map[string]map[string][]rag.ChunkID{"vector": {}, "hybrid": {}}}
	types := []string{"factual", "reasoning", "multi_hop", "comparison", "negation"}
	var questions []evaluate.Question
	var judge labels
	for q := range n {
		gold := rag.ChunkID(fmt.Sprintf("gold%03d", q))
		text := fmt.Sprintf("question %d", q)
		v, h := ranks(q)
		s.lists["vector"][text], s.lists["hybrid"][text] = listWith(gold, v), listWith(gold, h)
		questions = append(questions, evaluate.Question{
			ID: fmt.Sprintf("q%03d", q), Text: text, Type: types[q%len(types)], Lang: []string{"zh", "en"}[q%2],
			Answerable: true, Expected: []runs.Expected{{Doc: string(gold) + ".md", Quote: "text of"}},
		})
		judge = append(judge, label{grades: map[rag.ChunkID]int{gold: 1}})
	}
	return evaluate.Setup{
		Questions: questions, Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}, {Pipeline: strategy(t, "hybrid")}},
		Searcher: s, Judge: judge, Metrics: []string{"hit_rate@5", "recall@5", "MRR@10", "ndcg@10"},
		Seed: 7, Resamples: 2000, Now: started(), Library: runs.Library{KB: "kb", Fingerprint: "index-1"},
		Dataset: runs.Dataset{Name: "synthetic", Hash: "abc", Questions: n}, Relevance: "contains", Unit: "chunk",
	}, s
}

// listWith is a list of ten chunks with gold at the rank, or without it.
func listWith(gold rag.ChunkID, rank int) []rag.ChunkID {
	var out []rag.ChunkID
	for i := 1; i <= 10; i++ {
		if i == rank {
			out = append(out, gold)
		} else {
			out = append(out, rag.ChunkID(fmt.Sprintf("other%02d", i)))
		}
	}
	return out
}

func run(t *testing.T, s evaluate.Setup) runs.Experiment {
	t.Helper()
	exp, err := evaluate.Run(t.Context(), s, rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	return exp
}

// stable is everything of an experiment that must repeat byte for byte.
func stable(t *testing.T, exp runs.Experiment) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	for i := range exp.Runs {
		if err := errors.Join(enc.Encode(exp.Runs[i].Scores), enc.Encode(exp.Runs[i].Stored.Records)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(enc.Encode(exp.Comparisons), enc.Encode(exp.Advice)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update and read the diff", path)
	}
}

// codes lists the codes of advice.
func codes(advice []runs.Advice) []string {
	var out []string
	for _, a := range advice {
		out = append(out, a.Code)
	}
	return out
}

func find(advice []runs.Advice, code string) *runs.Advice {
	for i := range advice {
		if advice[i].Code == code {
			return &advice[i]
		}
	}
	return nil
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("error is %v, want the fault %s", err, code)
	}
}
