package bundle

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/flate"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/wholefile"
)

// level of compression: most of a workspace is vectors, which hardly shrink.
const level = 3

// Source is a file to put into a bundle.
type Source struct {
	// Name is its '/'-separated path in the bundle, Path where it lies.
	Name, Path string
	// Size is about how large it is, for progress.
	Size int64
}

// Write makes a bundle of the sources at path, in the place of a file that is there, and
// returns its manifest: m with the files and the hash of them all. A source that is gone by
// then is left out. Progress counts bytes in the step "pack".
//
// Faults: disk_full {path}, unwritable {path}, unreadable {path}.
func Write(ctx context.Context, path string, m Manifest, sources []Source, progress rag.Progress) (_ Manifest, err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), wholefile.Mark(path))
	if err != nil {
		return Manifest{}, writeFault(err, path)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	m, err = pack(ctx, temp, m, sources, progress)
	if err == nil {
		err = writeFault(temp.Sync(), path)
	}
	if err = errors.Join(err, writeFault(temp.Close(), path)); err != nil {
		return Manifest{}, err
	}
	if err = os.Rename(temp.Name(), path); err != nil {
		return Manifest{}, writeFault(err, path)
	}
	return m, nil
}

func writeFault(err error, path string) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Wrap(err, "unwritable", fault.P("path", path)) // a full disk tells its own fault
}

func pack(ctx context.Context, to *os.File, m Manifest, sources []Source, progress rag.Progress) (Manifest, error) {
	sources = slices.Clone(sources)
	slices.SortFunc(sources, func(a, b Source) int { return cmp.Compare(a.Name, b.Name) })
	total := int64(0)
	for _, s := range sources {
		if !SafeName(s.Name) {
			return m, fmt.Errorf("a file of a bundle cannot be called %q", s.Name)
		}
		total += s.Size
	}
	progress.Stage("pack", int(total))
	z := zip.NewWriter(to)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, level) })
	m.Format, m.Files = Format, make([]File, 0, len(sources))
	for _, s := range sources {
		f, err := packOne(ctx, z, s, progress)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return m, writeFault(err, to.Name())
		}
		m.Files = append(m.Files, f)
	}
	m.Content = contentOf(m.Files)
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, fmt.Errorf("write the manifest of a bundle: %w", err)
	}
	entry, err := z.Create(manifestName)
	if err == nil {
		_, err = entry.Write(append(raw, '\n'))
	}
	return m, writeFault(errors.Join(err, z.Close()), to.Name())
}

func packOne(ctx context.Context, z *zip.Writer, s Source, progress rag.Progress) (File, error) {
	in, err := os.Open(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, err
	}
	if err != nil {
		return File{}, fault.Wrap(err, "unreadable", fault.P("path", s.Path))
	}
	defer func() { _ = in.Close() }() // opened for reading
	entry, err := z.CreateHeader(&zip.FileHeader{Name: s.Name, Method: zip.Deflate})
	if err != nil {
		return File{}, err
	}
	sum := sha256.New()
	n, err := copyAll(ctx, io.MultiWriter(entry, sum), in, progress)
	return File{s.Name, n, hex.EncodeToString(sum.Sum(nil))}, err
}

// copyAll copies until the end or ctx's, and counts bytes.
func copyAll(ctx context.Context, w io.Writer, r io.Reader, progress rag.Progress) (n int64, err error) {
	buffer := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		got, readErr := r.Read(buffer)
		if got > 0 {
			if _, err := w.Write(buffer[:got]); err != nil {
				return n, err
			}
			n += int64(got)
			progress.Add(got)
		}
		if errors.Is(readErr, io.EOF) {
			return n, nil
		}
		if readErr != nil {
			return n, readErr
		}
	}
}
