package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// queries are of both languages, of rare characters and of none that is a word.
func queries() []string {
	return []string{"年假有几天", "paid leave", "潮水", "🌊", "𠮷", "？！…", "harbour noon"}
}

func TestEveryEntranceGivesTheSameHits(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for _, query := range queries() {
		for _, strategy := range []string{"vector", "bm25", "hybrid", "union+rerank", "weighted", "hybrid+rerank", "classic"} {
			found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: query, Strategy: strategy})
			if err != nil {
				t.Fatal(err)
			}
			compared, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: query, Strategies: []string{"bm25+rerank", strategy}})
			if err != nil {
				t.Fatal(err)
			}
			asked, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: query, Strategy: strategy})
			if err != nil {
				t.Fatal(err)
			}
			column := compared.Strategies[1]
			for entrance, hits := range map[string][]api.Hit{"compare": column.Hits, "ask": asked.Hits} {
				if diff := cmp.Diff(found.Hits, hits); diff != "" {
					t.Errorf("%s, %s: %s differs from search:\n%s", query, strategy, entrance, diff)
				}
			}
			if column.Fingerprint != found.Fingerprint || asked.Fingerprint != found.Fingerprint || column.Prompt != asked.Prompt {
				t.Errorf("%s, %s: fingerprints %s, %s, %s", query, strategy, found.Fingerprint, column.Fingerprint, asked.Fingerprint)
			}
			if len(found.Hits) == 0 && strategy != "bm25" {
				t.Errorf("%s, %s: no hits", query, strategy)
			}
		}
	}
}

func TestEqualSearchesAreEqualByteForByte(t *testing.T) {
	t.Parallel()
	s := filled(t)
	other := serviceOn(t, s.cfg.Workspace) // as another process would be
	for _, query := range queries() {
		var first string
		for i, svc := range []*Service{s, s, other} {
			found, err := svc.Search(t.Context(), api.SearchRequest{KB: "kb", Query: query, Strategy: "default"})
			if err != nil {
				t.Fatal(err)
			}
			found.TimingsMS = nil
			b, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = string(b)
			} else if diff := cmp.Diff(first, string(b)); diff != "" {
				t.Errorf("%s, run %d:\n%s", query, i, diff)
			}
		}
	}
}

func TestHitsStandAtTheirSpans(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for _, query := range queries() {
		asked, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: query, Retrieval: api.Retrieval{TopK: ptr(20)}})
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range asked.Hits {
			doc, err := s.DocumentText(t.Context(), api.DocumentTextRequest{KB: "kb", Ref: h.DocID})
			if err != nil {
				t.Fatal(err)
			}
			text := []rune(doc.Text)
			if string(text[h.Span.Start:h.Span.End]) != h.Text || h.Rank != i+1 || doc.Source != h.Source {
				t.Errorf("%s: hit %d is not at %v of %s", query, h.Rank, h.Span, h.Source)
			}
			for _, m := range h.Matches {
				if m.Start < 0 || m.End <= m.Start || m.End > len([]rune(h.Text)) {
					t.Errorf("%s: match %+v outside of %q", query, m, h.Text)
				}
			}
			for _, c := range asked.Citations {
				if *c.ChunkID == h.ChunkID && string(text[c.Span.Start:c.Span.End]) != *c.Quote {
					t.Errorf("%s: citation %+v is not at its span", query, c)
				}
			}
		}
	}
}

func TestEqualTextsTieAndAreOrderedByID(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for _, strategy := range []string{"vector", "bm25", "weighted", "vector+rerank"} {
		found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "the harbour closes at noon", Strategy: strategy})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) < 2 {
			t.Fatalf("%s: %d hits", strategy, len(found.Hits))
		}
		a, b := found.Hits[0], found.Hits[1]
		if a.Text != b.Text || a.Score != b.Score || a.ChunkID >= b.ChunkID || a.DocID == b.DocID {
			t.Errorf("%s: %s %g, then %s %g", strategy, a.ChunkID, a.Score, b.ChunkID, b.Score)
		}
	}
}

func TestAQueryOfPunctuation(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for strategy, some := range map[string]bool{"bm25": false, "vector": true, "hybrid+rerank": true} {
		found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "？！", Strategy: strategy})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) > 0 != some || len(found.QueryTerms) != 0 || found.QueryTerms == nil {
			t.Errorf("%s: %d hits, terms %v", strategy, len(found.Hits), found.QueryTerms)
		}
	}
}

func TestBlankQueriesAndMissingNames(t *testing.T) {
	t.Parallel()
	s := filled(t)
	ask := func(kb, query string) map[string]error {
		_, search := s.Search(t.Context(), api.SearchRequest{KB: kb, Query: query})
		_, compare := s.Compare(t.Context(), api.CompareRequest{KB: kb, Query: query})
		_, ask := s.Ask(t.Context(), api.AskRequest{KB: kb, Query: query})
		return map[string]error{"search": search, "compare": compare, "ask": ask}
	}
	for _, c := range []struct{ kb, query, code string }{
		{"kb", "", "query_blank"},
		{"kb", " \t\r\n\u3000", "query_blank"},
		{"kb", "\u200b\u200d\ufeff\u2060", "query_blank"},
		{"", "潮水", "argument_missing"},
		{"nobody", "潮水", "kb_unknown"},
	} {
		for op, err := range ask(c.kb, c.query) {
			if !fault.Is(err, c.code) {
				t.Errorf("%s of %q in %q: %v, want %s", op, c.query, c.kb, err, c.code)
			}
		}
	}
}

func TestThresholdsAreShown(t *testing.T) {
	t.Parallel()
	s := filled(t)
	all, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: "vector", Retrieval: api.Retrieval{TopK: ptr(50)}})
	if err != nil {
		t.Fatal(err)
	}
	limit := all.Hits[2].Score
	found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: "vector",
		Retrieval: api.Retrieval{TopK: ptr(50), Thresholds: map[string]float64{"vector": limit}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Hits)+len(found.Dropped) != len(all.Hits) || len(found.Hits) < 3 || len(found.Dropped) == 0 {
		t.Errorf("%d hits and %d dropped of %d", len(found.Hits), len(found.Dropped), len(all.Hits))
	}
	for _, d := range found.Dropped {
		if d.Stage != "vector" || *d.Score >= limit || *d.Threshold != limit || d.Rank == nil || d.Text == "" {
			t.Errorf("dropped %+v", d)
		}
	}
	none, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "潮水", Retrieval: api.Retrieval{Thresholds: map[string]float64{"rerank": 2}}})
	if err != nil || !none.Abstained || len(none.Hits) != 0 || len(none.Citations) != 0 {
		t.Errorf("nothing passes: %+v, %v", none, err)
	}
}

func TestAnEmptyLibraryFindsNothing(t *testing.T) {
	t.Parallel()
	s := service(t)
	if j := load(t, s, t.TempDir()); j.State != "done" || len(j.Report.Documents) != 0 {
		t.Fatalf("ingested: %+v", j)
	}
	for _, strategy := range rag.StrategyNames() {
		found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: strategy})
		if err != nil || len(found.Hits) != 0 || found.Hits == nil {
			t.Errorf("%s: %v, %v", strategy, found.Hits, err)
		}
	}
}

func TestALibraryOfAnotherModelIsNotSearched(t *testing.T) {
	t.Parallel()
	s := filled(t)
	st, err := s.openStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lib, err := st.Library(t.Context(), "kb")
	if err != nil {
		t.Fatal(err)
	}
	w, err := st.Lock(t.Context(), "test", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	other := lib.Settings
	other.EmbedderFingerprint = "another file of the same name"
	_, err = w.CreateLibrary(t.Context(), "old", other)
	if err := errors.Join(err, w.Unlock()); err != nil {
		t.Fatal(err)
	}
	_, err = s.Search(t.Context(), api.SearchRequest{KB: "old", Query: "潮水", Strategy: "vector"})
	if !fault.Is(err, "embedder_mismatch") || fault.Of(err).Params["has"] != defaultEmbedder+" (896, another file of the same name)" {
		t.Errorf("%v, want embedder_mismatch", err)
	}
	if _, err := s.Search(t.Context(), api.SearchRequest{KB: "old", Query: "潮水", Strategy: "bm25"}); err != nil {
		t.Errorf("BM25 needs no model: %v", err)
	}
}

func TestSearchesGoOnWhileDocumentsComeIn(t *testing.T) {
	t.Parallel()
	s := filled(t)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for i := range 4 {
		strategy := []string{"vector", "bm25", "hybrid+rerank", "weighted"}[i]
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: strategy})
				if err != nil || len(found.Hits) == 0 {
					t.Errorf("%s: %d hits, %v", strategy, len(found.Hits), err)
					return
				}
			}
		})
	}
	for round := range 6 {
		path := folder(t, map[string]string{fmt.Sprintf("%d.txt", round): fmt.Sprintf("第%d次涨潮，潮水没过石阶。", round)})
		if j := load(t, s, path); j.State != "done" {
			t.Errorf("round %d: %+v", round, j.Error)
		}
	}
	close(stop)
	readers.Wait()
}

func TestAFilterThatNothingPassesIsSaid(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for types, want := range map[string]int{"pdf": 1, "md": 0, "MD": 0} {
		options := &api.RetrievalOptions{Filter: api.Filter{Types: []string{types}}}
		found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Retrieval: api.Retrieval{Options: options}})
		var codes []string
		for _, w := range found.Warnings {
			codes = append(codes, w.Code+" "+w.Detail)
		}
		if want == 1 && !slices.Equal(codes, []string{"filter_passes_nothing 6", "filter_value_unknown --type pdf (md, txt)"}) {
			t.Errorf("%s: %q", types, codes)
		}
		if err != nil || len(found.Warnings) != 2*want || (want == 1) != (len(found.Hits) == 0) {
			t.Errorf("%s: %d hits, %+v, %v", types, len(found.Hits), found.Warnings, err)
		}
		side, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: "潮水", Answer: true, Retrieval: api.Retrieval{Options: options}})
		if err != nil {
			t.Fatal(err)
		}
		for _, col := range side.Strategies {
			told := 0
			for _, w := range col.Warnings {
				if w.Code == "filter_passes_nothing" {
					told++
				}
			}
			if told != want {
				t.Errorf("%s, %s: %+v", types, col.Strategy, col.Warnings)
			}
		}
	}
}

func TestAnEvaluationOfNothingIsRefused(t *testing.T) {
	t.Parallel()
	s := filled(t)
	file := filepath.Join(folder(t, map[string]string{"q.jsonl": `{"query_id":"q1","question":"潮水","gold":[{"doc":"sea.md","quote":"潮水"}]}`}), "q.jsonl")
	j, err := s.StartEval(t.Context(), api.EvalRequest{KB: "kb", Dataset: file, Strategies: []string{"bm25"},
		Retrieval: api.Retrieval{Options: &api.RetrievalOptions{Filter: api.Filter{Types: []string{"pdf"}}}}})
	if j = ended(t, s, j, err); j.Error == nil || j.Error.Code != "filter_passes_nothing" {
		t.Errorf("%+v", j.Error)
	}
}

func TestAnEvaluationTellsWhatItsFilterNamesAndNoDocumentHas(t *testing.T) {
	t.Parallel()
	s := filled(t)
	var mu sync.Mutex
	var told []string
	s.cfg.Notify = func(code string, params ...fault.Param) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprint(code, params))
	}
	file := filepath.Join(folder(t, map[string]string{"q.jsonl": `{"query_id":"q1","question":"潮水","gold":[{"doc":"sea.md","quote":"潮水"}]}`}), "q.jsonl")
	j, err := s.StartEval(t.Context(), api.EvalRequest{KB: "kb", Dataset: file, Strategies: []string{"bm25", "vector"},
		Retrieval: api.Retrieval{Options: &api.RetrievalOptions{Filter: api.Filter{Types: []string{"md", "pdf"}}}}})
	if j = ended(t, s, j, err); j.Error != nil {
		t.Fatalf("%+v", j.Error)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"filter_value_unknown[{detail --type pdf (md, txt)}]"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
