package rerank

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/tokenize"
)

// tiny is a tokenizer of the words a to f and of [UNK].
const tiny = `{"added_tokens":[],"normalizer":{"type":"BertNormalizer","clean_text":true,
"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3,"b":4,"c":5,"d":6,"e":7,"f":8}}}`

// fake stands for a session: a row's logit is the sum of its unmasked ids.
type fake struct {
	running, most, calls, closed atomic.Int32
	before                       func()
	fail                         error
	shape                        []int64
	logit                        func(sum int64) float32
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
	out := ort.Tensor{Shape: []int64{int64(b.Rows), 1}}
	if f.shape != nil {
		out.Shape = f.shape
	}
	columns := len(b.IDs) / b.Rows
	for r := range b.Rows {
		var sum int64
		for i := r * columns; i < (r+1)*columns; i++ {
			sum += b.IDs[i] * b.Mask[i]
		}
		v := float32(sum)
		if f.logit != nil {
			v = f.logit(sum)
		}
		out.Data = append(out.Data, v)
	}
	return out, nil
}

func (f *fake) Close() error {
	f.closed.Add(1)
	return nil
}

func fakeCross(t *testing.T, f *fake, change func(*CrossSpec)) *CrossEncoder {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, []byte(tiny), 0o644); err != nil {
		t.Fatal(err)
	}
	spec := CrossSpec{Name: "fake", Tokenizer: path, Limit: 12, Pad: 9, Workers: 2}
	if change != nil {
		change(&spec)
	}
	c, err := openCross(spec, func() (session, error) { return f, nil })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func passages(texts ...string) []rag.Passage {
	out := make([]rag.Passage, len(texts))
	for i, s := range texts {
		out[i] = rag.Passage{Text: s}
	}
	return out
}

func TestOrderOfScoresIsThatOfLogits(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		logits := make([]float64, 30)
		for i := range logits {
			switch rng.IntN(4) {
			case 0:
				logits[i] = rng.NormFloat64() * 5
			case 1:
				logits[i] = 36 + float64(rng.IntN(8)) // where the sigmoid is 1
			case 2:
				logits[i] = -760 + float64(rng.IntN(8)) // where it is 0
			default:
				logits[i] = float64(rng.IntN(3)) // ties
			}
		}
		s := scores(logits)
		for i := range s {
			if s[i] > 1 || math.IsNaN(s[i]) || math.Abs(s[i]-sigmoid(logits[i])) > 1e-14 {
				t.Fatalf("logit %g scores %g", logits[i], s[i])
			}
			for j := range s {
				if (logits[i] > logits[j]) != (s[i] > s[j]) {
					t.Fatalf("logits %g and %g, scores %g and %g", logits[i], logits[j], s[i], s[j])
				}
			}
		}
	}
	for x, want := range map[float64]float64{0: 0.5, 2: 0.8807970779778823, -2: 0.11920292202211755} {
		if got := sigmoid(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("sigmoid(%g) = %v, want %v", x, got, want)
		}
	}
}

func TestBatchesOfLikeLength(t *testing.T) {
	t.Parallel()
	var pairs []tokenize.Pair
	for _, n := range []int{10, 40, 12, 39, 30, 29, 10, 41} {
		pairs = append(pairs, tokenize.Pair{IDs: make([]int64, n)})
	}
	for size, want := range map[int][][]int{
		1: {{7}, {1}, {3}, {4}, {5}, {2}, {0}, {6}},
		3: {{7, 1, 3}, {4, 5}, {2, 0, 6}},
	} {
		if got := batches(pairs, size); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("of %d: %v, want %v", size, got, want)
		}
	}
}

func TestRerankInBatchesEqualsOneByOne(t *testing.T) {
	t.Parallel()
	texts := []string{"c", "c d e f", "d", "", "c d", "c d f", "a a a a a a a a a a a a"}
	var want []rag.Relevance
	for _, size := range []int{1, 2, 4, 100} {
		f := &fake{}
		got, err := fakeCross(t, f, func(s *CrossSpec) { s.Batch = size }).Rerank(t.Context(), "a b", passages(texts...))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
			// [CLS] a b [SEP] c [SEP] is 1+3+4+2+5+2; the last is cut to seven of 3.
			if got[0].Parts[0] != (rag.Part{Name: "logit", Value: 17}) || got[6].Parts[0].Value != 12+7*3 {
				t.Errorf("logits %v", got)
			}
		}
		for i := range want {
			if got[i].Score != want[i].Score || got[i].Parts[0] != want[i].Parts[0] {
				t.Errorf("batches of %d: passage %d scores %v, alone %v", size, i, got[i], want[i])
			}
		}
		if calls := int(f.calls.Load()); size == 1 && calls != len(texts) || size == 100 && calls >= len(texts) {
			t.Errorf("batches of %d: %d runs", size, calls)
		}
	}
}

func TestCrossEncoderRefusesAndFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		fake *fake
		is   func(error) bool
	}{
		"run fails":    {&fake{fail: broken}, func(err error) bool { return errors.Is(err, broken) }},
		"odd shape":    {&fake{shape: []int64{1, 2}}, func(err error) bool { return strings.Contains(err.Error(), "shape [1 2]") }},
		"no number":    {&fake{logit: func(int64) float32 { return float32(math.NaN()) }}, func(err error) bool { return fault.Is(err, "score_invalid") }},
		"out of range": {&fake{logit: func(int64) float32 { return float32(math.Inf(1)) }}, func(err error) bool { return fault.Is(err, "score_invalid") }},
	} {
		out, err := fakeCross(t, c.fake, nil).Rerank(t.Context(), "a", passages("b", "c"))
		if err == nil || out != nil || !c.is(err) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
	_, err := fakeCross(t, &fake{}, func(s *CrossSpec) { s.Tokenizer += "x" }).Rerank(t.Context(), "a", passages("b"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no tokenizer: %v", err)
	}
	for _, s := range []CrossSpec{{Name: "x", Limit: 7}, {Limit: 100}} {
		if _, err := OpenCrossEncoder(ort.New(""), s); err == nil {
			t.Errorf("spec %+v opens", s)
		}
	}
}

func TestCrossEncoderCancelled(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := fakeCross(t, f, nil)
	ctx, cancel := context.WithCancel(t.Context())
	f.before = func() {
		if f.calls.Load() == 3 {
			cancel()
		}
	}
	out, err := c.Rerank(ctx, "a", passages(make([]string, 100)...))
	if !errors.Is(err, context.Canceled) || out != nil || f.calls.Load() > 10 {
		t.Errorf("%v, %v after %d runs", out, err, f.calls.Load())
	}
	if out, err := c.Rerank(ctx, "a", nil); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("nothing to rerank, cancelled: %v, %v", out, err)
	}
	if out, err := c.Rerank(t.Context(), "a", nil); err != nil || len(out) != 0 {
		t.Errorf("nothing to rerank: %v, %v", out, err)
	}
}

func TestCrossEncoderWorkersBoundAllCalls(t *testing.T) {
	t.Parallel()
	f := &fake{}
	meet := make(chan struct{})
	f.before = func() { // two runs must meet to go on: fewer workers would hang
		select {
		case meet <- struct{}{}:
		case <-meet:
		}
	}
	c := fakeCross(t, f, nil)
	errs := make(chan error)
	for range 3 {
		go func() {
			_, err := c.Rerank(t.Context(), "a", passages("a", "b", "c", "d"))
			errs <- err
		}()
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if f.most.Load() != 2 || f.calls.Load() != 12 {
		t.Errorf("%d runs at once, %d in all", f.most.Load(), f.calls.Load())
	}
}

func TestCrossEncoderClose(t *testing.T) {
	t.Parallel()
	f := &fake{}
	unused, used := fakeCross(t, f, nil), fakeCross(t, f, nil)
	if _, err := used.Rerank(t.Context(), "a", passages("b")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*CrossEncoder{unused, used, used} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := f.closed.Load(); n != 1 {
		t.Errorf("%d sessions closed, want the one that was opened", n)
	}
	if _, err := unused.Rerank(t.Context(), "a", passages("b")); !errors.Is(err, ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

func TestCrossEncoderFingerprint(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, change := range map[string]func(*CrossSpec){
		"itself":    nil,
		"model":     func(s *CrossSpec) { s.ModelSHA256 = "1" },
		"tokenizer": func(s *CrossSpec) { s.TokenizerSHA256 = "1" },
		"limit":     func(s *CrossSpec) { s.Limit = 100 },
		"lowercase": func(s *CrossSpec) { s.Lowercase = true },
		"simplify":  func(s *CrossSpec) { s.Simplify = true },
		"batch":     func(s *CrossSpec) { s.Batch = 8 },
	} {
		print := fakeCross(t, &fake{}, change).Fingerprint()
		if other, ok := seen[print]; ok {
			t.Errorf("%s and %s share a fingerprint", name, other)
		}
		seen[print] = name
	}
	same := fakeCross(t, &fake{}, func(s *CrossSpec) { s.Workers, s.Name = 9, "other" })
	if seen[same.Fingerprint()] != "itself" || same.Name() != "other" {
		t.Error("workers or name change the fingerprint")
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	f := &fake{}
	s, err := fakeCross(t, f, func(s *CrossSpec) { s.Limit, s.Batch = 512, 3 }).Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Pairs != 12 || s.PerPair <= 0 || s.Tokens < 200 || s.Tokens > 512 || s.PerQuery(20) != 20*s.PerPair {
		t.Errorf("speed %+v", s)
	}
	if _, err := fakeCross(t, &fake{fail: errors.New("broken")}, nil).Measure(t.Context()); err == nil {
		t.Error("a broken model is measured")
	}
}
