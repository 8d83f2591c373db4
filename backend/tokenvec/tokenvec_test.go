package tokenvec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/rag"
)

// model gives random unit rows that depend on the text alone, and counts the
// texts it was asked for.
type model struct{ asked int }

func (m *model) TokenVectors(_ context.Context, texts []string) ([]rag.TokenMatrix, error) {
	m.asked += len(texts)
	out := make([]rag.TokenMatrix, len(texts))
	for i, t := range texts {
		out[i] = matrix(t)
	}
	return out, nil
}

func matrix(t string) rag.TokenMatrix {
	const dim = 24
	m := rag.TokenMatrix{Rows: len(t), Dim: dim}
	for _, c := range []byte(t) {
		r := rand.New(rand.NewPCG(uint64(c), uint64(len(t))))
		row := make([]float32, dim)
		var sum float64
		for j := range row {
			row[j] = float32(r.NormFloat64())
			sum += float64(row[j]) * float64(row[j])
		}
		for j := range row {
			row[j] /= float32(math.Sqrt(sum))
		}
		m.Data = append(m.Data, row...)
	}
	return m
}

func TestCodesAreEqualFromModelMemoryAndFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens.bin")
	texts := []string{"first text", "", "另一段文字", "first text"}
	want := make([]rag.TokenCodes, len(texts))
	for i, s := range texts {
		want[i] = rag.Quantize(matrix(s))
	}

	m := &model{}
	cache := New(m, "fp", NewMemory(1<<20), OpenFile(path))
	for range 2 {
		got, err := cache.Codes(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("codes (-want +got):\n%s", d)
		}
	}
	if m.asked > len(texts) {
		t.Errorf("the model was asked for %d texts, so memory kept nothing", m.asked)
	}

	put(t, path, 1<<20, texts, want)
	m = &model{}
	fromFile := New(m, "fp", NewMemory(0), OpenFile(path))
	got, err := fromFile.Codes(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if d := cmp.Diff(want[i].Codes, got[i].Codes); len(want[i].Codes) > 0 && d != "" {
			t.Errorf("text %d from the file (-want +got):\n%s", i, d)
		}
	}
	if m.asked != 0 {
		t.Errorf("the model was asked for %d texts that the file has", m.asked)
	}
}

func put(t *testing.T, path string, budget int64, texts []string, codes []rag.TokenCodes) {
	t.Helper()
	a, err := OpenFile(path).Append(budget)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Put("fp", texts, codes); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

func many(n int) (texts []string, codes []rag.TokenCodes) {
	for i := range n {
		s := fmt.Sprintf("text number %d", i)
		texts, codes = append(texts, s), append(codes, rag.Quantize(matrix(s)))
	}
	return texts, codes
}

func TestDamageIsAMissAndTheNextWriterMendsIt(t *testing.T) {
	t.Parallel()
	texts, codes := many(40)
	whole := filepath.Join(t.TempDir(), "whole")
	put(t, whole, 1<<20, texts, codes)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		damaged := append([]byte(nil), data[:r.IntN(len(data)+1)]...)
		if n%2 == 0 && len(damaged) > 0 {
			damaged[r.IntN(len(damaged))] ^= byte(1 + r.IntN(255))
		}
		path := filepath.Join(t.TempDir(), fmt.Sprint("damaged", n))
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		check := func(when string) {
			m := &model{}
			got, err := New(m, "fp", NewMemory(0), OpenFile(path)).Codes(t.Context(), texts)
			if err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			if d := cmp.Diff(codes, got); d != "" {
				t.Fatalf("%s, damage %d: a wrong code came from the file:\n%s", when, n, d)
			}
		}
		check("damaged")
		put(t, path, 1<<20, texts, codes)
		check("after the next writer")
	}
}

func TestBudgetsHold(t *testing.T) {
	t.Parallel()
	texts, codes := many(100)
	path := filepath.Join(t.TempDir(), "tokens.bin")
	const budget = 5000
	put(t, path, budget, texts, codes)
	put(t, path, budget, texts, codes) // nothing is added twice
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > budget || info.Size() < budget/2 {
		t.Errorf("the file has %d bytes; its budget is %d", info.Size(), budget)
	}
	memory := NewMemory(budget)
	for i := range texts {
		memory.put(keyOf("fp", texts[i]), codes[i])
		if memory.used > budget {
			t.Fatalf("memory holds %d bytes; its budget is %d", memory.used, budget)
		}
	}
	if _, ok := memory.get(keyOf("fp", texts[99])); !ok {
		t.Error("the text put last is not in memory")
	}
	if _, ok := memory.get(keyOf("fp", texts[0])); ok {
		t.Error("the text put first outlived a budget it does not fit")
	}
}

func TestQuantizeKeepsCosines(t *testing.T) {
	t.Parallel()
	m := matrix("abcdefghijklmnopqrstuvwxyz")
	c := rag.Quantize(m)
	for i := range m.Rows {
		for j := range m.Rows {
			var want float64
			var sum int
			for k := range m.Dim {
				want += float64(m.Data[i*m.Dim+k]) * float64(m.Data[j*m.Dim+k])
				sum += int(c.Codes[i*m.Dim+k]) * int(c.Codes[j*m.Dim+k])
			}
			got := float64(sum) * float64(c.Inv[i]) * float64(c.Inv[j])
			if math.Abs(got-want) > 0.01 || got > 1+1e-6 {
				t.Errorf("cosine of rows %d and %d is %g after quantising, %g before", i, j, got, want)
			}
		}
	}
}
