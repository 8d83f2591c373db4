package embed_test

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/embed"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/build/standin"
)

// The fixtures in testdata are what Python's onnxruntime makes of the same texts;
// build/fixtures/vectors.py writes them.

// least is the cosine with Python's vector below which a vector is wrong.
const least = 0.9999

func spec(f models.Files) embed.Spec {
	return embed.Spec{
		Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output},
		Tokenizer: f.TokenizerPath, Lowercase: f.Lowercase, ModelSHA256: f.ModelSHA256, TokenizerSHA256: f.TokenizerSHA256,
		Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
		QueryPrefix: f.QueryPrefix, DocumentPrefix: f.DocumentPrefix,
	}
}

func model(tb testing.TB, name string) *embed.Model {
	tb.Helper()
	m, err := embed.Open(ort.New(modelstest.Runtime(tb)), spec(modelstest.Embedder(tb, name)))
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

func cosine[A, B float32 | float64](a []A, b []B) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return dot / math.Sqrt(aa*bb)
}

// bfloat16s widens little-endian bfloat16 values.
func bfloat16s(raw []byte) []float32 {
	out := make([]float32, len(raw)/2)
	for i := range out {
		out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
	}
	return out
}

type testCase struct {
	Text   string    `json:"text"`
	IDs    []int64   `json:"ids"`
	Vector []float64 `json:"vector"`
	Tokens *string   `json:"tokens"`
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

func testCases(tb testing.TB, name string) []testCase {
	tb.Helper()
	var cases []testCase
	if err := json.Unmarshal(reference(tb, name+".texts.json"), &cases); err != nil {
		tb.Fatal(err)
	}
	return cases
}

func TestVectorsEqualPython(t *testing.T) {
	t.Parallel()
	for _, e := range models.Embedders() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			m := model(t, e.Name)
			cases := testCases(t, e.Name)
			var texts []string
			for _, c := range cases {
				texts = append(texts, c.Text)
			}
			vectors, err := m.Documents(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			tokens, err := m.TokenVectors(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range cases {
				if len(vectors[i]) != e.Dim || cosine(vectors[i], c.Vector) < least {
					t.Errorf("%.20q: cosine %v", c.Text, cosine(vectors[i], c.Vector))
				}
				if got := tokens[i].Rows; got != len(c.IDs)-2 {
					t.Errorf("%.20q: %d token vectors of %d ids", c.Text, got, len(c.IDs))
				}
				if c.Tokens != nil {
					sameTokens(t, c, tokens[i])
				}
			}
		})
	}
}

func sameTokens(t *testing.T, c testCase, got rag.TokenMatrix) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(*c.Tokens)
	if err != nil {
		t.Fatal(err)
	}
	want := bfloat16s(raw)
	if len(want) != len(got.Data) {
		t.Fatalf("%.20q: %d values, want %d", c.Text, len(got.Data), len(want))
	}
	for r := range got.Rows {
		a, b := got.Data[r*got.Dim:(r+1)*got.Dim], want[r*got.Dim:(r+1)*got.Dim]
		if cosine(a, b) < least || math.Abs(cosine(a, a)-1) > 1e-6 {
			t.Errorf("%.20q, token %d: cosine %v", c.Text, r, cosine(a, b))
		}
	}
}

func TestDataSetVectorsEqualPython(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		t.Skip("needs the evaluation sets: set EVAL_DATA to their folder")
	}
	for name, set := range map[string]string{models.DefaultEmbedder: "cmrc2018", "all-MiniLM-L6-v2": "xquad_zh_en"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := model(t, name)
			want := bfloat16s(reference(t, name+".vectors"))
			n := len(want) / m.Dim()
			got, err := m.Documents(t.Context(), pick(t, filepath.Join(dir, set), n))
			if err != nil {
				t.Fatal(err)
			}
			worst := 1.0
			for i, v := range got {
				c := cosine(v, want[i*m.Dim():(i+1)*m.Dim()])
				worst = min(worst, c)
				if c < least {
					t.Errorf("text %d: cosine %v", i, c)
				}
			}
			t.Logf("%d texts, least cosine %.7f", n, worst)
		})
	}
}

// pick returns every step-th of a set's documents and questions, n in all.
func pick(tb testing.TB, dir string, n int) []string {
	tb.Helper()
	var texts []string
	for _, file := range []string{"corpus.jsonl", "queries.jsonl"} {
		f, err := os.Open(filepath.Join(dir, file))
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var row struct{ Text, Question string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				tb.Fatalf("%s: %v", file, err)
			}
			texts = append(texts, row.Text+row.Question)
		}
		if err := lines.Err(); err != nil {
			tb.Fatal(err)
		}
	}
	step := len(texts) / n
	var picked []string
	for i := 0; i < len(texts) && len(picked) < n; i += step {
		picked = append(picked, texts[i])
	}
	return picked
}

func TestVectorsDoNotDependOnNeighbours(t *testing.T) {
	t.Parallel()
	for _, e := range models.Embedders() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			m := model(t, e.Name)
			var texts []string
			for _, c := range testCases(t, e.Name) {
				texts = append(texts, c.Text)
			}
			together, err := m.Encode(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(texts)
			backwards, err := m.Documents(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(backwards)
			slices.Reverse(texts)
			for i, text := range texts {
				alone, err := m.Query(t.Context(), text) // no prefixes in the catalogue
				if err != nil {
					t.Fatal(err)
				}
				tokens, err := m.TokenVectors(t.Context(), texts[i:i+1])
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(alone, together[i].Vector) || !slices.Equal(alone, backwards[i]) ||
					!slices.Equal(tokens[0].Data, together[i].Tokens.Data) {
					t.Errorf("%.20q: the vector depends on its neighbours", text)
				}
			}
		})
	}
}

func TestLongTextsAreCutAtTheLimit(t *testing.T) {
	t.Parallel()
	m := model(t, models.DefaultEmbedder)
	tokenizer, err := m.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("检索增强生成 with ragdesk。", 300)
	end := tokenizer.Tokens(long)[m.MaxTokens()-1].Span.End
	got, err := m.Documents(t.Context(), []string{long, long[:end], long[:end] + "另"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[0], got[1]) || !slices.Equal(got[0], got[2]) {
		t.Error("what lies behind the limit changes the vector")
	}
}

func BenchmarkDocuments(b *testing.B) {
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		b.Skip("needs the evaluation sets: set EVAL_DATA to their folder")
	}
	m := model(b, models.DefaultEmbedder)
	tokenizer, err := m.Tokenizer()
	if err != nil {
		b.Fatal(err)
	}
	texts := pick(b, filepath.Join(dir, "cmrc2018"), 60)
	tokens := 0
	for _, t := range texts {
		tokens += min(len(tokenizer.Tokens(t)), m.MaxTokens()) + 2
	}
	runs := 0
	for b.Loop() {
		if _, err := m.Documents(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
		runs++
	}
	b.ReportMetric(float64(tokens*runs)/b.Elapsed().Seconds(), "tokens/s")
}
