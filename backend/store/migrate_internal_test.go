package store

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

var freeze = flag.Bool("freeze", false, "write testdata/schema_vN.sql for the newest schema; never for an older one")

// frozenPath names the dump of a database as version n of the schema left it.
func frozenPath(n int) string { return filepath.Join("testdata", fmt.Sprintf("schema_v%d.sql", n)) }

// fillSample writes one row at least to every table of the newest schema.
func fillSample(t *testing.T, s *Store) {
	t.Helper()
	for version := range len(migrations()) {
		fillVersion(t, s, version+1)
	}
}

// fillVersion writes to the tables that a version of the schema brought.
func fillVersion(t *testing.T, s *Store, version int) {
	t.Helper()
	switch version {
	case 1:
		fillLibrary(t, s)
	case 2:
		fillDataset(t, s)
	case 3:
		fillStructure(t, s)
	case 4:
		fillWords(t, s)
	case 5:
		fillTuned(t, s)
	case 6:
		fillUnread(t, s)
	default:
		t.Fatalf("no sample for version %d of the schema", version)
	}
}

// fillDataset writes a dataset and binds it to the first library.
func fillDataset(t *testing.T, s *Store) {
	t.Helper()
	w, err := s.Lock(t.Context(), "sample", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Unlock()
	row := rag.DatasetRow{Name: "题", Questions: 1, Imported: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)}
	if row, err = w.PutDataset(t.Context(), row, []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.SetBindings(t.Context(), rag.Library{ID: 1}, row.Hash, []byte("[]")); err != nil {
		t.Fatal(err)
	}
}

// fillWords gives the first library words.
func fillWords(t *testing.T, s *Store) {
	t.Helper()
	w, err := s.Lock(t.Context(), "sample", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Unlock()
	lib, err := s.Library(t.Context(), "样本")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.SetWords(t.Context(), lib, rag.Wording{
		Words: []rag.Word{{Word: "灵犀三号", Freq: 7}, {Word: "公司", Stop: true}}, Hash: "wh", TextFingerprint: "tf+wh",
		Counts: map[rag.ChunkID]rag.TermCounts{"k1": {Words: 1, Bigrams: 3, Chars: 4}, "k0": {Words: 1, Bigrams: 1, Chars: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fillTuned keeps a choice for the first library.
func fillTuned(t *testing.T, s *Store) {
	t.Helper()
	w, err := s.Lock(t.Context(), "sample", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Unlock()
	if err := w.SetTuned(t.Context(), rag.Library{ID: 1}, rag.Tuned{Dataset: "题", Primary: "nDCG@10"}); err != nil {
		t.Fatal(err)
	}
}

// fillUnread notes a file that the first library could not read.
func fillUnread(t *testing.T, s *Store) {
	t.Helper()
	w, err := s.Lock(t.Context(), "sample", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Unlock()
	lib, err := s.Library(t.Context(), "样本")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Apply(t.Context(), lib, rag.Change{Revision: lib.Revision, PutUnread: []rag.Unread{{
		Place: "/r/坏.pdf", Source: "坏.pdf", Status: rag.StatusFailed, Code: "limit_bytes", Params: map[string]string{"limit": "1"},
		Warnings: []rag.Notice{{Code: "c", Detail: "d"}}, Tried: time.Unix(1e9, 0),
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

// fillStructure writes a document with all that version 3 added.
func fillStructure(t *testing.T, s *Store) {
	t.Helper()
	w, err := s.Lock(t.Context(), "sample", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Unlock()
	lib, err := w.CreateLibrary(t.Context(), "表", rag.Settings{Chunker: "parent", ChunkSize: 9, Dim: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Apply(t.Context(), lib, rag.Change{Revision: 1, Put: []rag.DocumentRecord{{
		DocumentRow: rag.DocumentRow{
			Document: rag.Document{
				ID: "d", Source: "表.csv", Health: rag.Health{Confidence: .5, RowsRead: 2, RowsKept: 2, Tables: 1},
				Blocks: []rag.Block{{Kind: rag.BlockTable, Span: rag.Span{End: 15}, Header: rag.Span{End: 3}}},
			},
			Status: rag.StatusIndexed, Tokens: 2, Modified: time.Unix(1e9, 0), Tags: []string{"合同"},
		},
		Text: "一二三四五", Counts: []rag.TermCounts{{}}, Vectors: []float32{1},
		Chunks: []rag.Chunk{{ID: "k", DocID: "d", Span: rag.Span{End: 6}, Points: rag.Span{End: 2}, Text: "一二", Parent: rag.Span{End: 12}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

func fillLibrary(t *testing.T, s *Store) {
	t.Helper()
	w, err := s.Lock(t.Context(), "sample", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Unlock()
	lib, err := w.CreateLibrary(t.Context(), "样本", rag.Settings{
		Chunker: "chars", ChunkSize: 4, ChunkOverlap: 1, ChunkerFingerprint: "cf",
		Embedder: "e", EmbedderFingerprint: "ef", Dim: 2, TextFingerprint: "tf",
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rag.DocumentRecord{
		DocumentRow: rag.DocumentRow{
			Document: rag.Document{
				ID: "d1", Source: "a/一.md", Title: "一", MediaType: "text/markdown", Encoding: "utf-8",
				Language: "zh", ParsedBy: "markdown", Sections: []rag.Section{{Level: 1, Title: "一", Span: rag.Span{End: 3}}},
				Pages: []rag.Span{{End: 15}}, Warnings: []rag.Notice{{Code: "c", Detail: "d"}},
			},
			RealPath: "/r/a/一.md", ContentHash: "00ff", Bytes: 15, Status: rag.StatusIndexed,
		},
		Text: "一二三四五",
		Chunks: []rag.Chunk{
			{ID: "k1", DocID: "d1", Span: rag.Span{End: 12}, Points: rag.Span{End: 4}, Headings: []string{"一"}, Text: "一二三四", Tokens: 4},
			{ID: "k0", DocID: "d1", Ordinal: 1, Span: rag.Span{Start: 9, End: 15}, Points: rag.Span{Start: 3, End: 5}, Text: "四五", Tokens: 2},
		},
		Counts:  []rag.TermCounts{{Words: 2, Bigrams: 3, Chars: 4}, {Words: 1, Bigrams: 1, Chars: 2}},
		Vectors: []float32{0.6, 0.8, 1, 0},
	}
	_, err = w.Apply(t.Context(), lib, rag.Change{
		Revision: 1, Put: []rag.DocumentRecord{r},
		PutAliases: []rag.Alias{{Source: "b/一.md", RealPath: "/r/b/一.md", ContentHash: "00ff", DocID: "d1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// dump writes a database as statements that make it again.
func dump(t *testing.T, db *sql.DB) string {
	t.Helper()
	var b strings.Builder
	tables := []string{}
	scanAll(t, db, `SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
		ORDER BY type = 'index', rowid`, func(row []string) {
		fmt.Fprintf(&b, "%s;\n\n", row[1])
		if strings.HasPrefix(row[1], "CREATE TABLE") {
			tables = append(tables, row[0])
		}
	})
	for _, table := range tables {
		var columns []string
		scanAll(t, db, `SELECT name, '' FROM pragma_table_info('`+table+`')`, func(row []string) { columns = append(columns, row[0]) })
		query := `SELECT quote(` + strings.Join(columns, `) || ', ' || quote(`) + `), '' FROM ` + table + ` ORDER BY 1`
		scanAll(t, db, query, func(row []string) { fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", table, row[0]) })
	}
	return b.String()
}

func scanAll(t *testing.T, db *sql.DB, query string, visit func(row []string)) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		row := make([]string, 2)
		if err := rows.Scan(&row[0], &row[1]); err != nil {
			t.Fatal(err)
		}
		visit(row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

func openTest(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestSchemaIsFrozen holds what the newest schema makes of the sample against its
// dump: a released step that is edited afterwards fails here.
func TestSchemaIsFrozen(t *testing.T) {
	t.Parallel()
	s := openTest(t, t.TempDir())
	fillSample(t, s)
	got := dump(t, s.read)
	path := frozenPath(len(migrations()))
	if _, err := os.Stat(path); *freeze && os.IsNotExist(err) {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; a new schema version is frozen with -freeze", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the schema differs from %s (-want +got):\n%s", path, diff)
	}
}

// TestMigrateFrozenVersions opens a database as every released version left it,
// and expects the newest schema and the sample unharmed.
func TestMigrateFrozenVersions(t *testing.T) {
	t.Parallel()
	fresh := openTest(t, t.TempDir())
	fillSample(t, fresh)
	for version := 1; version <= len(migrations()); version++ {
		script, err := os.ReadFile(frozenPath(version))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		db, err := sql.Open("sqlite3", filepath.Join(dir, databaseName))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), string(script)); err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s := openTest(t, dir)
		for later := version + 1; later <= len(migrations()); later++ {
			fillVersion(t, s, later)
		}
		if diff := cmp.Diff(dump(t, fresh.read), dump(t, s.read)); diff != "" {
			t.Errorf("version %d, migrated (-fresh +migrated):\n%s", version, diff)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("version %d, migrated: %v", version, err)
		}
		block, err := s.Vectors(t.Context(), rag.Library{ID: 1, Revision: 2})
		if diff := cmp.Diff(rag.VectorBlock{Dim: 2, IDs: []rag.ChunkID{"k1", "k0"}, Data: []float32{0.6, 0.8, 1, 0}}, block); err != nil || diff != "" {
			t.Errorf("version %d, migrated: error %v, vectors (-want +got):\n%s", version, err, diff)
		}
	}
}

// TestMigrate runs steps that do not exist yet over the newest version.
func TestMigrate(t *testing.T) {
	t.Parallel()
	known := len(migrations())
	good := append(migrations(), `CREATE TABLE extra (x INTEGER) STRICT; INSERT INTO extra VALUES (1);`, `UPDATE extra SET x = x + 1;`)
	s := openTest(t, t.TempDir())
	fillSample(t, s)
	ctx := t.Context()

	bad := append(migrations(), `CREATE TABLE extra (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1);`)
	if err := migrate(ctx, s.write, bad); err == nil || !strings.Contains(err.Error(), fmt.Sprint("version ", known+1)) {
		t.Errorf("a step that fails: error %v", err)
	}
	if v, err := schemaVersion(ctx, s.write); v != known || err != nil {
		t.Errorf("after a step that failed: version %d, error %v", v, err)
	}
	for range 2 { // the second time there is nothing to do
		if err := migrate(ctx, s.write, good); err != nil {
			t.Fatal(err)
		}
		var x int
		if err := s.write.QueryRowContext(ctx, `SELECT x FROM extra`).Scan(&x); err != nil || x != 2 {
			t.Errorf("x is %d, error %v", x, err)
		}
		if v, err := schemaVersion(ctx, s.write); v != known+2 || err != nil {
			t.Errorf("version %d, error %v", v, err)
		}
	}
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
	_, err := Open(ctx, s.dir)
	if !fault.Is(err, "workspace_newer") {
		t.Errorf("a program that knows the present version alone: error %v", err)
	}
}

// TestMigrateNeedsTheLock has a workspace that is to be migrated while another
// writes to it.
func TestMigrateNeedsTheLock(t *testing.T) {
	t.Parallel()
	s := openTest(t, t.TempDir())
	w, err := s.Lock(t.Context(), "ingest", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.ExecContext(t.Context(), `DROP TABLE meta; DROP TABLE unread; DROP TABLE tuned; DROP TABLE word; DROP TABLE binding; DROP TABLE dataset; DROP TABLE alias; DROP TABLE vector_block;
		DROP TABLE chunk; DROP TABLE body; DROP TABLE document; DROP TABLE library`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, s.dir); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another writes: error %v", err)
	}
	if err := w.Unlock(); err != nil {
		t.Error(err)
	}
	fillSample(t, openTest(t, s.dir))
}
