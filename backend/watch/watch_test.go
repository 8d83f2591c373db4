package watch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ragdesk/backend/watch"
)

// settle is short, so that tests are quick; nothing depends on how short.
const settle = 30 * time.Millisecond

// start watches paths and returns a channel that gets a value at each call.
func start(t *testing.T, paths ...string) (calls chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	calls = make(chan struct{}, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- watch.Run(ctx, paths, settle, func() error { calls <- struct{}{}; return nil })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
	time.Sleep(200 * time.Millisecond) // until the folders are watched
	return calls
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wait(t *testing.T, calls chan struct{}, what string) {
	t.Helper()
	select {
	case <-calls:
	case <-time.After(10 * time.Second):
		t.Fatalf("no call after %s", what)
	}
}

func TestChangesBelowAFolderAreTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	calls := start(t, dir)
	write(t, filepath.Join(dir, "a.txt"))
	wait(t, calls, "a new file")
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	wait(t, calls, "a new folder")
	write(t, filepath.Join(sub, "b.txt"))
	wait(t, calls, "a file in the new folder")
	if err := os.Remove(filepath.Join(dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	wait(t, calls, "a removal")
}

func TestAFileIsWatchedAndItsNeighboursAreNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	write(t, path)
	calls := start(t, path)
	write(t, filepath.Join(dir, "b.txt"))
	write(t, filepath.Join(dir, ".a.txt.swp"))
	select {
	case <-calls:
		t.Error("told of a neighbour")
	case <-time.After(10 * settle):
	}
	write(t, filepath.Join(dir, "new"))
	if err := os.Rename(filepath.Join(dir, "new"), path); err != nil { // as editors save
		t.Fatal(err)
	}
	wait(t, calls, "a replaced file")
}

func TestRelativePathsAreWatchedToo(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.txt")
	if err := os.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	calls := start(t, "a.txt", "./sub")
	if err := os.WriteFile("a.txt", []byte("written in place"), 0o600); err != nil {
		t.Fatal(err)
	}
	wait(t, calls, "a write to a file named relatively")
	write(t, filepath.Join("sub", "b.txt"))
	wait(t, calls, "a file in a folder named relatively")
}

func TestErrorsEndIt(t *testing.T) {
	t.Parallel()
	if err := watch.Run(t.Context(), []string{filepath.Join(t.TempDir(), "none")}, settle, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing path: %v", err)
	}
	dir, boom := t.TempDir(), errors.New("boom")
	ended := make(chan error, 1)
	go func() { ended <- watch.Run(t.Context(), []string{dir}, settle, func() error { return boom }) }()
	for {
		write(t, filepath.Join(dir, "a.txt"))
		select {
		case err := <-ended:
			if !errors.Is(err, boom) {
				t.Errorf("got %v", err)
			}
			return
		case <-time.After(5 * settle):
		}
	}
}
