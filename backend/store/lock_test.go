package store_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func TestLockWithinAProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	first, err := s.Lock(t.Context(), "ingest 笔记", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Lock(t.Context(), "second", 30*time.Millisecond)
	wantFault(t, err, "workspace_locked", fault.P("pid", os.Getpid()), fault.P("purpose", "ingest 笔记"))
	_, err = open(t, dir).Lock(t.Context(), "second", 0)
	wantFault(t, err, "workspace_locked", fault.P("purpose", "ingest 笔记"))

	done := make(chan error)
	time.AfterFunc(50*time.Millisecond, func() { done <- first.Unlock() })
	second, err := s.Lock(t.Context(), "second", time.Minute)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatalf("lock that was given back: %v", err)
	}
	if err := first.Unlock(); err != nil {
		t.Errorf("second Unlock: %v", err)
	}
	if _, err := first.CreateLibrary(t.Context(), "late", settings()); err == nil {
		t.Error("a write after Unlock: no error")
	}
	if _, err := first.Apply(t.Context(), rag.Library{}, rag.Change{}); err == nil {
		t.Error("a change after Unlock: no error")
	}
	_, err = s.Lock(t.Context(), "third", 0) // the needless Unlock gave nothing away
	wantFault(t, err, "workspace_locked", fault.P("purpose", "second"))
	if err := second.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestLockExcludes(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	var wg sync.WaitGroup
	inside, n := 0, 0
	for range 4 {
		wg.Go(func() {
			for range 10 {
				w, err := s.Lock(t.Context(), "count", time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				if inside++; inside != 1 { // the race detector watches as well
					t.Errorf("%d hold the lock", inside)
				}
				n++
				inside--
				if err := w.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n != 40 {
		t.Errorf("%d turns, want 40", n)
	}
}

func TestLockFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	path := filepath.Join(dir, "lock")
	stale := ` {"pid":1,"purpose":"` + strings.Repeat("long ago ", 100) + `","since":"2020-01-01T00:00:00Z","host":"h"}`
	if err := os.WriteFile(path, []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := s.Lock(t.Context(), `with "quotes"`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		PID     int
		Purpose string
		Since   time.Time
		Host    *string
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if got.PID != os.Getpid() || got.Purpose != `with "quotes"` || got.Since.Year() < 2024 || got.Host == nil {
		t.Errorf("lock file %s", b)
	}
	// Somebody spoilt the file: the lock holds all the same.
	if err := os.WriteFile(path, []byte("?"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.Lock(t.Context(), "other", 0)
	wantFault(t, err, "workspace_locked", fault.P("pid", "?"), fault.P("purpose", "?"), fault.P("since", "?"))
	if err := w.Unlock(); err != nil {
		t.Error(err)
	}
	if w, err = s.Lock(t.Context(), "again", 0); err != nil {
		t.Fatal(err)
	}
	if err := w.Unlock(); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) != 1 {
		t.Errorf("after Unlock the file says %q, error %v", b, err)
	}
}
