// Package watch tells when files and folders change, after they have come to
// rest.
//
//	err := watch.Run(ctx, []string{"docs"}, time.Second, func() error { … })
package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Run calls changed whenever something under paths was made, written, renamed or
// removed and nothing more has happened for settle. It returns changed's first
// error, or ctx.Err(). Names beginning with a dot are not looked at. A path that
// is not there is an error.
func Run(ctx context.Context, paths []string, settle time.Duration, changed func() error) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	defer func() { _ = w.Close() }() // the kernel forgets the rest with the process
	files := map[string]bool{}
	for _, p := range paths {
		if err := add(w, p, files); err != nil {
			return err
		}
	}
	rest := time.NewTimer(settle)
	rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-w.Events:
			if !concerns(e, files) {
				continue
			}
			if e.Has(fsnotify.Create) {
				if err := add(w, e.Name, files); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
			rest.Reset(settle)
		case err := <-w.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watch files: %w", err)
			}
			rest.Reset(settle) // something changed, whatever it was
		case <-rest.C:
			if err := changed(); err != nil {
				return err
			}
		}
	}
}

// concerns reports whether an event is about a watched path. A folder that is
// only watched for one file in it concerns that file alone.
func concerns(e fsnotify.Event, files map[string]bool) bool {
	name := filepath.Clean(e.Name) // relative names come with a dot before them
	if e.Op == fsnotify.Chmod || strings.HasPrefix(filepath.Base(name), ".") && filepath.Base(name) != ".ragdeskignore" {
		return false
	}
	only, watched := files[filepath.Dir(name)]
	return !watched || !only || files[name]
}

// add watches path: a folder with all below it, a file through its folder, since
// editors replace files. files tells of a folder whether only some of its files
// are watched, and lists those.
func add(w *fsnotify.Watcher, path string, files map[string]bool) error {
	path = filepath.Clean(path)
	return filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && at == path:
			return fmt.Errorf("watch %s: %w", path, err)
		case err != nil:
			return nil //nolint:nilerr // gone again, or unreadable: ingestion reports it
		case !d.IsDir() && at == path:
			files[at] = true
			dir := filepath.Dir(at)
			if _, known := files[dir]; !known {
				files[dir] = true
			}
			return w.Add(dir)
		case !d.IsDir():
			return nil
		case at != path && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		files[at] = false
		return w.Add(at)
	})
}
