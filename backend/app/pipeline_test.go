package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func ptr[T any](v T) *T { return &v }

// nothingInstalled is a service without installed models.
func nothingInstalled(t *testing.T) *Service {
	t.Helper()
	return &Service{installed: installedModels{dir: t.TempDir()}}
}

// counts are a pipeline's candidates, rerank depth and top-k.
func counts(p rag.Pipeline) [3]int { return [3]int{p.Candidates, p.RerankDepth, p.TopK} }

func TestPipelinesPutFlagsOverPresetsOverDefaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		strategy string
		flags    api.Retrieval
		counts   [3]int
		reranker string
		fusion   rag.Fusion
	}{
		"nothing":                      {"", api.Retrieval{}, [3]int{50, 20, 5}, "late-interaction", "rrf"},
		"default":                      {"default", api.Retrieval{}, [3]int{50, 20, 5}, "late-interaction", "rrf"},
		"classic":                      {"classic", api.Retrieval{}, [3]int{5, 10, 3}, "late-interaction", "union"},
		"classic with top-k":           {"classic", api.Retrieval{TopK: ptr(7)}, [3]int{5, 10, 7}, "late-interaction", "union"},
		"classic with all":             {"classic", api.Retrieval{TopK: ptr(1), Candidates: ptr(9), RerankDepth: ptr(2), Fusion: ptr("RRF"), Reranker: ptr("none")}, [3]int{9, 2, 1}, "none", "rrf"},
		"one leg":                      {"vector", api.Retrieval{}, [3]int{50, 20, 5}, "none", ""},
		"one leg reranked":             {"bm25", api.Retrieval{Reranker: ptr("Late-Interaction")}, [3]int{50, 20, 5}, "late-interaction", ""},
		"reranking left out":           {"hybrid+rerank", api.Retrieval{Reranker: ptr("none")}, [3]int{50, 20, 5}, "none", "rrf"},
		"top-k above the candidates":   {"vector", api.Retrieval{TopK: ptr(80)}, [3]int{80, 20, 80}, "none", ""},
		"top-k above given candidates": {"vector", api.Retrieval{TopK: ptr(80), Candidates: ptr(10)}, [3]int{10, 20, 80}, "none", ""},
	} {
		p, err := pipeline(nothingInstalled(t).resolver(t.Context(), ""), c.strategy, c.flags)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if counts(p) != c.counts || p.Reranker != c.reranker || p.Fusion != c.fusion {
			t.Errorf("%s: %v, reranker %q, fusion %q; want %+v", name, counts(p), p.Reranker, p.Fusion, c)
		}
	}
}

func TestPipelinesAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		strategy string
		flags    api.Retrieval
		code     string
	}{
		"strategy":                 {"best", api.Retrieval{}, "strategy_unknown"},
		"fusion":                   {"hybrid", api.Retrieval{Fusion: ptr("sum")}, "fusion_unknown"},
		"fusion of one leg":        {"vector", api.Retrieval{Fusion: ptr("rrf")}, "setting_unfit"},
		"reranker":                 {"hybrid", api.Retrieval{Reranker: ptr("magic")}, "reranker_unknown"},
		"top-k":                    {"hybrid", api.Retrieval{TopK: ptr(0)}, "pipeline_invalid"},
		"candidates":               {"hybrid", api.Retrieval{Candidates: ptr(-5)}, "pipeline_invalid"},
		"rerank depth":             {"hybrid+rerank", api.Retrieval{RerankDepth: ptr(0)}, "pipeline_invalid"},
		"threshold of no stage":    {"hybrid", api.Retrieval{Thresholds: map[string]float64{"cosine": 1}}, "setting_unfit"},
		"alpha of ranks":           {"hybrid", api.Retrieval{Options: &api.RetrievalOptions{Alpha: ptr(0.3)}}, "setting_unfit"},
		"alpha of a union":         {"weighted", api.Retrieval{Fusion: ptr("union"), Options: &api.RetrievalOptions{Alpha: ptr(0.3)}}, "setting_unfit"},
		"alpha of one leg":         {"bm25", api.Retrieval{Options: &api.RetrievalOptions{Alpha: ptr(0.3)}}, "setting_unfit"},
		"threshold of no reranker": {"hybrid", api.Retrieval{Thresholds: map[string]float64{"rerank": 1}}, "setting_unfit"},
	} {
		if p, err := pipeline(nothingInstalled(t).resolver(t.Context(), ""), c.strategy, c.flags); !fault.Is(err, c.code) {
			t.Errorf("%s: %+v, %v; want %s", name, p, err, c.code)
		}
	}
}

func TestPipelineFiles(t *testing.T) {
	t.Parallel()
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "pipeline.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return "@" + path
	}
	full := file(`strategy: weighted+rerank
alpha: 0.3
rrf_k: 10
candidates: 30
rerank_depth: 8
top_k: 4
thresholds: {vector: 0.2, rerank: 0.1}
`)
	p, err := pipeline(nothingInstalled(t).resolver(t.Context(), ""), full, api.Retrieval{TopK: ptr(2), Thresholds: map[string]float64{"rerank": 0.5}})
	want := rag.Pipeline{
		Strategy: full, Vector: true, BM25: true, Fusion: rag.FusionWeighted, Alpha: 0.3, RRFK: 10, Candidates: 30,
		Reranker: "late-interaction", RerankDepth: 8, TopK: 2,
		Thresholds: map[rag.Stage]float64{rag.StageVector: 0.2, rag.StageRerank: 0.5},
	}
	if diff := cmp.Diff(want, p); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if p, err := pipeline(nothingInstalled(t).resolver(t.Context(), ""), file("top_k: 9\n"), api.Retrieval{}); err != nil || p.TopK != 9 || p.Fusion != rag.FusionRRF || p.Reranker != "late-interaction" {
		t.Errorf("without a strategy: %+v, %v", p, err)
	}
	for text, code := range map[string]string{
		"strategy: best":                  "strategy_unknown",
		"topk: 3":                         "pipeline_file",
		"top_k: many":                     "pipeline_file",
		"- vector":                        "pipeline_file",
		"":                                "pipeline_file",
		"strategy: weighted\nalpha: 2":    "pipeline_invalid",
		"strategy: weighted\nalpha: .nan": "pipeline_invalid",
		"strategy: hybrid\nalpha: 0.3":    "setting_unfit",
		"strategy: vector\nthresholds: {vector: .inf}": "pipeline_invalid",
		"rrf_k: -60":      "pipeline_invalid",
		"fusion: sum":     "fusion_unknown",
		"reranker: magic": "reranker_unknown",
	} {
		if p, err := pipeline(nothingInstalled(t).resolver(t.Context(), ""), file(text), api.Retrieval{}); !fault.Is(err, code) {
			t.Errorf("%q: %+v, %v; want %s", text, p, err, code)
		}
	}
	if _, err := pipeline(nothingInstalled(t).resolver(t.Context(), ""), "@"+filepath.Join(t.TempDir(), "none.yaml"), api.Retrieval{}); !fault.Is(err, "not_found") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := pipeline(nothingInstalled(t).resolver(t.Context(), ""), "@"+t.TempDir(), api.Retrieval{}); !fault.Is(err, "unreadable") {
		t.Errorf("a folder: %v", err)
	}
}

func TestMovementFollowsTheLastColumn(t *testing.T) {
	t.Parallel()
	column := func(name string, ids ...string) api.Column {
		c := api.Column{Strategy: name}
		for i, id := range ids {
			c.Hits = append(c.Hits, api.Hit{Rank: i + 1, ChunkID: id, Source: id + ".txt"})
		}
		return c
	}
	got := movement([]api.Column{column("a", "w", "x", "y", "z"), column("b", "v", "y"), column("c", "y", "q", "w")})
	ranks := func(a, b, c int) map[string]*int {
		out := map[string]*int{}
		for name, n := range map[string]int{"a": a, "b": b, "c": c} {
			out[name] = nil
			if n > 0 {
				out[name] = &n
			}
		}
		return out
	}
	want := []api.Movement{
		{ChunkID: "y", Source: "y.txt", Ranks: ranks(3, 2, 1)},
		{ChunkID: "q", Source: "q.txt", Ranks: ranks(0, 0, 2)},
		{ChunkID: "w", Source: "w.txt", Ranks: ranks(1, 0, 3)},
		// Out of the last column: by the one before it, and so on.
		{ChunkID: "v", Source: "v.txt", Ranks: ranks(0, 1, 0)},
		{ChunkID: "x", Source: "x.txt", Ranks: ranks(2, 0, 0)},
		{ChunkID: "z", Source: "z.txt", Ranks: ranks(4, 0, 0)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("movement (-want +got):\n%s", diff)
	}
	if got := movement([]api.Column{{Strategy: "a"}}); len(got) != 0 || got == nil {
		t.Errorf("movement of nothing: %v", got)
	}
}

func TestAlphaGoesWhereItIsUsed(t *testing.T) {
	t.Parallel()
	find := nothingInstalled(t).resolver(t.Context(), "")
	alpha := api.Retrieval{Options: &api.RetrievalOptions{Alpha: ptr(0.3)}}
	fused := func(name string) api.Retrieval { return api.Retrieval{Fusion: &name, Options: alpha.Options} }
	for strategy, r := range map[string]api.Retrieval{"weighted": alpha, "hybrid": fused("Weighted"), "union": fused("auto"), "auto": alpha} {
		if p, err := pipeline(find, strategy, r); err != nil || p.Alpha != 0.3 {
			t.Errorf("%s: alpha %g, %v", strategy, p.Alpha, err)
		}
	}
	sides, err := sidePipelines(find, []string{"vector", "hybrid", "weighted"}, alpha)
	if err != nil || sides[0].Alpha != rag.DefaultAlpha || sides[1].Alpha != rag.DefaultAlpha || sides[2].Alpha != 0.3 {
		t.Errorf("side by side: %+v, %v", sides, err)
	}
	if sides, err = sidePipelines(find, []string{"vector", "hybrid"}, fused("weighted")); err != nil || sides[1].Alpha != 0.3 {
		t.Errorf("fused by weights: %+v, %v", sides, err)
	}
	if _, err = sidePipelines(find, []string{"vector", "hybrid", "union"}, alpha); !fault.Is(err, "setting_unfit") || fault.Of(err).Params["setting"] != "alpha" {
		t.Errorf("none has an alpha: %v", err)
	}
}
