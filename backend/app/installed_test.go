package app

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"ragdesk/backend/api"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/rerank"
	"ragdesk/build/standin"
)

// question has words of every document of tides.
const question = "年假 病假 潮水 tide leave harbour"

// directly opens a graph of an installed reranker without the Service.
func directly(t *testing.T, s *Service, name string, p models.Precision) *rerank.CrossEncoder {
	t.Helper()
	folder, err := models.OpenFolder(s.cfg.Models)
	if err != nil {
		t.Fatal(err)
	}
	m, err := folder.Model(name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Variant(p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := rerank.OpenCrossEncoder(ort.New(modelstest.Runtime(t)), rerank.CrossSpec{
		Name: name, Graph: ort.Graph{Path: v.Path, Inputs: v.Inputs, Output: v.Output, Half: v.Half}, Tokenizer: m.Tokenizer,
		Lowercase: m.Lowercase, Simplify: m.Simplify, ModelSHA256: m.VariantSHA256(v), TokenizerSHA256: m.SHA256(m.Tokenizer),
		Limit: m.Limit, Pad: m.Pad,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// searchWith searches all chunks of "kb" with a reranker.
func searchWith(t *testing.T, s *Service, reranker string) api.SearchResponse {
	t.Helper()
	out, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: question, Strategy: "bm25",
		Retrieval: api.Retrieval{Reranker: &reranker, TopK: ptr(20)}})
	if err != nil {
		t.Fatalf("search with %s: %v", reranker, err)
	}
	return out
}

// logit is the native score of a hit's last stage.
func logit(h api.Hit) float64 { return h.Trace[len(h.Trace)-1].Parts["logit"] }

func TestAnInstalledRerankerRanksByItsLogits(t *testing.T) {
	t.Parallel()
	s := filled(t)
	imported(t, s, standin.XLMRReranker, "judge")
	candidates := searchWith(t, s, rag.RerankNone).Hits
	if len(candidates) < 8 {
		t.Fatalf("only %d candidates", len(candidates))
	}
	prints := map[string]string{}
	for name, p := range map[string]models.Precision{"Judge": models.INT8, "judge:fp32": models.FP32, "judge:FP16": models.FP16} {
		passages := make([]rag.Passage, len(candidates))
		for i, h := range candidates {
			passages[i] = rag.Passage{ID: rag.ChunkID(h.ChunkID), Text: h.Text}
		}
		verdicts, err := directly(t, s, "judge", p).Rerank(t.Context(), question, passages)
		if err != nil {
			t.Fatal(err)
		}
		order := make([]int, len(passages))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(verdicts[b].Parts[0].Value, verdicts[a].Parts[0].Value), cmp.Compare(passages[a].ID, passages[b].ID))
		})
		got := searchWith(t, s, name)
		for rank, i := range order {
			h := got.Hits[rank]
			want := verdicts[i].Parts[0].Value
			if h.ChunkID != string(passages[i].ID) || logit(h) != want || h.Score != verdicts[i].Score || h.ScoreStage != "rerank" {
				t.Fatalf("%s, rank %d: %s with logit %g, want %s with %g", name, rank+1, h.ChunkID, logit(h), passages[i].ID, want)
			}
			if sigmoid := 1 / (1 + math.Exp(-want)); math.Abs(h.Score-sigmoid) > 1e-9 {
				t.Errorf("%s: score %g of logit %g", name, h.Score, want)
			}
		}
		prints[got.Fingerprint] = name
	}
	for _, name := range []string{rag.RerankNone, rag.RerankLateInteraction} {
		prints[searchWith(t, s, name).Fingerprint] = name
	}
	if len(prints) != 5 {
		t.Errorf("results of five rerankers have the fingerprints %v", prints)
	}
	own := searchWith(t, s, "judge").Fingerprint
	for _, name := range []string{rag.RerankCrossEncoder, rag.RerankDefault, "JUDGE"} {
		if got := searchWith(t, s, name).Fingerprint; got != own {
			t.Errorf("%s has fingerprint %s, judge has %s", name, got, own)
		}
	}
	info, err := s.Info(t.Context(), api.InfoRequest{})
	if err != nil || !slices.Equal(info.Rerankers, []string{"none", "late-interaction", "cross-encoder", "judge"}) {
		t.Errorf("rerankers %v, %v", info.Rerankers, err)
	}
}

func TestALibraryOfAnInstalledEmbedder(t *testing.T) {
	t.Parallel()
	s, h := service(t), hub(t)
	pull(t, s, h, embedName, "fp32")
	root := folder(t, tides())
	ingest := func(kb, embedder string) api.Job {
		j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: kb, Paths: []string{root}, Embedder: embedder, Chunker: "chars", ChunkSize: ptr(40), ChunkOverlap: ptr(10)})
		return ended(t, s, j, err)
	}
	if j := ingest("kb", embedName); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	search := func() api.SearchResponse {
		t.Helper()
		out, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: question, Strategy: "vector"})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := search()
	member, err := s.embedder(embedName, "")
	if err != nil {
		t.Fatal(err)
	}
	query, err := member.Query(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	documents, err := member.Documents(t.Context(), []string{before.Hits[0].Text})
	if err != nil {
		t.Fatal(err)
	}
	cosine := 0.0
	for i := range query {
		cosine += float64(query[i]) * float64(documents[0][i])
	}
	if math.Abs(cosine-before.Hits[0].Score) > 1e-5 {
		t.Errorf("the first hit has %g, its cosine is %g", before.Hits[0].Score, cosine)
	}

	for name, c := range map[string]struct{ asked, want string }{
		"another model":          {"all-MiniLM-L6-v2", "all-MiniLM-L6-v2 (384)"},
		"the default":            {"auto", defaultEmbedder + " (896)"},
		"a mix with another one": {embedName + "+all-MiniLM-L6-v2", embedName + "+all-MiniLM-L6-v2 (416)"},
	} {
		j := ingest("kb", c.asked)
		if j.Error == nil || j.Error.Code != "embedder_mismatch" || j.Error.Params["has"] != embedName+" (32)" || j.Error.Params["asked"] != c.want {
			t.Errorf("%s: %+v", name, j.Error)
		}
	}
	if j := ingest("mixed", embedName+"+all-MiniLM-L6-v2"); j.State != "done" {
		t.Errorf("%+v", j.Error)
	}

	// A faster precision beside the one that the library was indexed with is the
	// default of new libraries, and changes nothing for the old one.
	if m := pull(t, s, h, embedName, "int8"); !slices.Equal(m.Precisions, []string{"int8", "fp32"}) {
		t.Fatalf("precisions %v", m.Precisions)
	}
	if after := search(); after.Fingerprint != before.Fingerprint || after.Hits[0].Score != before.Hits[0].Score {
		t.Error("another precision changed what an old library gives")
	}
	for _, asked := range []string{"", embedName} {
		if j := ingest("kb", asked); j.State != "done" || j.Report.Totals["unchanged"] != 5 {
			t.Errorf("ingesting with %q again: %+v", asked, j.Error)
		}
	}
	if j := ingest("fast", embedName); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	kbs, err := s.ListKBs(t.Context(), api.ListKBsRequest{})
	if err != nil || len(kbs.KBs) != 3 || kbs.KBs[0].KB != "fast" || kbs.KBs[0].Fingerprint == kbs.KBs[1].Fingerprint || kbs.KBs[0].Embedder != kbs.KBs[1].Embedder {
		t.Errorf("%+v, %v", kbs, err)
	}
}

// TestEvidenceComesFromTheCrossEncoderThatReranks holds that an answer is checked with
// the model that ranked its passages, and with late interaction elsewhere.
func TestEvidenceComesFromTheCrossEncoderThatReranks(t *testing.T) {
	t.Parallel()
	s := filled(t)
	imported(t, s, standin.XLMRReranker, "judge")
	for strategy, want := range map[string]string{"bm25": rag.RerankLateInteraction, "bm25+rerank": "judge", "default": "judge"} {
		out, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: question, Strategy: strategy})
		if err != nil || out.Check.Scorer != want || len(out.Check.Sentences) == 0 {
			t.Fatalf("%s: %+v, %v", strategy, out.Check, err)
		}
		if want != "judge" {
			continue
		}
		sentence := out.Check.Sentences[0]
		for _, h := range out.Hits {
			if h.ChunkID != sentence.Support.ChunkID {
				continue
			}
			scores, err := directly(t, s, "judge", models.INT8).Rerank(t.Context(), sentence.Text, []rag.Passage{{ID: rag.ChunkID(h.ChunkID), Text: h.Text}})
			if err != nil || scores[0].Score != sentence.Support.Score || out.Check.High != highCrossEvidence {
				t.Errorf("%s: score %v, %v; support %+v", strategy, scores, err, sentence.Support)
			}
		}
	}
	// One scorer for all columns, or their scores could not be compared.
	both, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: question, Strategies: []string{"bm25", "bm25+rerank"}, Answer: true})
	if err != nil || both.Strategies[0].Check.Scorer != "judge" || both.Strategies[1].Check.Scorer != "judge" {
		t.Errorf("%+v, %v", both.Strategies, err)
	}
}
