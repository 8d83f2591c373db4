package bundle

import (
	"archive/zip"
	"bytes"
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
	"strings"

	"github.com/klauspost/compress/flate"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Limits of what is read.
const (
	mostManifest = 256 << 20
	// mostRatio bounds how much larger the contents are than the file, beyond freeBytes: text
	// shrinks to a tenth, and a bundle that grows a hundredfold was made to fill a disk.
	mostRatio = 100
	freeBytes = 64 << 20
)

// Reader is an open bundle, whose manifest was checked.
type Reader struct {
	Manifest Manifest
	// Size is that of the file in bytes.
	Size int64

	path    string
	file    *os.File
	entries map[string]*zip.File
}

// Open opens the bundle at path and checks that it has the files of its manifest and no
// other, under names that stay inside a folder, and no more bytes than a bundle of its size
// can have. Close must be called. Faults:
//
//	not_found {path}                         there is no such file
//	bundle_foreign {path}                    it is no bundle of this program
//	bundle_damaged {path, detail}            it was cut off or changed
//	bundle_newer {path, found, known, program}
//	bundle_unsafe {path, name}               it would write elsewhere, or fill the disk
func Open(path string) (_ *Reader, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(err, "not_found", fault.P("path", path))
	}
	r := &Reader{path: path, file: file, entries: map[string]*zip.File{}}
	defer func() {
		if err != nil {
			_ = file.Close() // opened for reading
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, fault.Wrap(err, "unreadable", fault.P("path", path))
	}
	if info.IsDir() {
		return nil, r.foreign(nil)
	}
	r.Size = info.Size()
	if err := r.index(); err != nil {
		return nil, err
	}
	return r, r.check()
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

func (r *Reader) foreign(cause error) error {
	return fault.Wrap(cause, "bundle_foreign", fault.P("path", r.path))
}

func (r *Reader) damaged(format string, args ...any) error {
	cause := fmt.Errorf(format, args...)
	return fault.Wrap(cause, "bundle_damaged", fault.P("path", r.path), fault.P("detail", cause))
}

func (r *Reader) unsafe(name string) error {
	return fault.New("bundle_unsafe", fault.P("path", r.path), fault.P("name", name))
}

// index reads the archive's list and the manifest.
func (r *Reader) index() error {
	var head [4]byte
	n, _ := r.file.ReadAt(head[:], 0)
	if !bytes.Equal(head[:n], []byte("PK\x03\x04")) {
		return r.foreign(nil)
	}
	z, err := zip.NewReader(r.file, r.Size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are checked here
		return r.damaged("no list of files at its end: %w", err)
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	var manifest *zip.File
	for _, e := range z.File {
		if e.Name == manifestName {
			manifest = e
			continue
		}
		if _, twice := r.entries[e.Name]; twice || !SafeName(e.Name) || !e.Mode().IsRegular() {
			return r.unsafe(e.Name)
		}
		r.entries[e.Name] = e
	}
	if manifest == nil {
		return r.foreign(nil)
	}
	return r.readManifest(manifest)
}

func (r *Reader) readManifest(e *zip.File) error {
	in, err := e.Open()
	if err != nil {
		return r.damaged("%s: %w", manifestName, err)
	}
	defer func() { _ = in.Close() }() // all of it is read, and checked
	raw, err := io.ReadAll(io.LimitReader(in, mostManifest))
	if err != nil {
		return r.damaged("%s: %w", manifestName, err)
	}
	var version struct {
		Format  *int   `json:"format"`
		Program string `json:"program"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(raw, &version); err != nil || version.Format == nil || version.Content == "" {
		return r.foreign(err)
	}
	if *version.Format > Format {
		return fault.New("bundle_newer", fault.P("path", r.path), fault.P("found", *version.Format),
			fault.P("known", Format), fault.P("program", version.Program))
	}
	if err := json.Unmarshal(raw, &r.Manifest); err != nil {
		return r.damaged("%s: %w", manifestName, err)
	}
	return nil
}

// check holds the archive's list against the manifest.
func (r *Reader) check() error {
	m := r.Manifest
	if got := contentOf(m.Files); got != m.Content {
		return r.damaged("the list of files was changed")
	}
	if len(m.Files) != len(r.entries) {
		return r.damaged("%d files of %d", len(r.entries), len(m.Files))
	}
	folded := map[string]bool{}
	for _, f := range m.Files {
		e, ok := r.entries[f.Path]
		if !ok {
			return r.damaged("%s is missing", f.Path)
		}
		if f.Size < 0 || e.UncompressedSize64 != uint64(f.Size) {
			return r.damaged("%s has another size", f.Path)
		}
		// Some systems know no difference between cases.
		low := strings.ToLower(f.Path)
		if folded[low] {
			return r.unsafe(f.Path)
		}
		folded[low] = true
	}
	if m.Bytes() > mostRatio*r.Size+freeBytes {
		return r.unsafe(fmt.Sprintf("%d → %d", r.Size, m.Bytes()))
	}
	return nil
}

// Unpack writes the files below dir, which must be empty, and checks size and hash of each.
// Progress counts bytes in the step "unpack". Faults besides those of Open: disk_full {path},
// unwritable {path}.
func (r *Reader) Unpack(ctx context.Context, dir string, progress rag.Progress) error {
	progress.Stage("unpack", int(r.Manifest.Bytes()))
	root, err := os.OpenRoot(dir)
	if err != nil {
		return writeFault(err, dir)
	}
	defer func() { _ = root.Close() }() // a folder that was only looked through
	for _, f := range r.Manifest.Files {
		if err := r.unpackOne(ctx, root, f, progress); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) unpackOne(ctx context.Context, root *os.Root, f File, progress rag.Progress) error {
	where := filepath.Join(root.Name(), filepath.FromSlash(f.Path))
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(f.Path)), 0o755); err != nil {
		return writeFault(err, where)
	}
	out, err := root.OpenFile(filepath.FromSlash(f.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return r.unsafe(f.Path)
	}
	if err != nil {
		return writeFault(err, where)
	}
	in, err := r.entries[f.Path].Open()
	if err != nil {
		return errors.Join(r.damaged("%s: %w", f.Path, err), out.Close())
	}
	sum := sha256.New()
	written := &failing{w: out}
	// One byte more than there should be tells of a file that is longer.
	n, err := copyAll(ctx, io.MultiWriter(written, sum), io.LimitReader(in, f.Size+1), progress)
	_ = in.Close() // its checksum is not what counts here
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case written.err != nil:
		err = writeFault(written.err, where)
	case err != nil:
		err = r.damaged("%s: %w", f.Path, err)
	case n != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256:
		err = r.damaged("%s is not what it was", f.Path)
	default:
		err = writeFault(out.Sync(), where)
	}
	return errors.Join(err, writeFault(out.Close(), where))
}

// failing remembers that writing failed, and not reading.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	f.err = err
	return n, err
}

// Under returns the files below a folder of the bundle.
func (m Manifest) Under(folder string) []File {
	return slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool { return !strings.HasPrefix(f.Path, folder+"/") })
}
