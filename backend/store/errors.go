package store

import (
	"context"
	"errors"
	"fmt"

	sqlite3 "github.com/mattn/go-sqlite3"

	"ragdesk/backend/fault"
)

// fail wraps err with what was attempted, and with a fault where the user must
// act: workspace_damaged, workspace_unwritable, workspace_busy or disk_full, all
// {path}. A nil err stays nil.
func (s *Store) fail(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf(format+": %w", append(args, err)...)
	var cause sqlite3.Error
	if !errors.As(err, &cause) {
		return err
	}
	var code string
	switch cause.Code {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat:
		code = "workspace_damaged"
	case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm, sqlite3.ErrAuth:
		code = "workspace_unwritable"
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		code = "workspace_busy"
	case sqlite3.ErrFull:
		code = "disk_full"
	case sqlite3.ErrInterrupt:
		return errors.Join(err, context.Canceled)
	default:
		return err
	}
	return fault.Wrap(err, code, fault.P("path", s.dir))
}
