package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"ragdesk/backend/fault"
)

// lockPoll is how often a waiting Lock tries again.
const lockPoll = 20 * time.Millisecond

// holder is what the lock file says of who holds the lock.
type holder struct {
	PID     int       `json:"pid"`
	Purpose string    `json:"purpose"`
	Since   time.Time `json:"since"`
	Host    string    `json:"host"`
}

// holderOffset is where the holder's JSON begins in the lock file. The byte before
// it, a blank, is the one that Windows locks against reading.
const holderOffset = 1

// Writer is the right to write to a workspace. It is for one goroutine.
type Writer struct {
	s    *Store
	lock *flock.Flock
}

// Lock takes the workspace's only right to write, waiting as long as wait for
// another holder in this process or any other; purpose tells others what the
// workspace is busy with. The system takes the lock from a process that ends,
// however it ends.
//
// Its fault after wait is workspace_locked {pid, purpose, since}, with "?" for what
// the lock file does not tell.
func (s *Store) Lock(ctx context.Context, purpose string, wait time.Duration) (*Writer, error) {
	path := s.path(lockName)
	if err := makeLockFile(path); err != nil {
		return nil, fault.Wrap(err, "workspace_unwritable", fault.P("path", s.dir))
	}
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	// First among this process's goroutines, for which the file's lock would order
	// nothing that they have in memory.
	if err := s.takeTurn(ctx, deadline.C); err != nil {
		return nil, err
	}
	w := &Writer{s: s, lock: flock.New(path)}
	err := s.takeFile(ctx, w.lock, deadline.C)
	if err == nil {
		if err = writeHolder(path, purpose); err == nil {
			return w, nil
		}
		err = errors.Join(s.fail(err, "write %s", path), w.lock.Unlock())
	}
	<-s.turn
	return nil, err
}

// takeTurn waits for the other Writers of s.
func (s *Store) takeTurn(ctx context.Context, deadline <-chan time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-deadline:
		return lockedFault(s.path(lockName))
	}
}

// takeFile waits for the Writers of other processes, and of other Stores in this
// one. It tries once at least.
func (s *Store) takeFile(ctx context.Context, l *flock.Flock, deadline <-chan time.Time) error {
	again := time.NewTicker(lockPoll)
	defer again.Stop()
	for {
		ok, err := l.TryLock()
		switch {
		case ok:
			return nil
		case errors.Is(err, fs.ErrPermission):
			return fault.Wrap(err, "workspace_unwritable", fault.P("path", s.dir))
		case err != nil:
			return fmt.Errorf("lock workspace %s: %w", s.dir, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return lockedFault(l.Path())
		case <-again.C:
		}
	}
}

// Unlock gives the right to write back. Further calls do nothing, and every other
// method of an unlocked Writer is an error.
func (w *Writer) Unlock() error {
	if w.lock == nil {
		return nil
	}
	l := w.lock
	w.lock = nil
	// Whoever waits must not be told of a holder that is gone.
	err := os.Truncate(l.Path(), holderOffset)
	err = errors.Join(err, l.Unlock())
	<-w.s.turn
	if err != nil {
		return fmt.Errorf("unlock workspace %s: %w", w.s.dir, err)
	}
	return nil
}

// check returns an error when the writer has been unlocked.
func (w *Writer) check() error {
	if w.lock == nil {
		return errors.New("write to a workspace after Unlock")
	}
	return nil
}

// makeLockFile creates the lock file with its leading blank.
func makeLockFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(" ")
	return errors.Join(err, f.Close())
}

// writeHolder puts this process in the lock file, over what a killed one left.
func writeHolder(path, purpose string) error {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	b, err := json.Marshal(holder{os.Getpid(), purpose, time.Now().UTC().Truncate(time.Second), host})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(holderOffset)
	if err == nil {
		_, err = f.WriteAt(append(b, '\n'), holderOffset)
	}
	return errors.Join(err, f.Close())
}

// readHolder reads who holds the lock. A holder that has just taken it may not
// have written its name yet, so an empty file is read a few times.
func readHolder(path string) (holder, error) {
	var h holder
	var err error
	for range 20 {
		if h, err = parseHolder(path); err == nil {
			return h, nil
		}
		time.Sleep(lockPoll / 4)
	}
	return holder{}, err
}

func parseHolder(path string) (holder, error) {
	f, err := os.Open(path)
	if err != nil {
		return holder{}, err
	}
	var h holder
	const enough = 1 << 16
	err = json.NewDecoder(io.NewSectionReader(f, holderOffset, enough)).Decode(&h)
	return h, errors.Join(err, f.Close())
}

// lockedFault says who holds the lock at path.
func lockedFault(path string) error {
	h, err := readHolder(path)
	if err != nil {
		return fault.Wrap(err, "workspace_locked", fault.P("pid", "?"),
			fault.P("purpose", "?"), fault.P("since", "?"))
	}
	return fault.New("workspace_locked", fault.P("pid", h.PID), fault.P("purpose", h.Purpose),
		fault.P("since", h.Since.Format(time.RFC3339)))
}
