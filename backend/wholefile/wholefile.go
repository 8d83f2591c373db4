// Package wholefile writes small files that are there whole or not at all, whatever ends the
// program, and tidies away what a killed program left of larger ones.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Write puts content at path, in the place of a file that is there, with the permissions
// perm. Its folder is made for the user alone if it is not there.
func Write(path string, content []byte, perm fs.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), Mark(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(content)
	if err == nil {
		err = errors.Join(temp.Chmod(perm), temp.Sync())
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(temp.Name(), path)
}

// part is in the names of files that are not whole yet.
const part = ".part-"

// Mark is how the name of a file or folder begins that will stand at path once it is whole.
func Mark(path string) string { return "." + filepath.Base(path) + part }

// abandoned is how long nothing was written to what its program has left.
const abandoned = time.Hour

// Sweep removes from dir what is not whole and was not written to for an hour: the program
// that wrote it was killed. Names begin with mark: Mark of a file, or "." in a folder that is
// the program's own. It does what it can; a folder that is not there is clean.
func Sweep(dir, mark string, now time.Time) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), mark) || !strings.Contains(e.Name(), part) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if last, bad := lastWritten(path); bad == nil && now.Sub(last) > abandoned {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// lastWritten is when a file, or the newest in a folder, was written to.
func lastWritten(path string) (last time.Time, err error) {
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	return last, err
}
