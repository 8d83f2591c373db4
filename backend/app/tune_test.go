package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// synonyms are pairs of words that mean the same.
const synonyms = `automobile car, physician doctor, infant baby, residence home, sofa couch, ocean sea, forest woods, stone rock,
present gift, cash money, path trail, boat ship, kid child, film movie, photograph picture, jail prison, autumn fall, shop store,
garbage trash, sickness illness, teacher instructor, error mistake, meal dinner, street road`

// thesaurus is a library of n sentences and their questions, which share no word
// with them: the vectors find what BM25 cannot.
func thesaurus(t *testing.T, n int) (s *Service, questions string) {
	t.Helper()
	files, lines := map[string]string{}, []string{}
	for i, pair := range strings.Split(strings.ReplaceAll(synonyms, "\n", " "), ",")[:n] {
		words := strings.Fields(pair)
		name := fmt.Sprintf("note%02d.txt", i)
		files[name] = fmt.Sprintf("A note about the %s.", words[0])
		lines = append(lines, fmt.Sprintf(`{"query_id":"q%d","question":%q,"type":"factual","gold":[{"doc":%q}]}`, i, words[1], name))
	}
	s = service(t)
	if j := load(t, s, folder(t, files)); j.State != "done" || j.Report.Totals["indexed"] != n {
		t.Fatalf("ingested: %+v", j)
	}
	return s, filepath.Join(folder(t, map[string]string{"questions.jsonl": strings.Join(lines, "\n")}), "questions.jsonl")
}

func tuneJob(t *testing.T, s *Service, r api.TuneRequest) *api.TuneReport {
	t.Helper()
	j, err := s.StartTune(t.Context(), r)
	if j = ended(t, s, j, err); j.State != "done" {
		t.Fatalf("tune: %+v", j.Error)
	}
	return j.Tune
}

func autoSearch(t *testing.T, s *Service, strategy string, r api.Retrieval) api.SearchResponse {
	t.Helper()
	out, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "the note", Strategy: strategy, Retrieval: r})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTuneFindsWhatAutoThenRuns(t *testing.T) {
	t.Parallel()
	s, questions := thesaurus(t, 24)
	untuned := autoSearch(t, s, "auto", api.Retrieval{})
	if diff := cmp.Diff(&api.AutoChoice{Strategy: "hybrid+rerank", Fusion: ptr("rrf"), Reranker: "late-interaction", State: "untuned"}, untuned.Auto); diff != "" {
		t.Errorf("untuned (-want +got):\n%s", diff)
	}
	if plain := autoSearch(t, s, "hybrid+rerank", api.Retrieval{}); plain.Auto != nil || plain.Fingerprint != untuned.Fingerprint {
		t.Errorf("hybrid+rerank says %+v; fingerprints %s, %s", plain.Auto, plain.Fingerprint, untuned.Fingerprint)
	}

	request := api.TuneRequest{KB: "kb", Dataset: questions, Strategies: []string{"weighted"}, Alphas: []float64{0.95, 0},
		Baseline: "bm25", Primary: "MRR@10", Save: true}
	report := tuneJob(t, s, request)
	if report.Winner != "weighted alpha=0.95" || report.Verdict == nil || *report.Verdict != runs.Better || !report.Saved {
		t.Fatalf("winner %s, verdict %v, saved %t", report.Winner, report.Verdict, report.Saved)
	}
	if report.Dev.N != 12 || report.Confirmed.N != 12 || report.Tuned.Verdict != runs.Better || *report.Tuned.Alpha != 0.95 || report.Tuned.Dataset != "questions" {
		t.Errorf("dev %+v, tuned %+v", report.Dev, report.Tuned)
	}
	stored, err := s.ListRuns(t.Context(), api.ListRunsRequest{})
	if err != nil || len(stored.Runs) != len(report.HeldOut.Runs) {
		t.Errorf("%d runs are stored of %d, error %v", len(stored.Runs), len(report.HeldOut.Runs), err)
	}

	// What was kept is what auto runs, from every entrance, and a part of the print.
	found := autoSearch(t, s, "auto", api.Retrieval{})
	if diff := cmp.Diff(&api.AutoChoice{Strategy: "weighted", Fusion: ptr("weighted"), Alpha: ptr(0.95), Reranker: "none", State: "tuned"}, found.Auto); diff != "" {
		t.Errorf("tuned (-want +got):\n%s", diff)
	}
	same := autoSearch(t, s, "weighted", api.Retrieval{Options: &api.RetrievalOptions{Alpha: ptr(0.95)}})
	if diff := cmp.Diff(same.Hits, found.Hits); diff != "" || same.Fingerprint != found.Fingerprint || found.Fingerprint == untuned.Fingerprint {
		t.Errorf("auto is not weighted at 0.95: fingerprints %s, %s (-weighted +auto):\n%s", same.Fingerprint, found.Fingerprint, diff)
	}
	compared, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: "the note", Strategies: []string{"bm25", "auto"}})
	if err != nil {
		t.Fatal(err)
	}
	if c := compared.Strategies[1]; c.Fingerprint != found.Fingerprint || c.Auto == nil || compared.Strategies[0].Auto != nil {
		t.Errorf("compare: %+v", c)
	}
	asked, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "the note", Strategy: "auto"})
	if err != nil || asked.Fingerprint != found.Fingerprint || asked.Auto == nil {
		t.Errorf("ask: %+v, %v", asked.Auto, err)
	}
	// The fusion alone, under another strategy's reranking.
	fused := autoSearch(t, s, "hybrid+rerank", api.Retrieval{Fusion: ptr("auto")})
	if fused.Auto == nil || fused.Auto.Strategy != "weighted+rerank" || *fused.Auto.Alpha != 0.95 {
		t.Errorf("fusion auto: %+v", fused.Auto)
	}
	kbs, err := s.ListKBs(t.Context(), api.ListKBsRequest{})
	if err != nil || kbs.KBs[0].Tuned == nil || kbs.KBs[0].Tuned.Strategy != "weighted" {
		t.Errorf("listed: %+v, %v", kbs.KBs, err)
	}

	// What is in use is the baseline of the next tuning, and stays the best.
	request.Baseline = ""
	if again := tuneJob(t, s, request); again.Baseline != "weighted alpha=0.95" || again.Verdict != nil || !again.Saved || again.Tuned.Verdict != "" {
		t.Errorf("again: baseline %s, verdict %v, %+v", again.Baseline, again.Verdict, again.Tuned)
	}
	forgotten, err := s.ForgetTuning(t.Context(), api.ForgetTuningRequest{KB: "kb"})
	if err != nil || forgotten.Forgotten == nil {
		t.Fatalf("forgotten %+v, %v", forgotten, err)
	}
	if after := autoSearch(t, s, "auto", api.Retrieval{}); after.Auto.State != "untuned" || after.Fingerprint != untuned.Fingerprint {
		t.Errorf("forgotten: %+v", after.Auto)
	}
}

func TestAChoiceIsVoidForAnotherIndex(t *testing.T) {
	t.Parallel()
	s := filled(t)
	lib := libraryNow(t, s)
	p, err := rag.ParseStrategy("weighted")
	if err != nil {
		t.Fatal(err)
	}
	keep := func(library string) {
		t.Helper()
		w, err := s.store.Lock(t.Context(), "test", 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unlock(w)
		if err := w.SetTuned(t.Context(), lib, rag.Tuned{Pipeline: p, Library: library}); err != nil {
			t.Fatal(err)
		}
	}
	keep("of another index")
	if found := autoSearch(t, s, "auto", api.Retrieval{}); found.Auto.State != "stale" || found.Auto.Strategy != "hybrid+rerank" {
		t.Errorf("stale: %+v", found.Auto)
	}
	kbs, err := s.ListKBs(t.Context(), api.ListKBsRequest{})
	if err != nil || kbs.KBs[0].Tuned == nil || !kbs.KBs[0].Tuned.Stale {
		t.Errorf("listed: %+v, %v", kbs.KBs, err)
	}
	keep(lib.Fingerprint())
	if found := autoSearch(t, s, "auto", api.Retrieval{}); found.Auto.State != "tuned" || found.Auto.Strategy != "weighted" {
		t.Errorf("tuned: %+v", found.Auto)
	}
	// Indexed anew, the library has chosen nothing.
	if j := reindexed(t, s, api.ReindexRequest{Chunker: "tokens", ChunkSize: ptr(50)}); j.State != "done" {
		t.Fatalf("reindex: %+v", j.Error)
	}
	if found := autoSearch(t, s, "auto", api.Retrieval{}); found.Auto.State != "untuned" {
		t.Errorf("indexed anew: %+v", found.Auto)
	}
}

func TestTuneKeepsNothingUnconfirmed(t *testing.T) {
	t.Parallel()
	s, questions := thesaurus(t, 8) // too few for a verdict
	request := api.TuneRequest{KB: "kb", Dataset: questions, Strategies: []string{"weighted"}, Alphas: []float64{1}, Baseline: "bm25", Save: true}
	report := tuneJob(t, s, request)
	if report.Winner != "weighted alpha=1" || *report.Verdict != runs.Inconclusive || report.Saved || report.Tuned != nil {
		t.Errorf("winner %s, verdict %v, saved %t", report.Winner, report.Verdict, report.Saved)
	}
	if len(report.Advice) == 0 || report.Advice[0].Code != runs.TuneQuestionsFew {
		t.Errorf("advice %+v", report.Advice)
	}
	request.Unconfirmed = true
	if report = tuneJob(t, s, request); !report.Saved || report.Tuned.Verdict != runs.Inconclusive {
		t.Errorf("saved %t, %+v", report.Saved, report.Tuned)
	}
}

func TestTuneRefusesBeforeAnyWork(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for code, r := range map[string]api.TuneRequest{
		"argument_missing":    {KB: "kb"},
		"strategy_unknown":    {KB: "kb", Dataset: "d", Strategies: []string{"best"}},
		"pipeline_invalid":    {KB: "kb", Dataset: "d", Alphas: []float64{1.5}},
		"metric_unknown":      {KB: "kb", Dataset: "d", Primary: "luck"},
		"tune_metric_answers": {KB: "kb", Dataset: "d", Primary: "faithfulness"},
		"reranker_unknown":    {KB: "kb", Dataset: "d", Reranker: "magic"},
		"kb_unknown":          {KB: "nobody", Dataset: "d"},
		"gain_unknown":        {KB: "kb", Dataset: "d", Gain: "cubic"},
		"relevance_unknown":   {KB: "kb", Dataset: "d", Relevance: "near"},
		"argument_missing 2":  {KB: "kb", Dataset: "d", Unconfirmed: true},
	} {
		if _, err := s.StartTune(t.Context(), r); !fault.Is(err, strings.TrimSuffix(code, " 2")) {
			t.Errorf("%+v: %v, want %s", r, err, code)
		}
	}
	if _, err := s.StartTune(t.Context(), api.TuneRequest{KB: "kb", Dataset: "d", Primary: "luck"}); strings.Contains(fault.Of(err).Params["known"], "faithfulness") {
		t.Errorf("what tune cannot choose by is listed: %v", err)
	}
	one := filepath.Join(folder(t, map[string]string{"one.jsonl": `{"query_id":"q","question":"潮水","type":"factual","gold":[{"doc":"tide.txt"}]}`}), "one.jsonl")
	for code, file := range map[string]string{"dataset_unknown": "absent", "tune_too_few": one} {
		j, err := s.StartTune(t.Context(), api.TuneRequest{KB: "kb", Dataset: file})
		if j = ended(t, s, j, err); j.State != "failed" || j.Error.Code != code {
			t.Errorf("%s: %+v", file, j.Error)
		}
	}
}
