package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/bundle"
	"ragdesk/backend/fault"
	"ragdesk/backend/job"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
	"ragdesk/backend/wholefile"
)

// exportedBundle and restoredBundle are results of jobs.
type (
	exportedBundle struct{ result api.BundleExport }
	restoredBundle struct{ result api.BundleImport }
)

// StartExportBundle writes the whole workspace into one file as a job.
func (s *Service) StartExportBundle(ctx context.Context, r api.ExportBundleRequest) (api.Job, error) {
	if _, err := s.openStore(ctx); err != nil {
		return api.Job{}, err
	}
	path, err := s.exportPath(r)
	if err != nil {
		return api.Job{}, err
	}
	for _, name := range r.Models {
		if _, err := s.installed.find(name); err != nil { // refused before any work
			return api.Job{}, err
		}
	}
	snap := s.board.Start("backup", func(ctx context.Context, progress *job.Reporter) (any, error) {
		start := time.Now()
		m, warnings, err := s.exportBundle(ctx, path, r, withoutItems{progress})
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fault.Wrap(err, "unreadable", fault.P("path", path))
		}
		return exportedBundle{api.BundleExport{
			Bundle: s.bundleInfo(path, info.Size(), m), Warnings: warnings, Seconds: time.Since(start).Seconds(),
		}}, nil
	})
	return jobSnapshot("", snap), nil
}

// exportPath is where an export goes. Faults: file_exists {path}, not_found {path} of the folder.
func (s *Service) exportPath(r api.ExportBundleRequest) (string, error) {
	if r.File == "" {
		return s.backupPath("ragdesk", time.Now())
	}
	path, err := filepath.Abs(r.File)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && (!r.Overwrite || !info.Mode().IsRegular()) {
		return "", fault.New("file_exists", fault.P("path", path))
	}
	if dir := filepath.Dir(path); !isDir(dir) {
		return "", fault.New("not_found", fault.P("path", dir))
	}
	return path, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// backupPath is a free name in the workspace's own folder of backups, which is made.
func (s *Service) backupPath(kind string, now time.Time) (string, error) {
	dir, err := filepath.Abs(s.inWorkspace(BackupsFolder))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fault.Wrap(err, "unwritable", fault.P("path", dir))
	}
	for n := 1; ; n++ {
		name := kind + "-" + now.Format("20060102-150405")
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		path := filepath.Join(dir, name+bundle.Ending)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
	}
}

// exportBundle copies the database as it is at one moment, without a lock, and packs it with
// the files beside it.
func (s *Service) exportBundle(ctx context.Context, path string, r api.ExportBundleRequest, progress rag.Progress) (bundle.Manifest, []api.Notice, error) {
	size, err := s.exportSize()
	if err == nil {
		err = haveRoom(filepath.Dir(path), size+spareRoom)
	}
	if err != nil {
		return bundle.Manifest{}, nil, err
	}
	_ = wholefile.Sweep(filepath.Dir(path), wholefile.Mark(path), time.Now()) // room for what is written now
	scratch, err := os.MkdirTemp(filepath.Dir(path), wholefile.Mark(path))
	if err != nil {
		return bundle.Manifest{}, nil, fault.Wrap(err, "unwritable", fault.P("path", path))
	}
	defer func() { _ = os.RemoveAll(scratch) }() // a copy
	progress.Stage("snapshot", 0)
	m := bundle.Manifest{Program: Version, Created: time.Now().UTC().Truncate(time.Second), Paths: !r.NoPaths}
	if m.Holds, err = s.holdings(ctx); err != nil {
		return bundle.Manifest{}, nil, err
	}
	database := filepath.Join(scratch, databaseFile)
	without, err := s.unfinished(ctx)
	if err == nil {
		err = s.store.Backup(ctx, database, store.Backup{NoPaths: r.NoPaths, Without: without})
	}
	if err != nil {
		return bundle.Manifest{}, nil, err
	}
	files, odd, err := s.partFiles()
	if err != nil {
		return bundle.Manifest{}, nil, err
	}
	models, err := s.modelFiles(&m, r.Models)
	if err != nil {
		return bundle.Manifest{}, nil, err
	}
	files = append(append(files, models...), bundle.Source{Name: databaseFile, Path: database, Size: fileSize(database)})
	m, err = bundle.Write(ctx, path, m, files, progress)
	return m, skipped(odd), err
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// unfinished names the libraries that are being built to take the place of others.
func (s *Service) unfinished(ctx context.Context) (names []string, err error) {
	libs, err := s.store.Libraries(ctx)
	for _, lib := range libs {
		if strings.HasPrefix(lib.Name, reindexMark) {
			names = append(names, lib.Name)
		}
	}
	return names, err
}

// modelFiles are the files of installed models that go along.
func (s *Service) modelFiles(m *bundle.Manifest, names []string) (files []bundle.Source, err error) {
	for _, asked := range names {
		model, err := s.installed.find(asked)
		if err != nil {
			return nil, err
		}
		m.Holds.Models = append(m.Holds.Models, model.Manifest.Name)
		for _, f := range model.Manifest.Files {
			files = append(files, bundle.Source{
				Name: modelsFolder + "/" + model.Manifest.Name + "/" + f.Path,
				Path: filepath.Join(model.Dir, filepath.FromSlash(f.Path)), Size: f.Size,
			})
		}
	}
	return files, nil
}

// sameModel reports whether an installed model has the files that a bundle has of it.
func sameModel(m models.Manifest, files []bundle.File) bool {
	have := map[string]string{}
	for _, f := range m.Files {
		have[f.Path] = f.SHA256
	}
	for _, f := range files {
		_, name, _ := strings.Cut(strings.TrimPrefix(f.Path, modelsFolder+"/"), "/")
		if have[name] != f.SHA256 {
			return false
		}
	}
	return true
}
