package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

const datasetColumns = `name, version, hash, questions, imported`

func scanDataset(row scanner, more ...any) (d rag.DatasetRow, err error) {
	var imported string
	if err := row.Scan(append([]any{&d.Name, &d.Version, &d.Hash, &d.Questions, &imported}, more...)...); err != nil {
		return d, err
	}
	if d.Imported, err = time.Parse(time.RFC3339, imported); err != nil {
		return d, fmt.Errorf("dataset %q, version %d: %w", d.Name, d.Version, err)
	}
	return d, nil
}

// PutDataset stores content as the newest version of the dataset row.Name and
// returns its row; Version and Hash are set here. Content equal to that of the
// newest version is not stored again: the row returned is that version's.
//
// Faults: dataset_name_invalid {dataset} for a name that is not a library's
// either, or has an extension, with which it would be taken for a file;
// disk_full {path}.
func (w *Writer) PutDataset(ctx context.Context, row rag.DatasetRow, content []byte) (rag.DatasetRow, error) {
	if CheckName(row.Name) != nil || path.Ext(row.Name) != "" {
		return rag.DatasetRow{}, fault.New("dataset_name_invalid", fault.P("dataset", row.Name))
	}
	sum := sha256.Sum256(content)
	row.Hash, row.Imported = hex.EncodeToString(sum[:]), row.Imported.UTC().Truncate(time.Second)
	err := w.tx(ctx, fmt.Sprintf("store dataset %q", row.Name), func(ctx context.Context, tx *sql.Tx) error {
		newest, err := scanDataset(tx.QueryRowContext(ctx, `SELECT `+datasetColumns+` FROM dataset
			WHERE name = ? ORDER BY version DESC LIMIT 1`, row.Name))
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		case newest.Hash == row.Hash:
			row = newest
			return nil
		}
		row.Version = newest.Version + 1
		_, err = tx.ExecContext(ctx, `INSERT INTO dataset (`+datasetColumns+`, body) VALUES (?, ?, ?, ?, ?, ?)`,
			row.Name, row.Version, row.Hash, row.Questions, row.Imported.Format(time.RFC3339), content)
		return err
	})
	if err != nil {
		return rag.DatasetRow{}, err
	}
	return row, nil
}

// Datasets returns every version of every dataset, by name, the newest first.
func (s *Store) Datasets(ctx context.Context) (list []rag.DatasetRow, err error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+datasetColumns+` FROM dataset ORDER BY name, version DESC`)
	if err != nil {
		return nil, s.fail(err, "list datasets")
	}
	defer rows.Close()
	for rows.Next() {
		d, err := scanDataset(rows)
		if err != nil {
			return nil, s.fail(err, "list datasets")
		}
		list = append(list, d)
	}
	return list, s.fail(rows.Err(), "list datasets")
}

// Dataset returns a version of a dataset with its content, byte for byte as it was
// stored; version 0 is the newest.
//
// Faults: dataset_unknown {dataset}, and workspace_damaged {path} when the content
// does not have its hash.
func (s *Store) Dataset(ctx context.Context, name string, version int) (rag.DatasetRow, []byte, error) {
	var content []byte
	row, err := scanDataset(s.read.QueryRowContext(ctx, `SELECT `+datasetColumns+`, body FROM dataset
		WHERE name = ? AND ? IN (version, 0) ORDER BY version DESC LIMIT 1`, name, version), &content)
	if errors.Is(err, sql.ErrNoRows) {
		return rag.DatasetRow{}, nil, fault.New("dataset_unknown", fault.P("dataset", name))
	}
	if err != nil {
		return rag.DatasetRow{}, nil, s.fail(err, "read dataset %q", name)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != row.Hash {
		err := fmt.Errorf("dataset %q, version %d does not have its hash", name, row.Version)
		return rag.DatasetRow{}, nil, fault.Wrap(err, "workspace_damaged", fault.P("path", s.dir))
	}
	return row, content, nil
}

// RemoveDataset deletes all versions of a dataset, and the bindings of contents
// that no dataset has any more. It returns how many versions there were, or the
// fault dataset_unknown {dataset}.
func (w *Writer) RemoveDataset(ctx context.Context, name string) (versions int, err error) {
	err = w.tx(ctx, fmt.Sprintf("remove dataset %q", name), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM binding WHERE dataset IN (SELECT hash FROM dataset WHERE name = ?1)
			AND dataset NOT IN (SELECT hash FROM dataset WHERE name <> ?1)`, name)
		if err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `DELETE FROM dataset WHERE name = ?`, name)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return fault.New("dataset_unknown", fault.P("dataset", name))
		}
		versions = int(n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return versions, nil
}

// SetBindings records where the gold of the dataset content with the given hash
// lies in lib, in place of what was recorded before. A library that is gone is the
// fault kb_unknown {kb}.
func (w *Writer) SetBindings(ctx context.Context, lib rag.Library, hash string, bindings []byte) error {
	return w.tx(ctx, fmt.Sprintf("bind a dataset to %q", lib.Name), func(ctx context.Context, tx *sql.Tx) error {
		if _, err := libraryByID(ctx, tx, lib); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO binding (library, dataset, body) VALUES (?, ?, ?)
			ON CONFLICT (library, dataset) DO UPDATE SET body = excluded.body`, lib.ID, hash, bindings)
		return err
	})
}

// Bindings returns what SetBindings recorded, or nil. A library that is gone is
// the fault kb_unknown {kb}.
func (s *Store) Bindings(ctx context.Context, lib rag.Library, hash string) (bindings []byte, err error) {
	err = s.snapshot(ctx, lib, "read bindings", func(tx *sql.Tx, _ rag.Library) error {
		err := tx.QueryRowContext(ctx, `SELECT body FROM binding WHERE library = ? AND dataset = ?`, lib.ID, hash).Scan(&bindings)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return bindings, nil
}
