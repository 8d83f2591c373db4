package ingest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// file is a path to ingest.
type file struct {
	// source is the given path joined with the path inside it, '/'-separated.
	source string
	path   string
	// real is the path after links; empty when err is set.
	real string
	size int64
	// modified is when the file was last changed; zero when unknown.
	modified time.Time
	// err is set for what cannot be read at all.
	err error
	// skip says why a file inside a given folder is passed over; without a code it
	// is not.
	skip rag.Notice
	// data is the content when loaded is set; else it is still to be read.
	data   []byte
	loaded bool
}

// scan is what the given paths hold.
type scan struct {
	files []file
	// roots are the real paths of the given folders.
	roots []string
	// sources are the sources of the given folders.
	sources []string
	// places are the absolute paths of the given folders, links not followed;
	// entered those of all folders that were read, skipped those of what was passed
	// over.
	places  []string
	entered map[string]bool
	skipped []string
}

// scanPaths lists the files of paths in the order given, each folder in order
// of names. Links are followed, a folder is entered once. Names beginning with
// a dot, and what a .ragdeskignore names, are passed over inside folders and
// listed as skipped.
func scanPaths(ctx context.Context, paths []given) (scan, error) {
	s := scanner{seen: map[string]bool{}, out: scan{entered: map[string]bool{}}}
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return scan{}, err
		}
		before := len(s.out.files)
		s.given(p.path)
		if p.source == "" {
			continue
		}
		for i := range s.out.files[before:] {
			f := &s.out.files[before+i]
			f.source = pathpkg.Join(p.source, strings.TrimPrefix(f.source, filepath.ToSlash(p.path)))
		}
	}
	return s.out, ctx.Err()
}

type scanner struct {
	out  scan
	seen map[string]bool // real paths of folders entered
	// rules are those of the folders being read, outermost first.
	rules []ignoreRules
}

func (s *scanner) skip(path string, why rag.Notice) {
	s.out.files = append(s.out.files, file{source: filepath.ToSlash(path), path: path, skip: why})
	s.out.skipped = append(s.out.skipped, absolute(path))
}

// given adds a path from the command line, hidden or not.
func (s *scanner) given(path string) {
	if path == "" { // Clean would make it the current folder
		s.fail(path, fs.ErrNotExist)
		return
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		s.fail(path, err)
		return
	}
	if !info.IsDir() {
		s.add(path, info)
		return
	}
	real, err := realPath(path)
	if err != nil {
		s.fail(path, err)
		return
	}
	s.out.roots = append(s.out.roots, real)
	s.out.sources = append(s.out.sources, filepath.ToSlash(path))
	s.out.places = append(s.out.places, absolute(path))
	s.folder(path, real)
}

func (s *scanner) folder(path, real string) {
	if s.seen[real] {
		return
	}
	s.seen[real] = true
	entries, err := os.ReadDir(path)
	if err != nil {
		s.fail(path, err)
		return
	}
	s.out.entered[absolute(path)] = true
	defer s.enter(path)()
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	for _, e := range entries {
		s.entry(filepath.Join(path, e.Name()), e)
	}
}

// entry adds what a folder holds.
func (s *scanner) entry(path string, e fs.DirEntry) {
	if strings.HasPrefix(e.Name(), ".") {
		s.skip(path, rag.Notice{Code: "hidden_file", Detail: e.Name()})
		return
	}
	if s.ignored(path, e) {
		s.skip(path, rag.Notice{Code: "ignored_file", Detail: e.Name()})
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		s.fail(path, err)
		return
	}
	if !info.IsDir() {
		s.add(path, info)
		return
	}
	real, err := realPath(path)
	if err != nil {
		s.fail(path, err)
		return
	}
	s.folder(path, real)
}

func (s *scanner) add(path string, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		s.out.files = append(s.out.files, file{source: filepath.ToSlash(path), path: path,
			err: fault.New("not_a_file", fault.P("path", path), fault.P("mode", info.Mode().Type()))})
		return
	}
	real, err := realPath(path)
	if err != nil {
		s.fail(path, err)
		return
	}
	s.out.files = append(s.out.files, file{source: filepath.ToSlash(path), path: path, real: real, size: info.Size(),
		modified: info.ModTime()})
}

// realPath is the absolute path after links.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

func (s *scanner) fail(path string, err error) {
	s.out.files = append(s.out.files, file{source: filepath.ToSlash(path), path: path, err: readFault(path, err)})
}

// readFault gives a file-system error the code its user can act on.
func readFault(path string, err error) error {
	code := "unreadable"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = "not_found"
	case errors.Is(err, fs.ErrPermission):
		code = "permission"
	}
	return fault.Wrap(err, code, fault.P("path", path))
}
