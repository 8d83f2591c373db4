package store_test

import (
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// TestCheckFindsWhatIsBroken breaks one rule at a time behind the store's back.
func TestCheckFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, query string }{
		{"", `SELECT 1`},
		{"library with wrong totals: kb", `UPDATE library SET documents = documents + 1`},
		{"library with wrong totals: kb", `UPDATE library SET chunks = 0`},
		{"library with wrong totals: kb", `UPDATE document SET bigrams = bigrams + 1 WHERE id = 'd'`},
		{"library with wrong totals: kb", `DELETE FROM document WHERE id = 'd'`},
		{"document without its text: d", `DELETE FROM body WHERE document = (SELECT pk FROM document WHERE id = 'd')`},
		{"document without all its chunks: d", `DELETE FROM chunk WHERE ordinal = 1`},
		{"document without all its chunks: d", `UPDATE chunk SET ordinal = ordinal + 5 WHERE ordinal = 1`},
		{"document without all its chunks: d", `UPDATE chunk SET ordinal = -1 WHERE ordinal = 0 AND document = (SELECT pk FROM document WHERE id = 'd')`},
		{"chunk unlike its document's text", `UPDATE body SET text = CAST(replace(CAST(text AS TEXT), '书', '書') AS BLOB)`},
		{"chunk unlike its document's text", `UPDATE chunk SET byte_start = byte_start + 1 WHERE ordinal = 1`},
		{"chunk in another library", `UPDATE chunk SET library = 2 WHERE ordinal = 1`},
		{"alias in another library", `UPDATE alias SET library = 2`},
		{"document without all its vectors: d", `DELETE FROM vector_block WHERE document = (SELECT pk FROM document WHERE id = 'd')`},
		{"document without all its vectors: d", `UPDATE vector_block SET data = substr(data, 5)`},
		{"vector of chunk", `UPDATE vector_block SET data = zeroblob(length(data))`},
		{"reference to nothing from: chunk", `PRAGMA foreign_keys = OFF; UPDATE chunk SET document = 99 WHERE ordinal = 1`},
	} {
		dir := t.TempDir()
		s := open(t, dir)
		w := lock(t, s)
		r := record("a.txt", "第一本书在这里放着。第二本书也在这里放着。")
		r.ID = "d"
		for i := range r.Chunks {
			r.Chunks[i].DocID = "d"
		}
		library(t, s, w, "kb", r, record("b.txt", "另一本书"))
		library(t, s, w, "empty")
		lib, err := s.Library(t.Context(), "kb")
		if err != nil {
			t.Fatal(err)
		}
		apply(t, w, lib, rag.Change{PutAliases: []rag.Alias{{Source: "c.txt", DocID: "d"}}})
		db := raw(t, dir)
		db.SetMaxOpenConns(1)
		run(t, db, `PRAGMA foreign_keys = ON`)
		run(t, db, c.query)

		err = s.Check(t.Context())
		if c.says == "" {
			if err != nil {
				t.Errorf("a sound workspace: %v", err)
			}
			continue
		}
		wantFault(t, err, "workspace_damaged", fault.P("path", dir))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s:\nfound %v\nwant  %s", c.query, err, c.says)
		}
	}
}

// TestShortVectorsAreAnError expects that a library never loads with fewer vectors
// than chunks.
func TestShortVectorsAreAnError(t *testing.T) {
	t.Parallel()
	for _, query := range []string{
		`DELETE FROM vector_block WHERE document = 1`,
		`UPDATE vector_block SET first = 5`,
		`UPDATE vector_block SET first = -1`,
		`UPDATE vector_block SET data = substr(data, 3)`,
		`UPDATE vector_block SET data = zeroblob(2 * length(data))`,
		`DELETE FROM chunk WHERE document = 1 AND ordinal = 1`,
		`UPDATE chunk SET ordinal = 0 WHERE document = 1`,
		`UPDATE chunk SET ordinal = ordinal + 1 WHERE document = 1`,
		`UPDATE chunk SET document = 2, ordinal = 1 WHERE document = 1 AND ordinal = 1`,
		`UPDATE document SET chunks = chunks + 1 WHERE pk = 1`,
		`UPDATE library SET chunks = chunks - 1`,
		`INSERT INTO vector_block SELECT document, first + 1, data FROM vector_block WHERE document = 1`,
	} {
		dir := t.TempDir()
		s := open(t, dir)
		lib := library(t, s, lock(t, s), "kb", record("a.txt", "两块的文档，两块的文档，两块。"), record("b.txt", "一块"))
		run(t, raw(t, dir), query)
		if block, err := s.Vectors(t.Context(), lib); err == nil {
			t.Errorf("%s: %d vectors, no error", query, len(block.IDs))
		}
	}
}
