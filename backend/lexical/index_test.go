package lexical_test

import (
	"context"
	"path/filepath"
	"testing"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
)

func open(t *testing.T, entries ...lexical.Entry) *lexical.Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "g1")
	if err := lexical.Build(context.Background(), "", dir, nil, entries); err != nil {
		t.Fatal(err)
	}
	st := lexical.Stats{Chunks: len(entries)}
	for _, e := range entries {
		st.Terms = st.Terms.Plus(lexical.Count(e.Text))
	}
	ix, err := lexical.Open(dir, st)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

func TestSearch(t *testing.T) {
	ix := open(t,
		lexical.Entry{ID: "bj", Text: "北京是中国的首都。"},
		lexical.Entry{ID: "jj", Text: "北方的京剧很有名，京剧起源于北方。"},
		lexical.Entry{ID: "cat", Text: "她喜欢猫咪。"},
		lexical.Entry{ID: "yo", Text: "我们去𠮷野家吃饭。"},
		lexical.Entry{ID: "abc", Text: "Running with ＡＢＣ"},
	)
	for q, want := range map[string]rag.ChunkID{"北京": "bj", "猫": "cat", "𠮷野家": "yo", "𠮷": "yo", "abc": "abc", "runs": "abc"} {
		hits, err := ix.Search(context.Background(), q, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].ID != want {
			t.Errorf("Search(%q) = %v, want %s first", q, hits, want)
		}
	}
}
