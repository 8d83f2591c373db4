package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/bundle"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Folders of a workspace.
const (
	labelsFolder  = "labels"
	promptsFolder = "prompts"
	ratingsFolder = "ratings"
	repliesFolder = "replies"
	runsFolder    = "runs"
	// UploadsFolder has the files that were dropped into the page, BackupsFolder the
	// bundles that were made without a name and those of what was replaced.
	UploadsFolder = "uploads"
	BackupsFolder = "backups"
	// modelsFolder is in bundles alone.
	modelsFolder = "models"
	databaseFile = "ragdesk.db"
)

// bundleParts are the folders that a bundle holds beside the database. Indexes and token
// vectors are left out: they are built again, with the same results.
func bundleParts() []string {
	return []string{labelsFolder, promptsFolder, ratingsFolder, repliesFolder, runsFolder, UploadsFolder}
}

// inWorkspace is a place in the workspace.
func (s *Service) inWorkspace(names ...string) string {
	return filepath.Join(append([]string{s.cfg.Workspace}, names...)...)
}

// hidden reports whether a file is a working file that no bundle holds: one that is being
// written, the journal of an evaluation under way, and bundles themselves.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") && !strings.HasPrefix(name, ".marks-") || strings.HasSuffix(name, bundle.Ending)
}

// partFiles lists the files of the bundle's folders, and the names that no bundle can hold.
func (s *Service) partFiles() (files []bundle.Source, odd []string, err error) {
	for _, part := range bundleParts() {
		root := s.inWorkspace(part)
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since it was listed
			}
			if err != nil {
				return fault.Wrap(err, "unreadable", fault.P("path", path))
			}
			switch {
			case path != root && hidden(e.Name()) && e.IsDir():
				return filepath.SkipDir
			case e.IsDir() || hidden(e.Name()) || !e.Type().IsRegular():
				return nil
			}
			rel, err := filepath.Rel(s.cfg.Workspace, path)
			if err != nil {
				return err
			}
			source := bundle.Source{Name: filepath.ToSlash(rel), Path: path}
			if !bundle.SafeName(source.Name) {
				odd = append(odd, path)
				return nil
			}
			if info, err := e.Info(); err == nil {
				source.Size = info.Size()
			}
			files = append(files, source)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return files, odd, nil
}

// holdings are what the workspace has, as a manifest says it.
func (s *Service) holdings(ctx context.Context) (bundle.Holds, error) {
	libs, err := s.libraries(ctx)
	if err != nil {
		return bundle.Holds{}, err
	}
	out := bundle.Holds{Libraries: []bundle.Library{}, Datasets: []string{}, Models: []string{}}
	for _, lib := range libs {
		out.Libraries = append(out.Libraries, bundle.Library{
			Name: lib.Name, Documents: lib.Documents, Chunks: lib.Chunks, Embedder: lib.Embedder,
			EmbedderFingerprint: lib.EmbedderFingerprint, Dim: lib.Dim, Fingerprint: lib.Fingerprint(),
		})
	}
	sets, err := s.store.Datasets(ctx)
	if err != nil {
		return bundle.Holds{}, err
	}
	for _, set := range sets {
		if !slices.Contains(out.Datasets, set.Name) {
			out.Datasets = append(out.Datasets, set.Name)
		}
	}
	files, _, err := s.partFiles()
	if err != nil {
		return bundle.Holds{}, err
	}
	return out, s.countParts(&out, files)
}

// countParts counts what the files of a workspace are.
func (s *Service) countParts(out *bundle.Holds, files []bundle.Source) error {
	for _, f := range files {
		part, rest, _ := strings.Cut(f.Name, "/")
		switch {
		case part == runsFolder && strings.HasSuffix(rest, "/run.json"):
			out.Runs++
		case part == promptsFolder:
			out.Prompts++
		case part == repliesFolder:
			out.Replies++
		case part == UploadsFolder:
			out.Uploads++
		}
	}
	book, err := s.book()
	if err != nil {
		return err
	}
	for _, item := range book.Items() {
		out.Labels += len(book.Labels(item.Key))
	}
	rated, err := s.rated()
	out.Ratings = len(rated)
	return err
}

// nothing reports that there is nothing to replace.
func nothing(h bundle.Holds) bool {
	return len(h.Libraries)+len(h.Datasets)+h.Runs+h.Labels+h.Ratings+h.Prompts == 0
}

func bundleCounts(h bundle.Holds) api.BundleCounts {
	return api.BundleCounts{Runs: h.Runs, Labels: h.Labels, Ratings: h.Ratings, Prompts: h.Prompts, Replies: h.Replies, Uploads: h.Uploads}
}

// bundleInfo converts a manifest.
func (s *Service) bundleInfo(file string, size int64, m bundle.Manifest) api.BundleInfo {
	out := api.BundleInfo{
		File: file, Bytes: size, ContentBytes: m.Bytes(), Format: m.Format, Program: m.Program, Created: m.Created.Format(time.RFC3339),
		Content: m.Content, Paths: m.Paths, KBs: make([]api.BundleKB, len(m.Holds.Libraries)), Datasets: list(m.Holds.Datasets),
		Models: list(m.Holds.Models), Counts: bundleCounts(m.Holds),
	}
	for i, l := range m.Holds.Libraries {
		out.KBs[i] = api.BundleKB{
			KB: l.Name, Documents: l.Documents, Chunks: l.Chunks, Embedder: l.Embedder, Fingerprint: l.Fingerprint,
			State: s.embedderState(l, m.Holds.Models),
		}
	}
	return out
}

// embedderState tells whether the vectors of a bundle's library are of use here.
func (s *Service) embedderState(l bundle.Library, brought []string) string {
	if _, ok := hostedModel(l.Embedder); ok {
		return "hosted"
	}
	mixed, err := s.embedder(l.Embedder, l.EmbedderFingerprint)
	switch {
	case err == nil && mixed.Fingerprint() == l.EmbedderFingerprint:
		return "ready"
	case err == nil:
		return "differs"
	}
	for part := range strings.SplitSeq(l.Embedder, "+") {
		name, _, _ := strings.Cut(part, ":")
		if slices.ContainsFunc(brought, func(m string) bool { return strings.EqualFold(m, name) }) {
			return "in_bundle"
		}
	}
	return "missing"
}

// embedderWarnings names the libraries that cannot be searched by vectors here.
func embedderWarnings(kbs []api.BundleKB) []api.Notice {
	var out []rag.Notice
	for _, kb := range kbs {
		switch kb.State {
		case "missing":
			out = append(out, rag.Notice{Code: "bundle_embedder_missing", Detail: kb.KB + ": " + kb.Embedder})
		case "differs":
			out = append(out, rag.Notice{Code: "bundle_embedder_differs", Detail: kb.KB + ": " + kb.Embedder})
		}
	}
	return notices(out)
}

// bundlePath is the file that a request names: one of the workspace's own backups by its
// name, or else a path.
func (s *Service) bundlePath(file string) (string, error) {
	if file == "" {
		return "", fault.New("argument_missing", fault.P("argument", "FILE"))
	}
	if filepath.Base(file) == file {
		if own := s.inWorkspace(BackupsFolder, file); isFile(own) && !isFile(file) {
			return own, nil
		}
	}
	return file, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// InspectBundle says what a bundle holds, and what restoring it would meet.
func (s *Service) InspectBundle(ctx context.Context, r api.BundleRequest) (api.BundleInspection, error) {
	path, err := s.bundlePath(r.File)
	if err != nil {
		return api.BundleInspection{}, err
	}
	b, err := openBundle(path)
	if err != nil {
		return api.BundleInspection{}, err
	}
	defer func() { _ = b.Close() }() // opened for reading
	here, err := s.holdings(ctx)
	if err != nil {
		return api.BundleInspection{}, err
	}
	out := api.BundleInspection{Bundle: s.bundleInfo(path, b.Size, b.Manifest), Empty: nothing(here), Here: bundleHolds(here)}
	out.Warnings = embedderWarnings(out.Bundle.KBs)
	needed, err := s.roomFor(b.Manifest, !out.Empty)
	out.Room.Needed = needed
	if free := bundle.FreeSpace(s.cfg.Workspace); free >= 0 {
		out.Room.Free = &free
	}
	return out, err
}

func bundleHolds(h bundle.Holds) api.BundleHolds {
	out := api.BundleHolds{KBs: []string{}, Datasets: list(h.Datasets), Counts: bundleCounts(h)}
	for _, l := range h.Libraries {
		out.KBs = append(out.KBs, l.Name)
	}
	return out
}

// ListBundles lists the backups in the workspace's own folder, the newest first.
func (s *Service) ListBundles(_ context.Context, _ api.ListBundlesRequest) (api.BundleList, error) {
	out := api.BundleList{Folder: s.inWorkspace(BackupsFolder), Bundles: []api.BundleInfo{}, Broken: []string{}}
	entries, err := os.ReadDir(out.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return api.BundleList{}, fault.Wrap(err, "unreadable", fault.P("path", out.Folder))
	}
	for _, e := range entries {
		path := filepath.Join(out.Folder, e.Name())
		if filepath.Ext(e.Name()) != bundle.Ending || strings.HasPrefix(e.Name(), ".") || !isFile(path) {
			continue
		}
		b, err := bundle.Open(path)
		if err != nil {
			out.Broken = append(out.Broken, e.Name())
			continue
		}
		out.Bundles = append(out.Bundles, s.bundleInfo(path, b.Size, b.Manifest))
		_ = b.Close() // opened for reading
	}
	slices.SortFunc(out.Bundles, func(a, b api.BundleInfo) int {
		return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(a.File, b.File))
	})
	return out, nil
}

// RemoveBundle deletes one of the workspace's own backups, and no other file.
func (s *Service) RemoveBundle(_ context.Context, r api.BundleRequest) (api.RemovedBundle, error) {
	if r.File == "" {
		return api.RemovedBundle{}, fault.New("argument_missing", fault.P("argument", "FILE"))
	}
	path := s.inWorkspace(BackupsFolder, filepath.Base(r.File))
	info, err := os.Stat(path)
	if err != nil || filepath.Ext(path) != bundle.Ending || r.File != filepath.Base(r.File) && filepath.Clean(r.File) != path {
		return api.RemovedBundle{}, fault.New("backup_unknown", fault.P("name", r.File), fault.P("path", s.inWorkspace(BackupsFolder)))
	}
	if err := os.Remove(path); err != nil {
		return api.RemovedBundle{}, fault.Wrap(err, "unwritable", fault.P("path", path))
	}
	return api.RemovedBundle{Removed: path, Bytes: info.Size()}, nil
}

// databaseSize is what the database takes, with what is not in its main file yet.
func (s *Service) databaseSize() (n int64) {
	for _, end := range []string{"", "-wal"} {
		if info, err := os.Stat(s.inWorkspace(databaseFile + end)); err == nil {
			n += info.Size()
		}
	}
	return n
}

// spareRoom is what is left free on a disk beyond what is known to be needed.
const spareRoom = 32 << 20

// roomFor is how many bytes a restore needs for a while: the contents, once more in the
// database's log, and the backup of what is replaced.
func (s *Service) roomFor(m bundle.Manifest, replaces bool) (int64, error) {
	needed := m.Bytes() + spareRoom
	for _, f := range m.Files {
		if f.Path == databaseFile {
			needed += f.Size
		}
	}
	if !replaces {
		return needed, nil
	}
	own, err := s.exportSize()
	return needed + own, err
}

// exportSize bounds what an export takes: the copy of the database, and the bundle.
func (s *Service) exportSize() (int64, error) {
	files, _, err := s.partFiles()
	n := 2 * s.databaseSize()
	for _, f := range files {
		n += f.Size
	}
	return n, err
}

// haveRoom refuses work for which the disk of dir has no room: disk_space {path, needed,
// free}, in MB.
func haveRoom(dir string, needed int64) error {
	free := bundle.FreeSpace(dir)
	if free < 0 || free >= needed {
		return nil
	}
	return fault.New("disk_space", fault.P("path", dir), fault.P("needed", megabytes(needed)), fault.P("free", free/1e6))
}

func megabytes(n int64) int64 { return (n + 999_999) / 1e6 }

// skipped are notices of files that no bundle can hold.
func skipped(paths []string) []api.Notice {
	out := make([]rag.Notice, len(paths))
	for i, path := range paths {
		out[i] = rag.Notice{Code: "bundle_name_skipped", Detail: path}
	}
	return notices(out)
}
