package rerank_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/rerank"
	"ragdesk/build/standin"
)

// The fixtures in testdata are what Python's onnxruntime and tokenizers make of
// the stand-in models; build/standin/reference_models.py writes them.

// most is how far a logit may be from Python's.
const most = 1e-4

// variants are the stand-ins by the names of their fixtures.
func variants() map[string]struct {
	kind      standin.Kind
	precision models.Precision
} {
	return map[string]struct {
		kind      standin.Kind
		precision models.Precision
	}{
		"bert-reranker/model":           {standin.BERTReranker, models.FP32},
		"xlmr-reranker/model":           {standin.XLMRReranker, models.FP32},
		"xlmr-reranker/model_fp16":      {standin.XLMRReranker, models.FP16},
		"xlmr-reranker/model_quantized": {standin.XLMRReranker, models.INT8},
		"xlmr-external/model":           {standin.XLMRExternal, models.FP32},
	}
}

// cross installs the stand-in and opens it as a program would.
func cross(tb testing.TB, name string, batch int) *rerank.CrossEncoder {
	tb.Helper()
	return installed(tb, variants()[name].kind, variants()[name].precision, batch)
}

func installed(tb testing.TB, kind standin.Kind, precision models.Precision, batch int) *rerank.CrossEncoder {
	tb.Helper()
	library := modelstest.Runtime(tb)
	folder, err := models.OpenFolder(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	m, err := folder.Import(tb.Context(), modelstest.StandIn(tb, kind), "stand-in", rag.NoProgress{})
	if err != nil {
		tb.Fatal(err)
	}
	v, err := m.Variant(precision)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := rerank.OpenCrossEncoder(ort.New(library), rerank.CrossSpec{
		Name:  m.Manifest.Name,
		Graph: ort.Graph{Path: v.Path, Inputs: v.Inputs, Output: v.Output, Half: v.Half}, Tokenizer: m.Tokenizer,
		Lowercase: m.Lowercase, Simplify: m.Simplify, ModelSHA256: m.VariantSHA256(v), TokenizerSHA256: m.SHA256(m.Tokenizer),
		Limit: m.Limit, Pad: m.Pad, Batch: batch, Classes: len(m.Labels), Tokens: m.Tokens,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

func logit(tb testing.TB, c *rerank.CrossEncoder, query, passage string) float64 {
	tb.Helper()
	got, err := c.Rerank(tb.Context(), query, []rag.Passage{{Text: passage}})
	if err != nil {
		tb.Fatal(err)
	}
	return got[0].Parts[0].Value
}

// reference is the content of a file of testdata, for this processor.
func reference(tb testing.TB, name string) []byte {
	tb.Helper()
	path, err := standin.Reference(name)
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func TestLogitsEqualPython(t *testing.T) {
	t.Parallel()
	var pairs []struct {
		Query, Passage string
		Logits         map[string]float64
	}
	if err := json.Unmarshal(reference(t, "standin.pairs.json"), &pairs); err != nil {
		t.Fatal(err)
	}
	for name := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := cross(t, name, 1)
			for _, p := range pairs {
				if got := logit(t, c, p.Query, p.Passage); math.Abs(got-p.Logits[name]) > most {
					t.Errorf("%.20q and %.20q: %v, Python has %v", p.Query, p.Passage, got, p.Logits[name])
				}
			}
		})
	}
}

func TestDataSetLogitsEqualPython(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		t.Skip("needs the evaluation sets: set EVAL_DATA to their folder")
	}
	const each = 250
	var pairs [][2]string
	for _, set := range []string{"xquad_zh_en", "cmrc2018"} {
		questions, documents := column(t, filepath.Join(dir, set, "queries.jsonl")), column(t, filepath.Join(dir, set, "corpus.jsonl"))
		step := len(questions) / each
		for i := range each {
			pairs = append(pairs, [2]string{questions[i*step], documents[i*step%len(documents)]})
		}
	}
	for name, v := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := reference(t, string(v.kind)+"."+filepath.Base(name)+".logits")
			if len(raw) != 4*len(pairs) {
				t.Fatalf("%d bytes of logits for %d pairs", len(raw), len(pairs))
			}
			c, worst := cross(t, name, 1), 0.0
			for i, p := range pairs {
				want := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
				d := math.Abs(logit(t, c, p[0], p[1]) - want)
				if worst = max(worst, d); d > most {
					t.Errorf("pair %d is %g from Python's", i, d)
				}
			}
			t.Logf("%d pairs, the worst %.2g from Python's", len(pairs), worst)
		})
	}
}

// column reads the texts or questions of a set's file.
func column(tb testing.TB, path string) []string {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	var out []string
	for lines.Scan() {
		var row struct{ Text, Question string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		out = append(out, row.Text+row.Question)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestScoresDoNotDependOnNeighbours(t *testing.T) {
	t.Parallel()
	texts := []string{"年假有十天。", "The company signed the report on retrieval and search.", "短", "合同期为三年，" + "自签字之日起计算。", "a policy"}
	var all []rag.Passage
	for _, s := range texts {
		all = append(all, rag.Passage{Text: s})
	}
	for name, v := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alone := make([]float64, len(texts))
			c := cross(t, name, 1)
			for i, s := range texts {
				alone[i] = logit(t, c, "年假 policy?", s)
			}
			together, err := c.Rerank(t.Context(), "年假 policy?", all)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range together {
				if r.Parts[0].Value != alone[i] || math.Abs(r.Score-1/(1+math.Exp(-alone[i]))) > 1e-12 {
					t.Errorf("%s: %v beside others, %v alone", texts[i], r, alone[i])
				}
			}
			if v.precision == models.INT8 {
				return
			}
			// A batch may change rounding, and nothing else.
			far := map[models.Precision]float64{models.FP32: most, models.FP16: 0.02}[v.precision]
			batched, err := cross(t, name, 4).Rerank(t.Context(), "年假 policy?", all)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range batched {
				if d := math.Abs(r.Parts[0].Value - alone[i]); d > far {
					t.Errorf("%s: %g from its logit alone, in a batch", texts[i], d)
				}
			}
		})
	}
}

func TestRealGraphIsMeasured(t *testing.T) {
	t.Parallel()
	speed, err := cross(t, "xlmr-reranker/model_quantized", 1).Measure(t.Context())
	if err != nil || speed.PerPair <= 0 || speed.Tokens != 126 {
		t.Errorf("%+v, %v", speed, err)
	}
}

func TestModelsWithDifferentFilesHaveDifferentFingerprints(t *testing.T) {
	t.Parallel()
	var prints []string
	for name := range variants() {
		prints = append(prints, cross(t, name, 1).Fingerprint())
	}
	slices.Sort(prints)
	if n := len(slices.Compact(prints)); n != len(variants()) {
		t.Errorf("%d fingerprints of %d models", n, len(variants()))
	}
}
