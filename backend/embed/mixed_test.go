package embed_test

import (
	"math"
	"slices"
	"testing"

	"ragdesk/backend/embed"
	"ragdesk/backend/rag"
)

// mixed joins both bundled models.
func mixed(t *testing.T) (m *embed.Mixed, zh, en *embed.Model) {
	t.Helper()
	zh, en = model(t, "bge-small-zh-v1.5"), model(t, "all-MiniLM-L6-v2")
	m, err := embed.NewMixed(embed.Member{Language: "zh", Model: zh}, embed.Member{Language: "en", Model: en})
	if err != nil {
		t.Fatal(err)
	}
	return m, zh, en
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestMixedKeepsTheCosinesOfItsModels(t *testing.T) {
	t.Parallel()
	m, zh, en := mixed(t)
	texts := []string{"员工每年享有十天年假。", "Staff have ten days of leave a year.", "12345", "年假 leave 年假制度说明"}
	spaces := []int{0, 1, 0, 0}
	vectors, err := m.Documents(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range texts {
		if m.Space(s) != spaces[i] {
			t.Errorf("%q is in space %d, want %d", s, m.Space(s), spaces[i])
		}
		if len(vectors[i]) != m.Dim() || math.Abs(dot(vectors[i], vectors[i])-1) > 1e-5 {
			t.Errorf("%q: %d values, length² %g", s, len(vectors[i]), dot(vectors[i], vectors[i]))
		}
	}
	for _, c := range []struct {
		query       string
		shareZ, one float64
	}{{"年假有几天？", 1, 1}, {"How many days of leave?", 0, 1}, {"iPhone 的年假制度怎么规定？", 1, 1}} {
		q, err := m.Query(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		own := zh
		if c.shareZ == 0 {
			own = en
		}
		ownQuery, err := own.Query(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		ownVectors, err := own.Documents(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i := range texts {
			want := 0.0
			if (spaces[i] == 0) == (c.shareZ == 1) {
				want = dot(ownQuery, ownVectors[i])
			}
			if got := dot(q, vectors[i]); math.Abs(got-want) > 1e-6 {
				t.Errorf("%q with %q: cosine %g, want %g", c.query, texts[i], got, want)
			}
		}
	}
}

func TestAQueryInTwoLanguagesAsksBothSpaces(t *testing.T) {
	t.Parallel()
	m, _, _ := mixed(t)
	q, err := m.Query(t.Context(), "年假规定 annual leave policy")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(dot(q, q)-1) > 1e-5 {
		t.Errorf("length² %g", dot(q, q))
	}
	zero := func(v []float32) bool { return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }
	if zero(q[:512]) || zero(q[512:]) {
		t.Error("one of the spaces is not asked")
	}
}

func TestEncodeGivesTheTokensOfTheOwnModel(t *testing.T) {
	t.Parallel()
	m, zh, en := mixed(t)
	texts := []string{"年假", "leave", "制度"}
	got, err := m.Encode(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, own := range []*embed.Model{zh, en, zh} {
		want, err := own.TokenVectors(t.Context(), texts[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[i].Tokens.Data, want[0].Data) || got[i].Tokens.Dim != own.Dim() {
			t.Errorf("%q: token vectors differ from those of its model", texts[i])
		}
	}
}

func TestOneModelIsItself(t *testing.T) {
	t.Parallel()
	zh := model(t, "bge-small-zh-v1.5")
	m, err := embed.NewMixed(embed.Member{Language: "zh", Model: zh})
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Documents(t.Context(), []string{"leave", "年假"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := zh.Documents(t.Context(), []string{"leave", "年假"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Fingerprint() != zh.Fingerprint() || m.Dim() != zh.Dim() || !slices.Equal(a[0], b[0]) || !slices.Equal(a[1], b[1]) {
		t.Error("a mixed embedder of one model differs from it")
	}
	if _, err := embed.NewMixed(); err == nil {
		t.Error("no models, no error")
	}
	var _ rag.Embedder = m
}
