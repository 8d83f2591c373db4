package evaluate_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
)

const userConfig = `dataset_path: ./data/eval_dataset.json
knowledge_base: ./data/kb_chunks.json
retriever: {type: hybrid, model: bge-small-zh-v1.5, top_k: 20, rerank: late-interaction}
metrics: [hit_rate@3, hit_rate@5, mrr, ndcg@5, recall@10, precision@3, faithfulness]
output: ./report.json
`

func TestConfigOfTheUser(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "eval_config.yaml")
	if err := os.WriteFile(path, []byte(userConfig), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := evaluate.ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	topK, reranker := 20, "late-interaction"
	want := evaluate.Config{
		File:    path,
		Dataset: evaluate.Ref{Value: filepath.Join(dir, "data", "eval_dataset.json"), IsPath: true},
		Library: evaluate.Ref{Value: filepath.Join(dir, "data", "kb_chunks.json"), IsPath: true},
		Retrievers: []evaluate.Retriever{{
			Name: "hybrid+rerank", Strategy: "hybrid+rerank", Model: "bge-small-zh-v1.5", TopK: &topK, Reranker: &reranker,
		}},
		Metrics: []string{"hit_rate@3", "hit_rate@5", "mrr", "ndcg@5", "recall@10", "precision@3", "faithfulness"},
		Output:  filepath.Join(dir, "report.json"), Relevance: "contains", Unit: "chunk",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfigOfSeveralRetrievers(t *testing.T) {
	t.Parallel()
	c, err := evaluate.ParseConfig([]byte(`
dataset_path: questions
knowledge_base: handbook
retrievers:
  - {type: vector}
  - {type: weighted, name: mixed, alpha: 0.3, candidates: 30, thresholds: {vector: 0.2}}
  - {type: hybrid, rerank: true, rerank_depth: 10}
  - {type: hybrid+rerank, rerank: false}
  - {type: "@pipeline.yaml", name: mine}
metrics: Recall@5, nDCG@10
baseline: mixed
primary: Recall@5
gain: linear
unit: gold
relevance: overlaps
seed: 9
reindex: true
answer_model: qwen3:4b
detector: [evidence, "llm:qwen3:8b"]
judge_model: " qwen3:8b"
`), filepath.FromSlash("conf/eval.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Answers != "qwen3:4b" || c.Detector != "evidence,llm:qwen3:8b" || c.Judge != "qwen3:8b" {
		t.Errorf("who answers and judges: %+v", c)
	}
	var names []string
	for _, r := range c.Retrievers {
		names = append(names, r.Name)
	}
	if !slices.Equal(names, []string{"vector", "mixed", "hybrid+rerank", "hybrid", "mine"}) {
		t.Errorf("names are %v", names)
	}
	if r := c.Retrievers[1]; *r.Alpha != .3 || *r.Candidates != 30 || r.Thresholds[rag.StageVector] != .2 {
		t.Errorf("mixed is %+v", r)
	}
	if r := c.Retrievers[2]; *r.Reranker != rag.RerankDefault || *r.RerankDepth != 10 {
		t.Errorf("hybrid+rerank is %+v", r)
	}
	if r := c.Retrievers[4]; r.Strategy != "@"+filepath.FromSlash("conf/pipeline.yaml") {
		t.Errorf("strategy of mine is %q", r.Strategy)
	}
	if c.Dataset.IsPath || c.Library.IsPath || c.Gain != measure.GainLinear || c.Unit != "gold" || !c.Reindex ||
		c.Seed != 9 || c.Baseline != "mixed" || c.Primary != "Recall@5" || c.Relevance != "overlaps" || c.Output != "" {
		t.Errorf("config is %+v", c)
	}
}

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	const head = "dataset_path: d\nknowledge_base: k\n"
	for name, c := range map[string]struct {
		text, code string
		params     map[string]string
	}{
		"unknown key": {head + "retriever: {type: vector}\nmetrcs: [mrr]\n", "config_key_unknown",
			map[string]string{"file": "eval.yaml", "line": "4", "key": "metrcs"}},
		"unknown inner key": {head + "retriever:\n  type: vector\n  topk: 3\n", "config_key_unknown", map[string]string{"line": "5", "key": "topk"}},
		"not YAML":          {"dataset_path: [", "config_invalid", map[string]string{"line": "1", "detail": "did not find expected node content"}},
		"wrong kind": {head + "retriever: {type: vector, top_k: many}\n", "config_invalid",
			map[string]string{"line": "3", "detail": "cannot unmarshal !!str `many` into int"}},
		"list for rerank": {head + "retriever: {type: vector, rerank: [a]}\n", "config_invalid",
			map[string]string{"line": "3", "detail": "rerank is true, false or a name"}},
		"empty":        {"", "config_key_missing", map[string]string{"key": "dataset_path"}},
		"no library":   {"dataset_path: d\n", "config_key_missing", map[string]string{"key": "knowledge_base"}},
		"no retriever": {head, "config_key_missing", map[string]string{"key": "retriever"}},
		"both": {head + "retriever: {type: vector}\nretrievers: [{type: bm25}]\n", "config_keys_both",
			map[string]string{"a": "retriever", "b": "retrievers"}},
		"bad relevance": {head + "retriever: {type: vector}\nrelevance: near\n", "config_value",
			map[string]string{"key": "relevance", "value": "near", "known": "contains, overlaps, document"}},
		"bad unit": {head + "retriever: {type: vector}\nunit: page\n", "config_value", map[string]string{"key": "unit", "known": "chunk, gold"}},
		"bad threshold": {head + "retriever: {type: vector, thresholds: {cosine: 1}}\n", "config_value",
			map[string]string{"key": "thresholds", "value": "cosine: 1", "known": "vector, bm25, fusion, rerank"}},
		"threshold is no number": {head + "retriever: {type: vector, thresholds: {vector: .nan}}\n", "config_value", map[string]string{"value": "vector: NaN"}},
		"unknown strategy":       {head + "retriever: {type: semantic}\n", "strategy_unknown", nil},
		"unknown metric":         {head + "retriever: {type: vector}\nmetrics: [accuracy]\n", "metric_unknown", nil},
		"unknown gain":           {head + "retriever: {type: vector}\ngain: cubic\n", "gain_unknown", nil},
		"same name":              {head + "retrievers: [{type: vector}, {type: vector, top_k: 9}]\n", "run_name_twice", map[string]string{"name": "vector"}},
		"unknown baseline":       {head + "retriever: {type: vector}\nbaseline: bm25\n", "baseline_unknown", map[string]string{"known": "vector"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := evaluate.ParseConfig([]byte(c.text), "eval.yaml")
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != c.code {
				t.Fatalf("error is %v, want the fault %s", err, c.code)
			}
			for key, want := range c.params {
				if f.Params[key] != want {
					t.Errorf("%s is %q, want %q", key, f.Params[key], want)
				}
			}
		})
	}
	_, err := evaluate.ReadConfig(filepath.Join(t.TempDir(), "none.yaml"))
	wantCode(t, err, "not_found")
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(userConfig))
	f.Add([]byte("retrievers: [{type: vector, rerank: ~}]\nmetrics: a,b\n"))
	f.Add([]byte("&a [*a, *a]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := evaluate.ParseConfig(raw, "eval.yaml")
		if err == nil && (len(c.Retrievers) == 0 || c.Dataset.Value == "" || c.Library.Value == "") {
			t.Errorf("%q gives an incomplete config without an error", raw)
		}
		if err != nil && fault.Of(err).Code == "internal" {
			t.Errorf("%q gives an error without a code: %v", raw, err)
		}
	})
}
