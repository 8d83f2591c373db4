package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	"ragdesk/backend/fault"
)

// table is one that is copied.
type table struct {
	name    string
	columns []column
	// key is the column that numbers the rows, "" where there is none.
	key string
}

// column is one with the table whose numbers it has; "" for none.
type column struct{ name, of string }

func (w *Writer) copyTables(ctx context.Context, tx *sql.Tx, r Restore) error {
	if err := w.sameSchema(ctx, tx); err != nil {
		return err
	}
	tables, err := tablesOf(ctx, tx)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `PRAGMA defer_foreign_keys = 1`); err != nil {
		return err
	}
	if err := rename(ctx, tx, r); err != nil {
		return err
	}
	offsets := map[string]int64{}
	for _, t := range tables {
		if t.key == "" {
			continue
		}
		var n int64
		//nolint:gosec // names of our own schema
		query := fmt.Sprintf(`SELECT max((SELECT coalesce(max(%[2]q), 0) FROM main.%[1]q),
			coalesce((SELECT seq FROM main.sqlite_sequence WHERE name = '%[1]s'), 0))`, t.name, t.key)
		if err := tx.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return err
		}
		offsets[t.name] = n
	}
	if !r.Add {
		for _, t := range tables {
			if _, err := tx.ExecContext(ctx, fmt.Sprintf(`DELETE FROM main.%q`, t.name)); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	for _, t := range tables {
		if err := t.copy(ctx, tx, offsets); err != nil {
			return fmt.Errorf("copy table %s: %w", t.name, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return w.ownPaths(ctx, tx)
}

// sameSchema holds the backup's schema against ours, so that it brings no table, view or
// trigger of its own.
func (w *Writer) sameSchema(ctx context.Context, tx *sql.Tx) error {
	var unlike int
	const all = `SELECT type, name, tbl_name, sql FROM %s.sqlite_schema WHERE name NOT LIKE 'sqlite_stat%%'`
	ours, theirs := fmt.Sprintf(all, "main"), fmt.Sprintf(all, "kept")
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT * FROM (`+ours+` EXCEPT `+theirs+`)
		UNION ALL SELECT * FROM (`+theirs+` EXCEPT `+ours+`))`).Scan(&unlike)
	if err == nil && unlike > 0 {
		err = fault.Wrap(fmt.Errorf("%d entries of the schema differ", unlike), "workspace_damaged", fault.P("path", w.s.dir))
	}
	return err
}

// tablesOf lists the tables of the schema, which both databases have.
func tablesOf(ctx context.Context, tx *sql.Tx) (list []table, err error) {
	err = each(ctx, tx, func(rows *sql.Rows) error {
		var t table
		err := rows.Scan(&t.name)
		list = append(list, t)
		return err
	}, `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'meta' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := list[i].describe(ctx, tx); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (t *table) describe(ctx context.Context, tx *sql.Tx) error {
	refers := map[string]string{}
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var from, to string
		err := rows.Scan(&from, &to)
		refers[from] = to
		return err
	}, `SELECT "from", "table" FROM pragma_foreign_key_list(?)`, t.name)
	if err != nil {
		return err
	}
	keys := 0
	err = each(ctx, tx, func(rows *sql.Rows) error {
		var name, kind string
		var place int
		if err := rows.Scan(&name, &kind, &place); err != nil {
			return err
		}
		t.columns = append(t.columns, column{name, refers[name]})
		if place > 0 {
			keys++
			if kind == "INTEGER" && refers[name] == "" {
				t.key = name
			}
		}
		return nil
	}, `SELECT name, type, pk FROM pragma_table_info(?)`, t.name)
	if keys > 1 {
		t.key = ""
	}
	return err
}

// copy adds the rows of the backup's table with their numbers moved beyond those that were
// ever used.
func (t table) copy(ctx context.Context, tx *sql.Tx, offsets map[string]int64) error {
	var names, values []string
	for _, c := range t.columns {
		quoted := fmt.Sprintf("%q", c.name)
		names = append(names, quoted)
		of := c.of
		if c.name == t.key {
			of = t.name
		}
		if n := offsets[of]; n > 0 {
			quoted = fmt.Sprintf("%s + %d", quoted, n)
		}
		values = append(values, quoted)
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO main.%[1]q (%[2]s) SELECT %[3]s FROM kept.%[1]q`,
		t.name, strings.Join(names, ", "), strings.Join(values, ", ")))
	return err
}

// rename gives libraries and datasets of the backup other names, in the backup.
func rename(ctx context.Context, tx *sql.Tx, r Restore) error {
	for from, to := range r.Libraries {
		if _, err := tx.ExecContext(ctx, `UPDATE kept.library SET name = ? WHERE name = ?`, to, from); err != nil {
			return err
		}
	}
	for from, to := range r.Datasets {
		query, args := `UPDATE kept.dataset SET name = ? WHERE name = ?`, []any{to, from}
		if to == "" {
			query, args = `DELETE FROM kept.dataset WHERE name = ?`, []any{from}
		}
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

// ownPaths gives files that lie in the workspace the paths that they have here.
func (w *Writer) ownPaths(ctx context.Context, tx *sql.Tx) error {
	real, err := filepath.EvalSymlinks(w.s.dir)
	if err != nil {
		return err
	}
	here := real + string(filepath.Separator)
	_, err = tx.ExecContext(ctx, `UPDATE main.unread SET place = ? || substr(place, ?), params = replace(params, ?, ?)
		WHERE substr(place, 1, ?) = ?`, here, runes(InWorkspace)+1, InWorkspace, here, runes(InWorkspace), InWorkspace)
	if err != nil {
		return err
	}
	for _, query := range []string{
		`UPDATE main.document SET real_path = ? || substr(real_path, ?) WHERE substr(real_path, 1, ?) = ?`,
		`UPDATE main.alias SET real_path = ? || substr(real_path, ?) WHERE substr(real_path, 1, ?) = ?`,
	} {
		_, err := tx.ExecContext(ctx, query, here, runes(InWorkspace)+1, runes(InWorkspace), InWorkspace)
		if err != nil {
			return err
		}
	}
	return nil
}
