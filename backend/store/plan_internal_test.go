package store

import (
	"database/sql"
	"strings"
	"testing"

	"ragdesk/backend/rag"
)

// TestReadsOfWholeLibrariesSortNothing looks at SQLite's plans: a sorter holds all
// that it sorts, texts and vectors included.
func TestReadsOfWholeLibrariesSortNothing(t *testing.T) {
	t.Parallel()
	s := openTest(t, t.TempDir())
	fillSample(t, s)
	args := map[string][]any{queryVectorDocuments: {1}, queryChunkIDs: {1, 1, 9}, queryBlocks: {1, 1, 9}, queryChunks: {1}, queryDocuments: {1}}
	for query, args := range args {
		plan := []string{}
		err := s.snapshot(t.Context(), rag.Library{ID: 1}, "plan", func(tx *sql.Tx, _ rag.Library) error {
			return each(t.Context(), tx, func(rows *sql.Rows) error {
				var id, parent, unused int
				var step string
				err := rows.Scan(&id, &parent, &unused, &step)
				plan = append(plan, step)
				return err
			}, `EXPLAIN QUERY PLAN `+query, args...)
		})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "\n")
		if strings.Contains(text, "TEMP B-TREE") || strings.Contains(text, "SCAN") || len(plan) == 0 {
			t.Errorf("%s\nis planned as\n%s", query, text)
		}
	}
}
