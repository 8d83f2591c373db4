package ingest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/chunk"
	"ragdesk/backend/ingest"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/rag"
)

// restore brings b to hold what from holds.
func (b *bench) restore(t *testing.T, from *bench) ingest.Report {
	t.Helper()
	p := &recorder{}
	report, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		aliases, err := from.Store.Aliases(t.Context(), from.lib)
		if err != nil {
			return ingest.Report{}, err
		}
		return ingest.RunStored(t.Context(), ports, b.lib, ingest.Stored{
			Documents: from.documents(t), Aliases: aliases,
			Document: func(ctx context.Context, id rag.DocumentID) (rag.Document, error) {
				return from.Store.Document(ctx, from.lib, id)
			},
			Chunks: func(_ context.Context, id rag.DocumentID) (out []rag.Chunk, err error) {
				for _, c := range from.chunks(t) {
					if c.DocID == id {
						out = append(out, c.Chunk)
					}
				}
				return out, nil
			},
		}, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestStoredDocumentsAreCutAnew(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"a.txt": strings.Repeat("潮水涨落，𠮷野家的灯还亮着。", 12), "b.md": "# 标题\n\n正文。", "c.txt": "bread", "d.txt": "butter", "empty.txt": "",
		"gbk.txt": "\xc4\xea\xbc\xd9\xca\xae\xcc\xec",
	})
	from := newBench(t, librarytest.Model(t))
	from.run(t, ingest.Options{Paths: []string{root}})
	to := newBench(t, librarytest.Model(t))
	smaller, _, err := chunk.New(chunk.Config{Kind: chunk.KindChars, Size: 20, Overlap: 0})
	if err != nil {
		t.Fatal(err)
	}
	to.chunker = smaller

	report := to.restore(t, from)
	if diff := cmp.Diff(from.held(t), to.held(t)); diff != "" {
		t.Errorf("the documents differ:\n%s", diff)
	}
	if len(to.chunks(t)) <= len(from.chunks(t)) || len(report.Outcomes) != 6 || report.Outcomes[0].Status != rag.StatusIndexed {
		t.Errorf("%d chunks of %d documents, before %d; %s", len(to.chunks(t)), len(report.Outcomes), len(from.chunks(t)), report.Outcomes[0].Status)
	}
	for name, status := range statuses(root, to.restore(t, from)) {
		if status != rag.StatusUnchanged {
			t.Errorf("%s is %s the second time", name, status)
		}
	}
	write(t, root+"/a.txt", "low tide")
	remove(t, root+"/c.txt")
	remove(t, root+"/d.txt")
	from.run(t, ingest.Options{Paths: []string{root}, Sync: true})
	from.run(t, ingest.Options{Paths: []string{root + "/gbk.txt"}, Encoding: "big5"})
	want(t, "after changes", statuses(root, to.restore(t, from)), map[string]string{
		"a.txt": "updated", "b.md": "unchanged", "c.txt": "removed", "d.txt": "removed", "empty.txt": "unchanged", "gbk.txt": "updated",
	})
	if diff := cmp.Diff(from.held(t), to.held(t)); diff != "" {
		t.Errorf("the documents differ:\n%s", diff)
	}
}

func TestStoredAliasesFollow(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a.txt": "bread", "b.txt": "bread", "c.txt": "bread"})
	from, to := newBench(t, librarytest.Model(t)), newBench(t, librarytest.Model(t))
	from.run(t, ingest.Options{Paths: []string{root}})
	want(t, "at first", statuses(root, to.restore(t, from)), map[string]string{"a.txt": "indexed", "b.txt": "alias", "c.txt": "alias"})
	if diff := cmp.Diff(from.held(t), to.held(t)); diff != "" {
		t.Errorf("the documents differ:\n%s", diff)
	}
	remove(t, root+"/c.txt")
	from.run(t, ingest.Options{Paths: []string{root}, Sync: true})
	want(t, "after a removal", statuses(root, to.restore(t, from)), map[string]string{"a.txt": "unchanged", "c.txt": "removed"})
	if diff := cmp.Diff(from.held(t), to.held(t)); diff != "" {
		t.Errorf("the documents differ:\n%s", diff)
	}
}

func TestStoredListsKeepTheirChunks(t *testing.T) {
	t.Parallel()
	from, to := newBench(t, librarytest.Model(t)), newBench(t, librarytest.Model(t))
	from.mustLoad(t, `{"chunk_id":"c1","text":"the tide turns","metadata":{"headings":["H"]}}
{"chunk_id":"c2","text":"bread","doc_id":"d","source":"docs/d.txt"}
{"chunk_id":"c3","text":"butter 🧈","doc_id":"d"}
`)
	to.restore(t, from)
	if diff := cmp.Diff(from.chunks(t), to.chunks(t)); diff != "" {
		t.Errorf("the chunks differ:\n%s", diff)
	}
}
