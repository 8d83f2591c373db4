package rag_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// pieces are what has broken conversions of offsets: characters of one to four
// bytes, a joined emoji, a combining mark, CRLF and bytes that are no UTF-8.
func pieces() []string {
	return []string{"a", "é", "e\u0301", "中", "𠮷", "👩‍👩‍👧", "🇨🇳", "\r\n", "\x00", "\ufeff", "\xff", "\xe4\xb8"}
}

// text returns seeded random text of n pieces and the byte offsets between its
// code points, the end included.
func text(rng *rand.Rand, n int) (s string, bounds []int) {
	var b strings.Builder
	all := pieces()
	for range n {
		b.WriteString(all[rng.IntN(len(all))])
	}
	s = b.String()
	for i := range s {
		bounds = append(bounds, i)
	}
	return s, append(bounds, len(s))
}

func TestPointsAndBytesOfAreInverse(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s, bounds := text(rng, rng.IntN(30))
		var spans, want []rag.Span
		for range 8 {
			i := rng.IntN(len(bounds))
			j := i + rng.IntN(len(bounds)-i)
			spans = append(spans, rag.Span{Start: bounds[i], End: bounds[j]})
			want = append(want, rag.Span{Start: i, End: j})
		}
		got := rag.Points(s, spans)
		if !slices.Equal(got, want) {
			t.Fatalf("Points(%q, %v) = %v, want %v", s, spans, got, want)
		}
		for i, p := range got {
			if back, ok := rag.BytesOf(s, p); !ok || back != spans[i] {
				t.Fatalf("BytesOf(%q, %v) = %v, %t, want %v", s, p, back, ok, spans[i])
			}
			part, err := spans[i].Of(s)
			if err != nil || utf8.RuneCountInString(part) != p.Len() {
				t.Fatalf("%v of %q is %q (%v), want %d code points", spans[i], s, part, err, p.Len())
			}
		}
	}
}

func TestBytesOfRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, p := range []rag.Span{{-1, 0}, {0, 3}, {3, 3}, {2, 1}, {0, 1 << 40}} {
		if got, ok := rag.BytesOf("a𠮷", p); ok {
			t.Errorf("BytesOf(2 code points, %v) = %v, want a refusal", p, got)
		}
	}
	for p, want := range map[rag.Span]rag.Span{{0, 0}: {0, 0}, {2, 2}: {5, 5}, {1, 2}: {1, 5}, {0, 2}: {0, 5}} {
		if got, ok := rag.BytesOf("a𠮷", p); !ok || got != want {
			t.Errorf("BytesOf(%v) = %v, %t, want %v", p, got, ok, want)
		}
	}
}

func TestSpanOfRefusesWhatLiesOutside(t *testing.T) {
	t.Parallel()
	for _, s := range []rag.Span{{-1, 1}, {2, 1}, {0, 4}} {
		if got, err := s.Of("abc"); err == nil {
			t.Errorf("%v of abc = %q, want an error", s, got)
		}
	}
}

func TestSpanRelations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b              rag.Span
		contains, overlap bool
	}{
		{rag.Span{Start: 0, End: 5}, rag.Span{Start: 1, End: 5}, true, true},
		{rag.Span{Start: 0, End: 5}, rag.Span{Start: 4, End: 6}, false, true},
		{rag.Span{Start: 0, End: 5}, rag.Span{Start: 5, End: 6}, false, false},
		{rag.Span{Start: 3, End: 4}, rag.Span{Start: 0, End: 9}, false, true},
	} {
		if got := c.a.Contains(c.b); got != c.contains {
			t.Errorf("%v contains %v: %t", c.a, c.b, got)
		}
		if got := c.a.Overlaps(c.b); got != c.overlap || c.b.Overlaps(c.a) != got {
			t.Errorf("%v overlaps %v: %t", c.a, c.b, got)
		}
	}
}
