package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/ort"
)

// tiny is a tokenizer of the words a to f and of [UNK].
const tiny = `{"added_tokens":[],"normalizer":{"type":"BertNormalizer","clean_text":true,
"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3,"b":4,"c":5,"d":6,"e":7,"f":8}}}`

// fake stands for a session: it answers each token with the vector make gives.
type fake struct {
	dim    int
	vector func(id int64) []float32
	// running and most count calls at the same time.
	running, most atomic.Int32
	calls         atomic.Int32
	before        func()
	fail          error
	shape         []int64
	closed        atomic.Int32
}

func (f *fake) Run(ctx context.Context, b ort.Batch) (ort.Tensor, error) {
	f.calls.Add(1)
	now := f.running.Add(1)
	defer f.running.Add(-1)
	for {
		most := f.most.Load()
		if now <= most || f.most.CompareAndSwap(most, now) {
			break
		}
	}
	if f.before != nil {
		f.before()
	}
	if f.fail != nil {
		return ort.Tensor{}, f.fail
	}
	if err := ctx.Err(); err != nil {
		return ort.Tensor{}, err
	}
	out := ort.Tensor{Shape: []int64{1, int64(len(b.IDs)), int64(f.dim)}}
	if f.shape != nil {
		out.Shape = f.shape
	}
	for _, id := range b.IDs {
		out.Data = append(out.Data, f.vector(id)...)
	}
	return out, nil
}

func (f *fake) Close() error {
	f.closed.Add(1)
	return nil
}

// axes gives each token its own direction.
func axes(id int64) []float32 {
	return []float32{float32(id), 1, float32(id * id)}
}

func fakeModel(t *testing.T, f *fake, change func(*Spec)) *Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, []byte(tiny), 0o644); err != nil {
		t.Fatal(err)
	}
	if f.vector == nil {
		f.vector = axes
	}
	if f.dim == 0 {
		f.dim = 3
	}
	spec := Spec{Tokenizer: path, Dim: 3, Pooling: Mean, Limit: 6, Workers: 2}
	if change != nil {
		change(&spec)
	}
	m, err := open(spec, func() (session, error) { return f, nil })
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBadVectorsAreRefused(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		value  []float32
		dim    int
		reason string
	}{
		"NaN":             {[]float32{1, nan, 1}, 3, "NaN"},
		"infinite":        {[]float32{1, inf, 1}, 3, "infinite"},
		"zero":            {[]float32{0, 0, 0}, 3, "zero length"},
		"too small":       {[]float32{1e-40, 0, 0}, 3, "zero length"},
		"wrong dimension": {[]float32{1, 1}, 2, "dimension 2, not 3"},
	} {
		for _, pooling := range []Pooling{CLS, Mean} {
			t.Run(name+" "+string(pooling), func(t *testing.T) {
				t.Parallel()
				f := &fake{dim: c.dim}
				bad := false
				f.vector = func(id int64) []float32 {
					if c.dim != 3 || bad {
						return c.value
					}
					return axes(id)
				}
				m := fakeModel(t, f, func(s *Spec) { s.Pooling, s.Workers = pooling, 1 })
				// The longest text runs first: the bad one is the third, of two tokens.
				texts := []string{"a b c d", "a b c", "e f", "a"}
				f.before = func() { bad = f.calls.Load() == 3 }
				index := "2"
				if c.dim != 3 {
					index = "0"
				}
				_, err := m.Documents(t.Context(), texts)
				if !fault.Is(err, "vector_invalid") {
					t.Fatalf("error %v", err)
				}
				if p := fault.Of(err).Params; p["index"] != index || p["reason"] != c.reason {
					t.Errorf("params %v, want index %s and reason %q", p, index, c.reason)
				}
				f.calls.Store(0)
				if out, err := m.TokenVectors(t.Context(), texts); !fault.Is(err, "vector_invalid") || out != nil {
					t.Errorf("token vectors: %v, %v", out, err)
				}
				f.calls.Store(2)
				if out, err := m.Query(t.Context(), "a"); !fault.Is(err, "vector_invalid") || out != nil {
					t.Errorf("query: %v, %v", out, err)
				}
			})
		}
	}
}

func TestPoolingAndTokens(t *testing.T) {
	t.Parallel()
	// [CLS] a b [SEP] has the ids 1 3 4 2.
	mean := []float64{(1 + 3 + 4 + 2) / 4.0, 1, (1 + 9 + 16 + 4) / 4.0}
	for pooling, want := range map[Pooling][]float64{CLS: {1, 1, 1}, Mean: mean} {
		m := fakeModel(t, &fake{}, func(s *Spec) { s.Pooling = pooling })
		got, err := m.Encode(t.Context(), []string{"a b"})
		if err != nil {
			t.Fatal(err)
		}
		near(t, string(pooling), got[0].Vector, unit(want...))
		if tok := got[0].Tokens; tok.Rows != 2 || tok.Dim != 3 {
			t.Errorf("%d token vectors of dimension %d", tok.Rows, tok.Dim)
		}
		near(t, "tokens", got[0].Tokens.Data, append(unit(3, 1, 9), unit(4, 1, 16)...))
	}
}

func unit(v ...float64) []float64 {
	var s float64
	for _, x := range v {
		s += x * x
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x / math.Sqrt(s)
	}
	return out
}

func near(t *testing.T, name string, got []float32, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i := range want {
		if math.Abs(float64(got[i])-want[i]) > 1e-6 {
			t.Errorf("%s: value %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func TestOrderLimitAndPrefixes(t *testing.T) {
	t.Parallel()
	m := fakeModel(t, &fake{}, func(s *Spec) { s.DocumentPrefix, s.QueryPrefix = "a ", "b " })
	texts := []string{"c", "c d e f a b", "d", "", "c d"}
	got, err := m.Documents(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	plain := fakeModel(t, &fake{}, nil)
	for i, text := range []string{"a c", "a c d e", "a d", "a", "a c d"} { // the limit leaves four
		want, err := plain.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		near(t, text, got[i], float64s(want))
	}
	query, err := m.Query(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	want, err := plain.Query(t.Context(), "b c")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "query", query, float64s(want))
	tokens, err := m.TokenVectors(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, rows := range []int{1, 4, 1, 0, 2} {
		if tokens[i].Rows != rows {
			t.Errorf("%q has %d token vectors, want %d", texts[i], tokens[i].Rows, rows)
		}
	}
	if m.MaxTokens() != 3 || plain.MaxTokens() != 4 {
		t.Errorf("room for %d tokens with a prefix of one, want 3; for %d without, want 4", m.MaxTokens(), plain.MaxTokens())
	}
}

func float64s(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

func TestWorkersBoundAllCallsTogether(t *testing.T) {
	t.Parallel()
	f := &fake{}
	meet := make(chan struct{})
	f.before = func() { // two runs must meet to go on: fewer workers would hang
		select {
		case meet <- struct{}{}:
		case <-meet:
		}
	}
	m := fakeModel(t, f, nil)
	errs := make(chan error)
	texts := strings.Split("abcdefab", "")
	for range 3 {
		go func() {
			_, err := m.Documents(t.Context(), texts)
			errs <- err
		}()
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if most := f.most.Load(); most != 2 {
		t.Errorf("%d runs at once, want 2", most)
	}
	if calls := f.calls.Load(); calls != 24 {
		t.Errorf("%d runs of 24 texts", calls)
	}
}

func TestCancelledEmbedding(t *testing.T) {
	t.Parallel()
	f := &fake{}
	m := fakeModel(t, f, nil)
	ctx, cancel := context.WithCancel(t.Context())
	f.before = func() {
		if f.calls.Load() == 3 {
			cancel()
		}
	}
	texts := make([]string, 100)
	out, err := m.Documents(ctx, texts)
	if !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("%d vectors, error %v", len(out), err)
	}
	if calls := f.calls.Load(); calls > 10 {
		t.Errorf("%d runs after the cancellation", calls)
	}
	if out, err := m.Documents(ctx, nil); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("nothing to embed, cancelled: %v, %v", out, err)
	}
	if out, err := m.Documents(t.Context(), nil); err != nil || len(out) != 0 {
		t.Errorf("nothing to embed: %v, %v", out, err)
	}
}

func TestFailuresOfTheSession(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	m := fakeModel(t, &fake{fail: broken}, nil)
	if _, err := m.Documents(t.Context(), []string{"a", "b"}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	m = fakeModel(t, &fake{shape: []int64{1, 3}}, nil)
	if _, err := m.Query(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "shape [1 3]") {
		t.Errorf("odd shape: %v", err)
	}
	m = fakeModel(t, &fake{}, func(s *Spec) { s.Tokenizer += "x" })
	if _, err := m.Query(t.Context(), "a"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no tokenizer: %v", err)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	f := &fake{}
	unused, used := fakeModel(t, f, nil), fakeModel(t, f, nil)
	if _, err := used.Query(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Model{unused, used, used} {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := f.closed.Load(); n != 1 {
		t.Errorf("%d sessions closed, want the one that was opened", n)
	}
	if _, err := unused.Query(t.Context(), "a"); !errors.Is(err, ErrClosed) {
		t.Errorf("query after close: %v", err)
	}
}

func TestSpecsThatCannotRun(t *testing.T) {
	t.Parallel()
	good := Spec{Dim: 3, Pooling: CLS, Limit: 8}
	for i, change := range []func(*Spec){
		func(s *Spec) { s.Dim = 0 },
		func(s *Spec) { s.Limit = 2 },
		func(s *Spec) { s.Pooling = "max" },
	} {
		s := good
		change(&s)
		if _, err := Open(ort.New(""), s); err == nil {
			t.Errorf("spec %d opens", i)
		}
	}
}

func TestFingerprintCoversWhatDecides(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, change := range map[string]func(*Spec){
		"itself":    nil,
		"model":     func(s *Spec) { s.ModelSHA256 = "1" },
		"tokenizer": func(s *Spec) { s.TokenizerSHA256 = "1" },
		"pooling":   func(s *Spec) { s.Pooling = CLS },
		"query":     func(s *Spec) { s.QueryPrefix = "q" },
		"document":  func(s *Spec) { s.DocumentPrefix = "q" },
		"limit":     func(s *Spec) { s.Limit = 7 },
		"lowercase": func(s *Spec) { s.Lowercase = true },
		"simplify":  func(s *Spec) { s.Simplify = true },
	} {
		print := fakeModel(t, &fake{}, change).Fingerprint()
		if other, ok := seen[print]; ok {
			t.Errorf("%s and %s share a fingerprint", name, other)
		}
		seen[print] = name
	}
	same := fakeModel(t, &fake{}, func(s *Spec) { s.Workers = 9 })
	if seen[same.Fingerprint()] != "itself" {
		t.Error("the number of workers changes the fingerprint")
	}
	if _, err := fmt.Sscanf(same.Fingerprint(), "%x", new([]byte)); err != nil || len(same.Fingerprint()) != 16 {
		t.Errorf("fingerprint %q", same.Fingerprint())
	}
}
