package ingest_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ragdesk/backend/chunk"
	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/parse"
	"ragdesk/backend/rag"
)

func (b *bench) embed(t *testing.T, docs ...ingest.Embedded) ingest.Report {
	t.Helper()
	p := &recorder{}
	report, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		return ingest.RunEmbedded(t.Context(), ports, b.lib, docs, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestEmbeddedDocumentsAreBroughtUpToDate(t *testing.T) {
	t.Parallel()
	b := newBench(t, librarytest.Model(t))
	root := files(t, map[string]string{"own.txt": "the reader's own"})
	b.run(t, ingest.Options{Paths: []string{root}})
	doc := func(source, text string) ingest.Embedded { return ingest.Embedded{Source: source, Bytes: []byte(text)} }

	report := b.embed(t, doc("a.txt", "the tide turns"), doc("b.md", "# Bread"))
	want(t, "first", statuses("", report), map[string]string{"a.txt": "indexed", "b.md": "indexed"})
	report = b.embed(t, doc("a.txt", "the tide turns"), doc("b.md", "# Bread"))
	want(t, "again", statuses("", report), map[string]string{"a.txt": "unchanged", "b.md": "unchanged"})
	report = b.embed(t, doc("a.txt", "the tide rests"), doc("c.txt", "butter"))
	want(t, "a new version", statuses("", report), map[string]string{"a.txt": "updated", "b.md": "removed", "c.txt": "indexed"})
	want(t, "the library", b.held(t), map[string]string{
		root + "/own.txt": "the reader's own", "a.txt": "the tide rests", "c.txt": "butter",
	})
}

func TestPreviewCutsAsIngestionDoes(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a.txt": strings.Repeat("潮水涨落，𠮷野家的灯还亮着。", 12)})
	b := newBench(t, librarytest.Model(t))
	b.run(t, ingest.Options{Paths: []string{root}})
	doc, chunks, err := ingest.Preview(t.Context(), parse.New(parse.Options{}), b.chunker, filepath.Join(root, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var stored []rag.Chunk
	for _, c := range b.chunks(t) {
		stored = append(stored, c.Chunk)
	}
	if diff := cmp.Diff(stored, chunks, cmpopts.EquateEmpty()); diff != "" || doc.Text != b.held(t)[root+"/a.txt"] {
		t.Errorf("a preview differs from what was stored:\n%s", diff)
	}
	_, _, err = ingest.Preview(t.Context(), parse.New(parse.Options{}), b.chunker, filepath.Join(root, "none.txt"))
	if !fault.Is(err, "not_found") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestChunksLongerThanTheModelReadsAreToldOf(t *testing.T) {
	t.Parallel()
	model := librarytest.Model(t)
	tokenizer, err := model.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, model)
	if b.chunker, _, err = chunk.New(chunk.Config{Kind: chunk.KindChars, Size: 40, Overlap: 0, Tokenizer: tokenizer}); err != nil {
		t.Fatal(err)
	}
	root := files(t, map[string]string{"a.txt": strings.Repeat("潮", 40) + strings.Repeat("a", 40)})
	p := &recorder{}
	report, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		ports.EmbedLimit = func(rag.Chunk) int { return 30 } // 40 tokens and 1
		ports.Notices = func(string) []rag.Notice { return []rag.Notice{{Code: "chunk_size_capped", Detail: "99 → 40"}} }
		return ingest.Run(t.Context(), ports, b.lib, ingest.Options{Paths: []string{root}}, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	wanted := []rag.Notice{{Code: "chunk_size_capped", Detail: "99 → 40"}, {Code: "embedding_truncated", Detail: "1/2 > 30"}}
	if diff := cmp.Diff(wanted, report.Outcomes[0].Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	again := b.run(t, ingest.Options{Paths: []string{root}})
	if diff := cmp.Diff(wanted, again.Outcomes[0].Warnings); diff != "" {
		t.Errorf("warnings of the unchanged document (-want +got):\n%s", diff)
	}
}

// crashing is a parser that panics on a file.
type crashing struct{ *parse.Parser }

func (c crashing) Parse(ctx context.Context, in rag.Input) (rag.Document, error) {
	if strings.Contains(in.Source, "evil") {
		panic("index out of range")
	}
	return c.Parser.Parse(ctx, in)
}

func TestACrashingReaderFailsItsFileAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, librarytest.Model(t))
	root := files(t, map[string]string{"a.txt": "the tide turns", "evil.txt": "boom", "z.txt": "bread"})
	p := &recorder{}
	report, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		ports.Parser = crashing{parse.New(parse.Options{})}
		return ingest.Run(t.Context(), ports, b.lib, ingest.Options{Paths: []string{root}}, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "statuses", statuses(root, report), map[string]string{"a.txt": "indexed", "evil.txt": "failed parser_crashed", "z.txt": "indexed"})
}
