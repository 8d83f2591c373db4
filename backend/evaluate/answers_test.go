package evaluate_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// scripted answers by the question's text.
type scripted map[string]runs.Answer

func (s scripted) Answer(_ context.Context, q evaluate.Question, hits []rag.Hit) (runs.Answer, error) {
	a, ok := s[q.Text]
	if !ok {
		return runs.Answer{}, errors.New("no such question")
	}
	for _, h := range hits {
		a.Context = append(a.Context, h.Chunk.ID)
	}
	return a, nil
}

func (s scripted) Fingerprint() string { return "scripted" }

func claims(verdicts ...rag.ClaimVerdict) []runs.Claim {
	var out []runs.Claim
	for _, v := range verdicts {
		out = append(out, runs.Claim{Text: "x", Verdict: string(v), Evidence: &runs.ClaimEvidence{}})
	}
	return out
}

// TestAnswersAreMeasured works one evaluation of answers out by hand: an answer of two
// claims, one of them unverifiable; one that was not scored; a refusal; one that
// could not be had.
func TestAnswersAreMeasured(t *testing.T) {
	t.Parallel()
	half := .5
	answers := scripted{
		"mixed": {Text: "ten days [1]", Label: "hallucinated", Score: &half, Relevancy: &half, Similarity: &half, Claims: claims(rag.Supported, rag.Unverifiable),
			Others:    []runs.Verdict{{Detector: "llm", Label: "faithful", Claims: claims(rag.Supported, rag.Supported)}, {Detector: "nli:m", Label: "unscored", Reason: "prompt_cut"}},
			Citations: []runs.Citation{{Marker: 1, ChunkID: "c1", State: "verified", End: 8}, {State: "missing", Start: 9, End: 12}}},
		"unscored": {Text: "dix jours", Label: "unscored", Reason: "unsupported_language",
			Others: []runs.Verdict{{Detector: "llm", Label: "hallucinated", Claims: claims(rag.Contradicted)}}},
		"refused": {Text: "none", Abstained: true},
		"failed":  {Error: &runs.Failure{Code: "llm_none"}},
	}
	var questions []evaluate.Question
	lists := map[string][]rag.ChunkID{}
	for _, name := range []string{"mixed", "unscored", "refused", "failed"} {
		questions = append(questions, evaluate.Question{ID: name, Text: name, Answerable: true, Answers: []string{"Ten days"}})
		lists[name] = []rag.ChunkID{"c1", "c2"}
	}
	setup := evaluate.Setup{
		Questions: questions, Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}},
		Searcher: &script{lists: map[string]map[string][]rag.ChunkID{"vector": lists}}, Judge: nothingRelevant{}, Answerer: answers,
		Metrics: []string{"Hit@5", "faithfulness", "hallucination_rate", "answer_contains", "citation_coverage", "citation_accuracy", "abstention"},
	}
	exp, err := evaluate.Run(t.Context(), setup, rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		value float64
		n, of int
	}{
		"faithfulness": {.5, 1, 3}, "hallucination_rate": {1, 1, 3}, "answer_contains": {1. / 3, 3, 4},
		"citation_coverage": {.5, 1, 2}, "citation_accuracy": {1, 1, 2}, "abstention": {2. / 3, 3, 4},
	} {
		m := exp.Runs[0].Metrics[name]
		if m.Value == nil || *m.Value != want.value || m.N != want.n || m.Of != want.of {
			t.Errorf("%s = %v, n %d of %d, want %+v (missing %v)", name, m.Value, m.N, m.Of, want, m.Missing)
		}
	}
	if m := exp.Runs[0].Metrics["faithfulness"]; m.Missing["unsupported_language"] != 1 || m.Bounds == nil {
		t.Errorf("an unscored answer: %+v", m)
	}
	// A further detector has a sum of its own, in which refusals count nowhere and what it did
	// not judge is missing.
	others := exp.Runs[0].Others
	if len(others) != 2 || others[0].Detector != "llm" || others[1].Detector != "nli:m" {
		t.Fatalf("%+v", others)
	}
	if o := others[0]; *o.HallucinationRate.Value != .5 || *o.Faithfulness.Value != .5 || o.HallucinationRate.N != 2 || o.HallucinationRate.Of != 3 || o.Agree != 0 || o.Both != 1 {
		t.Errorf("%+v", o)
	}
	if o := others[1]; o.Faithfulness.Value != nil || o.Faithfulness.Missing["prompt_cut"] != 1 || o.Faithfulness.Missing["unscored"] != 1 || o.Both != 0 {
		t.Errorf("%+v", o)
	}
	delete(answers, "mixed")
	if _, err := evaluate.Run(t.Context(), setup, rag.NoProgress{}); err == nil || fault.Of(err).Code == "" {
		t.Errorf("an answerer that breaks gives %v", err)
	}
}

// paying counts what is asked of an answerer, by question and passages.
type paying struct {
	scripted
	mu    sync.Mutex
	asked map[string]int
	after func(n int)
}

func (p *paying) Answer(ctx context.Context, q evaluate.Question, hits []rag.Hit) (runs.Answer, error) {
	if err := ctx.Err(); err != nil {
		return runs.Answer{}, err
	}
	key := q.Text
	for _, h := range hits {
		key += " " + string(h.Chunk.ID)
	}
	p.mu.Lock()
	p.asked[key]++
	n := len(p.asked)
	p.mu.Unlock()
	a, err := p.scripted.Answer(ctx, q, hits)
	if p.after != nil {
		p.after(n)
	}
	return a, err
}

// TestAnswersAreNotPaidTwice stops an evaluation after some answers and runs it again:
// what the journal has is not asked for a second time, and the result is the same.
func TestAnswersAreNotPaidTwice(t *testing.T) {
	t.Parallel()
	prepared := func() (evaluate.Setup, *paying) {
		s, _ := synthetic(t, 12, regressed)
		p := &paying{scripted: scripted{}, asked: map[string]int{}}
		for _, q := range s.Questions {
			p.scripted[q.Text] = runs.Answer{Text: "ten", Label: "faithful", Claims: claims(rag.Supported)}
		}
		s.Answerer, s.Metrics, s.Workers = p, []string{"Hit@5", "faithfulness"}, 1
		return s, p
	}
	whole, all := prepared()
	want := stable(t, run(t, whole))
	s, p := prepared()
	ctx, cancel := context.WithCancel(t.Context())
	p.after = func(n int) {
		if n == 7 {
			cancel()
		}
	}
	dir := t.TempDir()
	j := journal(t, dir, s)
	s.Journal = j
	if _, err := evaluate.Run(ctx, s, rag.NoProgress{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error after cancel is %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	p.after = nil
	s.Journal = journal(t, dir, s)
	if got := stable(t, run(t, s)); !bytes.Equal(got, want) {
		t.Error("an interrupted evaluation of answers ends otherwise")
	}
	twice := 0
	for key, n := range p.asked {
		if all.asked[key] == 0 {
			t.Errorf("%s was not asked in one go", key)
		}
		twice += n - all.asked[key]
	}
	// The answer that was cut off may be asked for again; no other.
	if len(p.asked) != len(all.asked) || twice > 1 {
		t.Errorf("%d of %d asked, %d twice", len(p.asked), len(all.asked), twice)
	}
}

// TestAnswerHints says what to mend in the answers where retrieval is fine.
func TestAnswerHints(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 10, func(int) (vector, hybrid int) { return 1, 1 })
	answers := scripted{}
	low := .2
	for i, q := range s.Questions {
		a := runs.Answer{Text: "ten", Label: "faithful", Relevancy: &low, Claims: claims(rag.Supported)}
		if i < 2 {
			a.Label, a.Claims = "hallucinated", claims(rag.Unverifiable)
		}
		answers[q.Text] = a
	}
	s.Answerer, s.Metrics = answers, []string{"Recall@10", "nDCG@10", "faithfulness"}
	exp := run(t, s)
	if h := find(exp.Advice, runs.HallucinationHigh); h == nil || h.Params["rate"] != "0.200" {
		t.Errorf("%+v", exp.Advice)
	}
	if h := find(exp.Advice, runs.RelevancyLow); h == nil || h.Params["relevancy"] != "0.200" {
		t.Errorf("%+v", exp.Advice)
	}
}

// nothingRelevant is a judge of a library without gold.
type nothingRelevant struct{}

func (nothingRelevant) Ranking(_ int, ids []rag.ChunkID) (measure.Ranking, error) {
	out := measure.Ranking{HasGold: true}
	for _, id := range ids {
		out.Items = append(out.Items, measure.Item{ID: string(id)})
	}
	return out, nil
}

func (nothingRelevant) Gold(int) (evaluate.Gold, error) {
	return evaluate.Gold{Unreachable: runs.NotIndexed}, nil
}
