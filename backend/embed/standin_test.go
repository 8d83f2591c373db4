package embed_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"ragdesk/backend/embed"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/build/standin"
)

// installed imports the stand-in and opens it as a program would.
func installed(tb testing.TB, kind standin.Kind, p models.Precision) *embed.Model {
	tb.Helper()
	library := modelstest.Runtime(tb)
	folder, err := models.OpenFolder(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	name := "stand-in"
	if kind == standin.BERTEmbedder {
		name = "bge-base-zh-v1.5" // whose files do not say how to pool
	}
	f, err := folder.Import(tb.Context(), modelstest.StandIn(tb, kind), name, rag.NoProgress{})
	if err != nil {
		tb.Fatal(err)
	}
	v, err := f.Variant(p)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := embed.Open(ort.New(library), embed.Spec{
		Graph:     ort.Graph{Path: v.Path, Inputs: v.Inputs, Output: v.Output, Half: v.Half},
		Tokenizer: f.Tokenizer, Lowercase: f.Lowercase, ModelSHA256: f.VariantSHA256(v), TokenizerSHA256: f.SHA256(f.Tokenizer),
		Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
		QueryPrefix: f.QueryPrefix, DocumentPrefix: f.DocumentPrefix,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := m.Close(); err != nil {
			tb.Error(err)
		}
	})
	return m
}

// TestInstalledModelsEqualPython compares with what
// build/standin/reference_models.py wrote.
func TestInstalledModelsEqualPython(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Text               string
		Documents, Queries map[string][]float64
	}
	if err := json.Unmarshal(reference(t, "standin.texts.json"), &cases); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kind      standin.Kind
		precision models.Precision
	}{
		"e5-embedder/model":       {standin.E5Embedder, models.FP32},
		"e5-embedder/model_qint8": {standin.E5Embedder, models.INT8},
		"m3-embedder/model":       {standin.M3Embedder, models.FP32},
		"bert-embedder/model":     {standin.BERTEmbedder, models.FP32},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := installed(t, c.kind, c.precision)
			var texts []string
			for _, k := range cases {
				texts = append(texts, k.Text)
			}
			documents, err := m.Documents(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, k := range cases {
				query, err := m.Query(t.Context(), k.Text)
				if err != nil {
					t.Fatal(err)
				}
				for role, both := range map[string][2][]float64{
					"document": {float64s(documents[i]), k.Documents[name]}, "query": {float64s(query), k.Queries[name]},
				} {
					if d := distance(both[0], both[1]); d > 1e-5 {
						t.Errorf("%.20q as a %s: %g from Python's vector", k.Text, role, d)
					}
				}
				// Only a model with prompts tells queries from documents.
				if same := slices.Equal(query, documents[i]); same != (c.kind != standin.E5Embedder) {
					t.Errorf("%.20q: query and document alike: %t", k.Text, same)
				}
			}
		})
	}
}

func float64s(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// distance is the largest difference; infinite for other lengths.
func distance(a, b []float64) (most float64) {
	if len(a) != len(b) || len(a) == 0 {
		return math.Inf(1)
	}
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

func TestChunksLeaveRoomForThePrefix(t *testing.T) {
	t.Parallel()
	m := installed(t, standin.E5Embedder, models.FP32)
	tokenizer, err := m.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.MaxTokens(), 64-2-len(tokenizer.Tokens("passage: ")); got != want || want >= 62 {
		t.Errorf("room for %d tokens, want %d", got, want)
	}
}
