package app

import (
	"path/filepath"
	"testing"

	"ragdesk/backend/api"
)

// TestTheMemoryLimitFollowsTheVectors loads a library's vectors, adds to it and
// removes it.
func TestTheMemoryLimitFollowsTheVectors(t *testing.T) {
	t.Parallel()
	needModel(t)
	var limit int64
	dir := t.TempDir()
	s, err := New(Config{Workspace: dir, Models: filepath.Join(dir, "models"), LimitMemory: func(bytes int64) { limit = bytes }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	holds := func(after string, chunks int) {
		t.Helper()
		const dim = 896 // of the default embedder
		if want := int64(workMemory + chunks*dim*4); limit != want {
			t.Errorf("after %s: a limit of %d bytes, want %d", after, limit, want)
		}
	}
	load(t, s, folder(t, tides()))
	holds("ingestion, which needs no vectors", 0)
	ask := func(strategy string) {
		t.Helper()
		if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假", Strategy: strategy}); err != nil {
			t.Fatal(err)
		}
	}
	count := func() int {
		t.Helper()
		kbs, err := s.ListKBs(t.Context(), api.ListKBsRequest{})
		if err != nil || len(kbs.KBs) != 1 {
			t.Fatal(kbs, err)
		}
		return kbs.KBs[0].Chunks
	}
	ask("bm25")
	holds("a search without vectors", 0)
	ask("hybrid")
	holds("a search", count())
	before := count()
	load(t, s, folder(t, map[string]string{"more.txt": "病假要医院的证明。"}))
	if count() <= before {
		t.Fatal("nothing was added")
	}
	holds("adding", count())
	if _, err := s.RemoveKB(t.Context(), api.RemoveKBRequest{KB: "kb"}); err != nil {
		t.Fatal(err)
	}
	holds("removing the library", 0)
}
