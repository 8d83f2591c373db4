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
	"sync"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// Labels is the file of what people said of claims. It is only ever appended to, so
// that no label is lost to another: a label that is changed or taken back is a further
// line. It is safe for concurrent use, also by several processes, because a line is
// written at once.
type Labels struct {
	mu   sync.Mutex
	path string
}

// OpenLabels returns the labels kept in the file at path, which need not exist yet.
func OpenLabels(path string) *Labels { return &Labels{path: path} }

// Read returns all events in their order. A last line that a crash cut short was never
// reported as kept, and is left out; another line that cannot be read is the fault
// "labels_broken" {path, line}.
func (l *Labels) Read() ([]runs.LabelEvent, error) {
	f, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, "unreadable", fault.P("path", l.path))
	}
	defer func() { _ = f.Close() }() // opened for reading
	var out []runs.LabelEvent
	n := 0
	err = eachLine(f, func(line []byte, whole bool) error {
		n++
		if !whole || len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		var e runs.LabelEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return fault.Wrap(err, "labels_broken", fault.P("path", l.path), fault.P("line", n))
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// Append adds events and returns when the disk has them. The fault is "unwritable".
func (l *Labels) Append(events []runs.LabelEvent) (err error) {
	if len(events) == 0 {
		return nil
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("encode a label: %w", err)
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
	if err := cutTorn(f); err != nil {
		return err
	}
	if _, err := f.Write(lines.Bytes()); err != nil {
		return err
	}
	return f.Sync()
}

// cutTorn takes away the beginning of a line that a crash left at the end.
func cutTorn(f *os.File) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	for at := end; at > 0; at-- {
		var b [1]byte
		if _, err := f.ReadAt(b[:], at-1); err != nil {
			return err
		}
		if b[0] == '\n' {
			if at < end {
				return f.Truncate(at)
			}
			return nil
		}
	}
	return f.Truncate(0)
}
