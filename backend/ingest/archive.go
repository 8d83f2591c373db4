package ingest

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// entryMark stands in a real path between an archive and the entry in it; no
// file system has it in a name.
const entryMark = "\x00"

// splitEntry returns the archive and the name inside it of an entry's real path.
func splitEntry(real string) (archive, name string, ok bool) { return strings.Cut(real, entryMark) }

func (f file) inArchive() bool { return strings.Contains(f.real, entryMark) }

// archive passes an item for every file in the archive f, or one for f itself
// when it cannot be read.
func (r *reader) archive(ctx context.Context, f file, pass func(*item) error) error {
	whole := &item{seq: r.seq(f.source), size: f.size, outcome: Outcome{Source: f.source}}
	data, err := readFile(f.path, r.opt.MaxBytes)
	if err != nil {
		r.settle(f, whole)
		whole.fail(err)
		return pass(whole)
	}
	n := 0
	var stopped error
	err = r.ports.Unpack(ctx, data, func(e rag.ArchiveEntry) error {
		entry := file{source: f.source + "/" + e.Name, path: f.path, real: f.real + entryMark + e.Name, data: e.Bytes, loaded: true, err: e.Err,
			modified: e.Modified}
		if hiddenEntry(e.Name) {
			entry.skip = rag.Notice{Code: "hidden_file", Detail: e.Name}
		}
		if n++; n == 1 {
			entry.size = f.size // the progress counts the archive's own bytes
		}
		stopped = r.one(ctx, entry, pass)
		return stopped
	})
	switch {
	case stopped != nil || ctx.Err() != nil:
		return errors.Join(stopped, ctx.Err())
	case err != nil:
		whole.size = 0
		r.settle(f, whole)
		whole.fail(err)
		return pass(whole)
	}
	r.unpacked[f.real], r.unpackedAt[f.place()] = true, true
	if n == 0 {
		r.settle(f, whole)
		whole.outcome.Status = rag.StatusSkipped
		whole.outcome.Warnings = []rag.Notice{{Code: "empty_archive", Detail: filepath.Base(f.path)}}
		return pass(whole)
	}
	return nil
}

// hiddenEntry reports whether a part of name begins with a dot, or is what macOS
// adds to archives.
func hiddenEntry(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || part == "__MACOSX" {
			return true
		}
	}
	return false
}

// load returns a file's bytes, those of an archive's entry as well. What is gone
// is the fault "not_found".
func (r *reader) load(ctx context.Context, f file) ([]byte, error) {
	if f.loaded {
		return f.data, nil
	}
	archive, name, ok := splitEntry(f.real)
	if !ok {
		return readFile(f.path, r.opt.MaxBytes)
	}
	data, err := readFile(archive, r.opt.MaxBytes)
	if err != nil {
		return nil, err
	}
	found := errors.New("found")
	err = r.ports.Unpack(ctx, data, func(e rag.ArchiveEntry) error {
		switch {
		case e.Name != name:
			return nil
		case e.Err != nil:
			return e.Err
		}
		data = e.Bytes
		return found
	})
	switch {
	case errors.Is(err, found):
		return data, nil
	case err != nil:
		return nil, err
	}
	return nil, fault.New("not_found", fault.P("path", filepath.Join(archive, filepath.FromSlash(name))))
}
