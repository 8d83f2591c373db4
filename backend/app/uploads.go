package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/fault"
)

// uploadsRest is how long what was dropped into the page is left alone: it may be about to
// be read, or tried again.
const uploadsRest = 24 * time.Hour

// TidyUploads deletes files that were dropped into the page more than a day ago and to which
// no library refers: those of datasets that were not imported, of cancelled ingestions and of
// documents that were removed. While another program writes it does nothing.
func (s *Service) TidyUploads(ctx context.Context) error {
	rested, err := s.restedUploads()
	if err != nil || len(rested) == 0 {
		return err
	}
	st, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	w, err := st.Lock(ctx, "uploads", time.Second)
	if fault.Is(err, "workspace_locked") {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock(w)
	used, err := s.placesInUse(ctx)
	if err != nil {
		return err
	}
	for _, rel := range rested {
		if !used.has(rel) {
			err = errors.Join(err, s.removeUpload(rel))
		}
	}
	return err
}

// restedUploads lists the files that were dropped into the page long enough ago, by their
// places in the uploads' folder.
func (s *Service) restedUploads() (rested []string, err error) {
	root := s.inWorkspace(UploadsFolder)
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == root {
			return fs.SkipAll
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) <= uploadsRest {
			return err
		}
		rel, err := filepath.Rel(root, path)
		rested = append(rested, rel)
		return err
	})
	return rested, err
}

// forgetUpload deletes a file that was dropped into the page for one purpose that is served,
// unless a library refers to it; any other file stays.
func (s *Service) forgetUpload(ctx context.Context, path string) error {
	rel, err := filepath.Rel(s.inWorkspace(UploadsFolder), path)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return nil //nolint:nilerr // what does not lie below the folder is no upload
	}
	used, err := s.placesInUse(ctx)
	if err != nil || used.has(rel) {
		return err
	}
	return s.removeUpload(rel)
}

// removeUpload deletes a file of the uploads' folder and the folders that it leaves empty.
func (s *Service) removeUpload(rel string) error {
	root := s.inWorkspace(UploadsFolder)
	path := filepath.Join(root, rel)
	if err := os.Remove(path); err != nil {
		return fault.Wrap(err, "unwritable", fault.P("path", path))
	}
	for dir := filepath.Dir(path); dir != root && strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		if empty, err := isEmpty(dir); err != nil || !empty {
			return err
		}
		if err := os.Remove(dir); err != nil {
			return fault.Wrap(err, "unwritable", fault.P("path", dir))
		}
	}
	return nil
}

func isEmpty(dir string) (bool, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return false, fault.Wrap(err, "unreadable", fault.P("path", dir))
	}
	return len(list) == 0, nil
}

// places are paths below a folder of the uploads' name, with slashes, sorted.
type places []string

// add adds what follows the folder's name in a path, each time that it stands there: a
// workspace that was moved, or is reached by a link, has its uploads under another path.
func (p *places) add(paths ...string) {
	for _, path := range paths {
		rest, ok := filepath.ToSlash(path), true
		for ok {
			if _, rest, ok = strings.Cut(rest, "/"+UploadsFolder+"/"); ok {
				*p = append(*p, rest)
				rest = "/" + rest
			}
		}
	}
}

// has reports whether one of the places is rel, or lies in it, as in an archive.
func (p places) has(rel string) bool {
	rel = filepath.ToSlash(rel)
	i, _ := slices.BinarySearch(p, rel)
	return i < len(p) && strings.HasPrefix(p[i], rel)
}

// placesInUse are where in an uploads' folder the documents of all libraries came from, and
// the files that could not be read and may be tried again.
func (s *Service) placesInUse(ctx context.Context) (places, error) {
	libs, err := s.libraries(ctx)
	if err != nil {
		return nil, err
	}
	var out places
	for _, lib := range libs {
		docs, err := s.store.Documents(ctx, lib)
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			out.add(d.RealPath, d.Source)
		}
		aliases, err := s.store.Aliases(ctx, lib)
		if err != nil {
			return nil, err
		}
		for _, a := range aliases {
			out.add(a.RealPath, a.Source)
		}
		unread, err := s.store.Unread(ctx, lib)
		if err != nil {
			return nil, err
		}
		for _, u := range unread {
			out.add(u.Place, u.Source)
		}
	}
	slices.Sort(out)
	return out, nil
}
