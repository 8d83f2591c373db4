package runstore

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// Journal keeps the finished searches of one evaluation, a line each, in a hidden
// working folder of the store. A line that a crash cut short is dropped and
// searched again. One goroutine may append at a time.
type Journal struct {
	dir  string
	file *os.File
}

// Journal opens the journal named by key, or begins it. Close must be called, and
// Remove once the runs are saved. The fault is "run_unwritable".
func (s *Store) Journal(key string) (*Journal, error) {
	dir := filepath.Join(s.dir, ".work-"+key)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fault.Wrap(err, "run_unwritable", fault.P("path", dir))
	}
	f, err := os.OpenFile(filepath.Join(dir, ResultsFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fault.Wrap(err, "run_unwritable", fault.P("path", dir))
	}
	return &Journal{dir, f}, nil
}

// FinishedOf counts what the journal of that key has; 0 without one.
func (s *Store) FinishedOf(ctx context.Context, key string) (int, error) {
	if _, err := os.Stat(filepath.Join(s.dir, ".work-"+key)); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	j, err := s.Journal(key)
	if err != nil {
		return 0, err
	}
	found, err := j.Finished(ctx)
	return len(found), errors.Join(err, j.Close())
}

// Finished reads all whole lines and cuts off what follows the last one.
func (j *Journal) Finished(ctx context.Context) ([]runs.Finished, error) {
	var out []runs.Finished
	end := int64(0)
	if _, err := j.file.Seek(0, 0); err != nil {
		return nil, fault.Wrap(err, "unreadable", fault.P("path", j.file.Name()))
	}
	torn := false
	err := eachLine(j.file, func(line []byte, whole bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if torn = !whole; torn {
			return nil
		}
		end += int64(len(line))
		var f runs.Finished
		if json.Unmarshal(line, &f) == nil {
			out = append(out, f)
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil && torn {
		err = j.file.Truncate(end)
	}
	if err != nil {
		return nil, fault.Wrap(err, "unreadable", fault.P("path", j.file.Name()))
	}
	return out, nil
}

// Append adds a line in one write.
func (j *Journal) Append(f runs.Finished) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(b, '\n')); err != nil {
		return fault.Wrap(err, "run_unwritable", fault.P("path", j.file.Name()))
	}
	return nil
}

// Close closes the file and keeps the journal.
func (j *Journal) Close() error { return j.file.Close() }

// Remove closes and deletes the journal.
func (j *Journal) Remove() error {
	return errors.Join(j.file.Close(), os.RemoveAll(j.dir))
}
