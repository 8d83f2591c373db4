package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// maxProblems bounds how many rows a check lists.
const maxProblems = 20

// invariant is a query for the names of what breaks a rule; it finds none in a
// sound database.
type invariant struct{ rule, query string }

func invariants() []invariant {
	return []invariant{
		{"library with wrong totals", `SELECT name FROM library l
			WHERE (documents, chunks, words, bigrams, singles) IS NOT
			(SELECT count(*), total(chunks), total(words), total(bigrams), total(singles)
				FROM document WHERE library = l.id)`},
		{"document without its text", `SELECT id FROM document d
			WHERE NOT EXISTS (SELECT 1 FROM body WHERE document = d.pk)`},
		{"document without all its chunks", `SELECT id FROM document d
			WHERE (chunks, chunks - 1) IS NOT
			(SELECT count(*), coalesce(max(ordinal), -1) FROM chunk WHERE document = d.pk AND ordinal >= 0)`},
		{"chunk in another library than its document", `SELECT c.id FROM chunk c
			JOIN document d ON d.pk = c.document WHERE c.library <> d.library`},
		{"chunk unlike its document's text", `SELECT c.id FROM body b JOIN chunk c ON c.document = b.document
			WHERE substr(b.text, c.byte_start + 1, c.byte_end - c.byte_start) IS NOT c.text`},
		{"alias in another library than its document", `SELECT a.source FROM alias a
			JOIN document d ON d.pk = a.document WHERE a.library <> d.library`},
		{"document without all its vectors", `SELECT d.id FROM document d JOIN library l ON l.id = d.library
			WHERE d.chunks * l.dim * 4 <>
			(SELECT total(length(data)) FROM vector_block WHERE document = d.pk)`},
	}
}

// Check reads the whole workspace and returns the fault workspace_damaged {path}
// when something is wrong with it: the file's own structure, a rule of this
// package, or a vector. The cause lists what was found. It needs no lock.
func (s *Store) Check(ctx context.Context) error {
	problems, err := s.problems(ctx)
	if err != nil {
		return s.fail(err, "check workspace %s", s.dir)
	}
	if len(problems) > 0 {
		return fault.Wrap(errors.Join(problems...), "workspace_damaged", fault.P("path", s.dir))
	}
	return nil
}

func (s *Store) problems(ctx context.Context) (problems []error, err error) {
	tx, err := s.read.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = rollback(tx, err) }()
	note := func(rule string) func(*sql.Rows) error {
		return func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			if name != "ok" || rule != "structure" {
				problems = append(problems, fmt.Errorf("%s: %s", rule, name))
			}
			return err
		}
	}
	if err := each(ctx, tx, note("structure"), fmt.Sprintf(`PRAGMA quick_check(%d)`, maxProblems)); err != nil {
		return nil, err
	}
	if len(problems) > 0 { // then other queries may not come back
		return problems, nil
	}
	err = each(ctx, tx, note("reference to nothing from"), `SELECT DISTINCT "table" FROM pragma_foreign_key_check`)
	if err != nil {
		return nil, err
	}
	for _, inv := range invariants() {
		if err := each(ctx, tx, note(inv.rule), inv.query+fmt.Sprintf(` LIMIT %d`, maxProblems)); err != nil {
			return nil, fmt.Errorf("look for a %s: %w", inv.rule, err)
		}
	}
	if len(problems) > 0 {
		return problems, nil
	}
	return s.badVectors(ctx)
}

// badVectors reads every library's vectors.
func (s *Store) badVectors(ctx context.Context) (problems []error, err error) {
	libs, err := s.Libraries(ctx)
	if err != nil {
		return nil, err
	}
	for _, lib := range libs {
		block, err := s.Vectors(ctx, lib)
		switch {
		case errors.Is(err, rag.ErrStale), fault.Is(err, "kb_unknown"):
			continue // it is being written, so its vectors are being checked
		case err != nil:
			return nil, err
		}
		for i, id := range block.IDs {
			if err := rag.CheckUnit(block.Data[i*block.Dim:(i+1)*block.Dim], block.Dim); err != nil {
				problems = append(problems, fmt.Errorf("vector of chunk %q in %q: %w", id, lib.Name, err))
			}
		}
	}
	return problems, nil
}
