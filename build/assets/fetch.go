package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ragdesk/build"
)

// hub is the address that a mirror replaces.
const hub = "https://huggingface.co"

// fetcher puts assets in place.
type fetcher struct {
	lock   build.Lock
	wanted func(build.Asset) bool
	// optional asks for the optional assets too.
	optional bool
	// root is the repository, placed its folder of embedded assets, cache its
	// download cache; shared is a further cache, or empty.
	root, placed, cache, shared string
	mirror                      string
	http                        download
	log                         io.Writer
}

func (f *fetcher) printf(format string, args ...any) { fmt.Fprintf(f.log, format+"\n", args...) }

// fetch makes every wanted asset and every compiled file right. It tries all of
// them before it reports what failed.
func (f *fetcher) fetch(ctx context.Context) error {
	var failed []error
	for _, a := range f.lock.Assets {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if a.Optional && f.optional {
			f.printf("%s %s:", a.Name, a.Version)
			_, err := f.raw(ctx, a)
			failed = append(failed, err)
		}
		if !a.Embedded() {
			continue
		}
		if !f.wanted(a) {
			failed = append(failed, f.withdraw(a))
			continue
		}
		failed = append(failed, f.place(ctx, a))
	}
	for _, c := range f.lock.Compiled {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = append(failed, f.compile(ctx, c))
	}
	return errors.Join(failed...)
}

// withdraw removes another platform's asset, which would only swell the build.
func (f *fetcher) withdraw(a build.Asset) error {
	err := os.Remove(f.packedPath(a))
	if err == nil {
		f.printf("%s: removed, not for this platform", a.Name)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return err
}

// raw returns the path of the asset's verified raw file in the cache, getting it
// from the first source that gives the right bytes.
func (f *fetcher) raw(ctx context.Context, a build.Asset) (string, error) {
	path := f.rawPath(f.cache, a)
	for _, have := range []string{path, f.rawPath(f.shared, a)} {
		switch err := verify(have, a); {
		case have == "" || errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			f.printf("  cache %s: %v", have, err)
			continue
		}
		f.printf("  cache %s", have)
		return have, nil
	}
	var tried []error
	for _, s := range a.Sources {
		f.printf("  %s: fetching", s)
		err := f.from(ctx, s, a, path)
		if err == nil {
			f.printf("  %s: %d bytes, sha256 as locked", s, a.Size)
			return path, f.share(path, a)
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		f.printf("  %s: %v", s, err)
		tried = append(tried, fmt.Errorf("%s: %w", s, err))
	}
	return "", fmt.Errorf("%s: no source gave it:\n  %w", a.Name, errors.Join(tried...))
}

// rawPath is where a cache folder keeps an asset, "" without a folder.
func (f *fetcher) rawPath(dir string, a build.Asset) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "assets", a.Cached())
}

// from gets an asset from one source into the cache file at path.
func (f *fetcher) from(ctx context.Context, s build.Source, a build.Asset, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if s.URL != "" {
		url := s.URL
		if rest, ok := strings.CutPrefix(url, hub); ok && f.mirror != "" {
			url = strings.TrimSuffix(f.mirror, "/") + rest
		}
		return f.http.get(ctx, url, path, a)
	}
	parts := s.Parts
	if len(parts) == 0 {
		parts = []build.Source{s}
	}
	packages := make([]string, len(parts))
	for i, part := range parts {
		var err error
		if packages[i], err = f.pkg(ctx, part); err != nil {
			return err
		}
	}
	return atomically(path, func(w *os.File) error {
		for i, part := range parts {
			if err := extract(packages[i], part.Path, w); err != nil {
				return err
			}
		}
		return verify(w.Name(), a)
	})
}

// share leaves a copy in the shared cache.
func (f *fetcher) share(path string, a build.Asset) error {
	if f.shared == "" {
		return nil
	}
	to := f.rawPath(f.shared, a)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("share %s: %w", a.Name, err)
	}
	from, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("share %s: %w", a.Name, err)
	}
	defer func() { _ = from.Close() }() // opened for reading
	return atomically(to, func(w *os.File) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// atomically writes path through a temporary file beside it, so that path is
// complete or untouched.
func atomically(path string, write func(*os.File) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // renamed away, when all went well
	err = write(tmp)
	if err == nil {
		err = errors.Join(tmp.Chmod(0o644), tmp.Sync())
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
