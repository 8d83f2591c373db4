package models

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Import installs a model from a folder or from a bundle: a .tar, .tar.gz,
// .tar.zst or .zip of such a folder, told apart by content. name "" takes the
// folder's or the bundle's. Only the files that a model needs are copied. Faults:
// "model_name_invalid", "model_exists" (use another name or remove it first),
// "bundle_invalid", "model_invalid", "models_unwritable".
func (f *Folder) Import(ctx context.Context, source, name string, progress rag.Progress) (Installed, error) {
	info, err := os.Stat(source)
	if err != nil {
		return Installed{}, fmt.Errorf("import model: %w", err)
	}
	if name == "" {
		name = ImportName(source)
	}
	if !validName(name) {
		return Installed{}, fault.New("model_name_invalid", fault.P("model", name))
	}
	if _, err := f.find(name); err == nil {
		return Installed{}, fault.New("model_exists", fault.P("model", name))
	}
	staging := f.staging(name)
	if err := os.RemoveAll(staging); err != nil {
		return Installed{}, folderUnwritable(staging, err)
	}
	if err := os.MkdirAll(staging, 0o755); err != nil {
		return Installed{}, folderUnwritable(staging, err)
	}
	in := &importer{to: staging, progress: progress}
	progress.Stage("import", 0)
	if info.IsDir() {
		err = in.folder(ctx, source)
	} else {
		err = in.bundle(ctx, source)
	}
	if err == nil {
		var m Installed
		e, _ := known(name)
		m, err = f.install(Manifest{
			Name: name, Licence: e.Licence, Source: "import:" + filepath.Base(source), Files: in.files,
		})
		if err == nil {
			return m, nil
		}
	}
	if fault.Is(err, "model_invalid") { // of the user's folder, not of the copy
		err = fault.Wrap(err, "model_invalid", fault.P("path", source), fault.P("reason", fault.Of(err).Params["reason"]))
	}
	// What was copied is of no use to another try.
	return Installed{}, errors.Join(err, os.RemoveAll(staging))
}

// ImportName is what Import calls a model that is given no name: as its folder, or
// its bundle without what tells the format.
func ImportName(source string) string {
	name := filepath.Base(filepath.Clean(source))
	for _, end := range []string{".zst", ".gz", ".tgz", ".tar", ".zip"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// importer copies the files of a model into a staging folder.
type importer struct {
	to       string
	files    []File
	progress rag.Progress
}

// Limits of what is imported, far above any model's.
const (
	mostFiles = 200
	mostBytes = 64 << 30
)

// needed reports whether a model's folder may need the file.
func needed(name string) bool {
	dir, base := path.Split(name)
	pooling := strings.Count(name, "/") == 1 && strings.HasSuffix(dir, "Pooling/") && base == "config.json"
	if pooling || slices.Contains(described(), name) {
		return true
	}
	// Weights lie beside their graph under names of the exporter's choice.
	weights := strings.Contains(base, ".onnx") || strings.HasSuffix(base, ".data") || strings.HasSuffix(base, "_data") ||
		strings.HasPrefix(base, "onnx__") || strings.HasSuffix(base, ".weight") || strings.HasSuffix(base, ".bias")
	return (dir == "" || dir == "onnx/") && weights
}

// folder copies from a folder. Links are followed, since the hub's own cache
// consists of them.
func (in *importer) folder(ctx context.Context, source string) error {
	root := os.DirFS(source)
	var names []string
	for _, dir := range []string{".", "onnx"} {
		entries, err := fs.ReadDir(root, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("import model: %w", err)
		}
		for _, e := range entries {
			names = append(names, path.Join(dir, e.Name()))
			if strings.HasSuffix(e.Name(), "Pooling") {
				names = append(names, path.Join(dir, e.Name(), "config.json"))
			}
		}
	}
	for _, name := range names {
		info, err := fs.Stat(root, name)
		if err != nil || !info.Mode().IsRegular() || !needed(name) {
			continue
		}
		src, err := root.Open(name)
		if err != nil {
			return fmt.Errorf("import model: %w", err)
		}
		err = in.put(ctx, name, src)
		if err := errors.Join(err, src.Close()); err != nil {
			return err
		}
	}
	return nil
}

// put copies one file.
func (in *importer) put(ctx context.Context, name string, src io.Reader) error {
	if len(in.files) >= mostFiles {
		return fmt.Errorf("more than %d files", mostFiles)
	}
	target := filepath.Join(in.to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return folderUnwritable(target, err)
	}
	dst, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return folderUnwritable(target, err)
	}
	size, err := copyContext(ctx, dst, io.LimitReader(src, mostBytes))
	if err := errors.Join(err, dst.Sync(), dst.Close()); err != nil {
		return err
	}
	sum, _, err := hashFile(ctx, target)
	if err != nil {
		return err
	}
	file := File{Path: name, Size: size, SHA256: sum}
	in.files = append(in.files, file)
	in.progress.Add(1)
	in.progress.Note(file)
	return nil
}

// bundle copies from an archive.
func (in *importer) bundle(ctx context.Context, source string) error {
	err := in.unpack(ctx, source)
	if f := (*fault.Error)(nil); err == nil || ctx.Err() != nil || errors.As(err, &f) {
		return err
	}
	return fault.Wrap(err, "bundle_invalid", fault.P("path", source), fault.P("reason", err))
}

func (in *importer) unpack(ctx context.Context, source string) error {
	file, err := os.Open(source)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading
	r := bufio.NewReader(file)
	head, err := r.Peek(4)
	if err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return in.zip(ctx, file)
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r)
		if err != nil {
			return err
		}
		defer z.Close()
		return in.tar(ctx, z)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		return in.tar(ctx, z)
	}
	return in.tar(ctx, r)
}

// root strips the one folder that an archive may have everything in: the first
// file that is needed below it tells.
type root struct {
	prefix string
	known  bool
}

// inside returns the name in the model's folder, and whether it is needed.
func (r *root) inside(name string) (string, bool) {
	name = path.Clean(strings.TrimPrefix(name, "./"))
	if !fs.ValidPath(name) || strings.ContainsAny(name, "\\:") {
		return "", false
	}
	if r.known {
		rest, ok := strings.CutPrefix(name, r.prefix)
		return rest, ok && needed(rest)
	}
	for prefix := ""; ; {
		if needed(name[len(prefix):]) {
			r.prefix, r.known = prefix, true
			return name[len(prefix):], true
		}
		folder, _, ok := strings.Cut(name[len(prefix):], "/")
		if !ok || folder == "onnx" || strings.HasSuffix(folder, "Pooling") || strings.Count(prefix, "/") > 3 {
			return "", false
		}
		prefix += folder + "/"
	}
}

func (in *importer) tar(ctx context.Context, r io.Reader) error {
	archive := tar.NewReader(r)
	var top root
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if name, ok := top.inside(h.Name); ok && h.Typeflag == tar.TypeReg {
			if err := in.put(ctx, name, archive); err != nil {
				return err
			}
		}
	}
}

func (in *importer) zip(ctx context.Context, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return err
	}
	var top root
	for _, e := range archive.File {
		name, ok := top.inside(e.Name)
		if !ok || !e.Mode().IsRegular() {
			continue
		}
		src, err := e.Open()
		if err != nil {
			return err
		}
		err = in.put(ctx, name, src)
		if err := errors.Join(err, src.Close()); err != nil {
			return err
		}
	}
	return nil
}
