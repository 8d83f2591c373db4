package runstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// Lines is a file of what people said, a JSON value a line. It is only ever appended to,
// so that nothing is lost to another: what is changed or taken back is a further line. It
// is safe for concurrent use, also by several processes, because a line is written at
// once.
type Lines[T any] struct {
	mu   sync.Mutex
	path string
}

// Labels is what people said of claims.
type Labels = Lines[runs.LabelEvent]

// Ratings is what people said of answers.
type Ratings = Lines[runs.Rating]

// OpenLabels returns the labels kept in the file at path, which need not exist yet.
func OpenLabels(path string) *Labels { return &Labels{path: path} }

// OpenRatings returns the ratings kept in the file at path, which need not exist yet.
func OpenRatings(path string) *Ratings { return &Ratings{path: path} }

// Read returns all events in their order. A last line that a crash cut short was never
// reported as kept, and is left out; another line that cannot be read is the fault
// "labels_broken" {path, line}.
func (l *Lines[T]) Read() ([]T, error) {
	f, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, "unreadable", fault.P("path", l.path))
	}
	defer func() { _ = f.Close() }() // opened for reading
	var out []T
	n := 0
	err = eachLine(f, func(line []byte, whole bool) error {
		n++
		if !whole || bytes.HasSuffix(line, torn) || len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		var e T
		if err := json.Unmarshal(line, &e); err != nil {
			return fault.Wrap(err, "labels_broken", fault.P("path", l.path), fault.P("line", n))
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// Append adds events and returns when the disk has them. The fault is "unwritable".
func (l *Lines[T]) Append(events []T) (err error) {
	if len(events) == 0 {
		return nil
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("encode a line: %w", err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() {
		if err != nil {
			err = fault.Wrap(err, "unwritable", fault.P("path", l.path))
		}
	}()
	if err := os.MkdirAll(filepath.Dir(l.path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	broken, err := endsTorn(f)
	if err != nil {
		return err
	}
	content := lines.Bytes()
	if broken {
		content = slices.Concat(torn, content)
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Sync()
}

// torn ends what a crash left of a line, so that it is known and left out. Nothing is cut off:
// another process may have appended since.
var torn = []byte{0, '\n'}

// endsTorn reports a file that does not end with a whole line.
func endsTorn(f *os.File) (bool, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], end-1)
	return last[0] != '\n', err
}
