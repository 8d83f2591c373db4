package lexical_test

import (
	"context"
	"testing"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
)

func TestSearch(t *testing.T) {
	entries := []lexical.Entry{
		{ID: "bj", Text: "北京是中国的首都。"},
		{ID: "jj", Text: "北方的京剧很有名，京剧起源于北方。"},
		{ID: "cat", Text: "她喜欢猫咪。"},
		{ID: "yo", Text: "我们去𠮷野家吃饭。"},
		{ID: "abc", Text: "Running with ＡＢＣ"},
	}
	ix := open(t, build(t, entries), statsOf(entries))
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
