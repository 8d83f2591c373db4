package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"ragdesk/build"
)

func (f *fetcher) packedPath(a build.Asset) string { return filepath.Join(f.placed, a.Packed()) }

// place makes the asset's compressed file right.
func (f *fetcher) place(ctx context.Context, a build.Asset) error {
	path := f.packedPath(a)
	if f.noted(path, a.SHA256) {
		f.printf("%s %s: in place", a.Name, a.Version)
		return nil
	}
	switch err := verifyPacked(path, a); {
	case err == nil:
		f.printf("%s %s: in place, verified", a.Name, a.Version)
		return f.note(path, a.SHA256)
	case errors.Is(err, os.ErrNotExist):
		f.printf("%s %s: missing", a.Name, a.Version)
	default:
		f.printf("%s %s: %v", a.Name, a.Version, err)
	}
	raw, err := f.raw(ctx, a)
	if err != nil {
		return err
	}
	if err := pack(raw, path); err != nil {
		return fmt.Errorf("place %s: %w", a.Name, err)
	}
	f.printf("  placed %s", path)
	return f.note(path, a.SHA256)
}

// pack compresses the file raw into path.
func pack(raw, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	from, err := os.Open(raw)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // opened for reading
	return atomically(path, func(w *os.File) error {
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
		if err != nil {
			return err
		}
		_, err = io.Copy(z, from)
		return errors.Join(err, z.Close())
	})
}

// verifyPacked compares what a compressed file holds with the lock.
func verifyPacked(path string, a build.Asset) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading
	z, err := zstd.NewReader(file)
	if err != nil {
		return err
	}
	defer z.Close()
	return verifyReader(z, a)
}

// note and noted remember, by size and time, that a file was verified, so that a
// run that has nothing to do hashes nothing. The note of path is a small file in
// the cache.
type note struct {
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime_ns"`
}

func (f *fetcher) notePath(path string) string {
	return filepath.Join(f.cache, "placed", filepath.Base(path)+".json")
}

func state(path, sum string) (note, error) {
	info, err := os.Stat(path)
	if err != nil {
		return note{}, err
	}
	return note{sum, info.Size(), info.ModTime().UnixNano()}, nil
}

func (f *fetcher) noted(path, sum string) bool {
	now, err := state(path, sum)
	if err != nil {
		return false
	}
	raw, err := os.ReadFile(f.notePath(path))
	if err != nil {
		return false
	}
	var then note
	return json.Unmarshal(raw, &then) == nil && then == now
}

func (f *fetcher) note(path, sum string) error {
	now, err := state(path, sum)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(now)
	if err != nil {
		return err
	}
	to := f.notePath(path)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return atomically(to, func(w *os.File) error {
		_, err := w.Write(raw)
		return err
	})
}

// check verifies everything in place and changes nothing.
func (f *fetcher) check() error {
	wrong := 0
	report := func(name string, err error) {
		switch {
		case err == nil:
			f.printf("%s: right", name)
			return
		case errors.Is(err, os.ErrNotExist):
			f.printf("%s: missing", name)
		default:
			f.printf("%s: %v", name, err)
		}
		wrong++
	}
	for _, a := range f.lock.Assets {
		if a.Embedded() && f.wanted(a) {
			report(a.Name, verifyPacked(f.packedPath(a), a))
		}
		if a.Optional && f.optional {
			report(a.Name, f.verifyCached(a))
		}
	}
	for _, c := range f.lock.Compiled {
		report(c.File, f.verifyCompiled(c))
	}
	if wrong > 0 {
		return fmt.Errorf("%d of the assets are missing or wrong; run: %s", wrong, mend)
	}
	return nil
}

// verifyCached compares an asset's raw file, in either cache, with the lock.
func (f *fetcher) verifyCached(a build.Asset) error {
	err := verify(f.rawPath(f.cache, a), a)
	if errors.Is(err, os.ErrNotExist) && f.shared != "" {
		return verify(f.rawPath(f.shared, a), a)
	}
	return err
}
