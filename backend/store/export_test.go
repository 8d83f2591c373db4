package store

import (
	"database/sql"
	"fmt"
	"testing"
)

// Pools gives tests the connection pools by name.
func Pools(s *Store) map[string]*sql.DB {
	return map[string]*sql.DB{"read": s.read, "write": s.write}
}

// LimitPages keeps the database from growing beyond n pages.
func LimitPages(t *testing.T, s *Store, n int) {
	t.Helper()
	var limit int
	err := s.write.QueryRowContext(t.Context(), fmt.Sprintf(`PRAGMA max_page_count = %d`, n)).Scan(&limit)
	if err != nil || limit != n {
		t.Fatalf("page limit %d, error %v", limit, err)
	}
}

// SetStep has do called at the steps of a restore.
func SetStep(do func(name string)) { step = do }

// FillSample writes one row at least to every table.
func FillSample(t *testing.T, s *Store) { fillSample(t, s) }
