package dataset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/chunk"
	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

var update = flag.Bool("update", false, "write the golden files")

// golden holds got against testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// shelf is a library in memory.
type shelf struct {
	rows    []rag.DocumentRow
	texts   map[rag.DocumentID]string
	chunks  []rag.ChunkRow
	aliases []rag.Alias
	// reads counts the texts that were read.
	reads int
}

func (s *shelf) Documents(context.Context) ([]rag.DocumentRow, error) { return s.rows, nil }
func (s *shelf) Aliases(context.Context) ([]rag.Alias, error)         { return s.aliases, nil }

func (s *shelf) Text(_ context.Context, id rag.DocumentID) (string, error) {
	s.reads++
	text, ok := s.texts[id]
	if !ok {
		return "", fault.New("document_unknown", fault.P("ref", id))
	}
	return text, nil
}

func (s *shelf) EachChunk(_ context.Context, visit func(rag.ChunkRow) error) error {
	for _, c := range s.chunks {
		if err := visit(c); err != nil {
			return err
		}
	}
	return nil
}

// newShelf holds documents given as source and text in turn, cut by the real
// chunker of code points. Their IDs are "id:" and the source.
func newShelf(tb testing.TB, size, overlap int, sourceText ...string) *shelf {
	tb.Helper()
	cutter, _, err := chunk.New(chunk.Config{Kind: "chars", Size: size, Overlap: overlap})
	if err != nil {
		tb.Fatal(err)
	}
	s := &shelf{texts: map[rag.DocumentID]string{}}
	for i := 0; i < len(sourceText); i += 2 {
		s.add(tb, cutter, sourceText[i], sourceText[i+1])
	}
	return s
}

func (s *shelf) add(tb testing.TB, cutter rag.Chunker, source, text string) {
	tb.Helper()
	doc := rag.Document{ID: rag.DocumentID("id:" + source), Source: source, Text: text}
	chunks, err := cutter.Chunk(context.Background(), doc)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range chunks {
		chunks[i].ID = rag.ChunkID(fmt.Sprintf("%s#%d", source, i))
		s.chunks = append(s.chunks, rag.ChunkRow{Chunk: chunks[i], Source: source})
	}
	s.texts[doc.ID] = text
	doc.Text = ""
	s.rows = append(s.rows, rag.DocumentRow{Document: doc})
}

func open(tb testing.TB, s *shelf) *dataset.Corpus {
	tb.Helper()
	c, err := dataset.Open(context.Background(), s)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// parse reads questions and expects no problem.
func parse(tb testing.TB, format dataset.Format, s string) dataset.Dataset {
	tb.Helper()
	ds, problems, err := dataset.Parse(context.Background(), strings.NewReader(s), format)
	if err != nil || len(problems) > 0 {
		tb.Fatalf("problems %v, error %v", problems, err)
	}
	return ds
}

// evalSet reads a public data set: its questions, and its corpus with a document a
// file, as source "corpus/ID.txt". Chunks are windows of 250 code points that
// share 50.
func evalSet(tb testing.TB, name, queries string) (dataset.Dataset, []dataset.Problem, *shelf) {
	tb.Helper()
	folder := os.Getenv("EVAL_DATA")
	if folder == "" {
		tb.Skip("EVAL_DATA does not name the folder of the data sets")
	}
	ds, problems, err := dataset.Read(context.Background(), filepath.Join(folder, name, queries), dataset.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(folder, name, "corpus.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	s := newShelf(tb, 250, 50)
	cutter, _, err := chunk.New(chunk.Config{Kind: "chars", Size: 250, Overlap: 50})
	if err != nil {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var doc struct {
			ID   string `json:"doc_id"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(line, &doc); err != nil {
			tb.Fatal(err)
		}
		s.add(tb, cutter, "corpus/"+doc.ID+".txt", doc.Text)
	}
	return ds, problems, s
}
