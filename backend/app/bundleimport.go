package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/bundle"
	"ragdesk/backend/fault"
	"ragdesk/backend/job"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// Modes of a restore.
const (
	restoreNew     = "new"
	restoreReplace = "replace"
	restoreAdd     = "add"
)

// StartImportBundle restores a bundle as a job. It is refused before any work where it would
// replace something unasked.
func (s *Service) StartImportBundle(ctx context.Context, r api.ImportBundleRequest) (api.Job, error) {
	if r.Mode != "" && r.Mode != restoreReplace && r.Mode != restoreAdd {
		return api.Job{}, fault.New("restore_mode_unknown", fault.P("mode", r.Mode))
	}
	path, err := s.bundlePath(r.File)
	if err != nil {
		return api.Job{}, err
	}
	b, err := openBundle(path)
	if err != nil {
		return api.Job{}, err
	}
	if err := errors.Join(s.mayRestore(ctx, r.Mode), b.Close()); err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("restore", func(ctx context.Context, progress *job.Reporter) (any, error) {
		if others := s.board.Running(progress.ID()); len(others) > 0 {
			return nil, fault.New("jobs_running", fault.P("jobs", jobNames(others)))
		}
		start := time.Now()
		in := restoring{service: s, path: path, mode: r.Mode, progress: withoutItems{progress}}
		if err := in.run(ctx); err != nil {
			return nil, err
		}
		in.out.Seconds = time.Since(start).Seconds()
		return restoredBundle{in.out}, nil
	})
	return jobSnapshot("", snap), nil
}

// openBundle opens a bundle of a workspace.
func openBundle(path string) (*bundle.Reader, error) {
	b, err := bundle.Open(path)
	if err != nil {
		return nil, err
	}
	detail := databaseFile + " is missing"
	for _, f := range b.Manifest.Files {
		part, _, inside := strings.Cut(f.Path, "/")
		if f.Path == databaseFile {
			detail = ""
		} else if !inside || part != modelsFolder && !slices.Contains(bundleParts(), part) {
			detail = f.Path + " does not belong to a workspace"
			break
		}
	}
	if detail != "" {
		return nil, errors.Join(fault.New("bundle_damaged", fault.P("path", path), fault.P("detail", detail)), b.Close())
	}
	return b, nil
}

// mayRestore refuses to touch a workspace that holds something without being told how.
func (s *Service) mayRestore(ctx context.Context, mode string) error {
	here, err := s.holdings(ctx)
	if err != nil || mode != "" || nothing(here) {
		return err
	}
	return fault.New("workspace_not_empty", fault.P("path", s.cfg.Workspace),
		fault.P("kbs", len(here.Libraries)), fault.P("datasets", len(here.Datasets)), fault.P("runs", here.Runs))
}

func jobNames(jobs []job.Snapshot) string {
	names := make([]string, len(jobs))
	for i, j := range jobs {
		names[i] = j.ID
	}
	return strings.Join(names, ", ")
}

// restoring is a restore under way.
type restoring struct {
	service  *Service
	path     string
	mode     string
	progress rag.Progress
	out      api.BundleImport
	// replaced are the libraries that were here.
	replaced []rag.Library
}

// run restores as the only writer. Nothing is changed before every file of the bundle was
// checked.
func (in *restoring) run(ctx context.Context) error {
	s := in.service
	b, err := openBundle(in.path)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }() // opened for reading
	w, err := s.store.Lock(ctx, "bundle import "+filepath.Base(in.path), s.cfg.LockWait)
	if err != nil {
		return err
	}
	defer unlock(w)
	if err := s.mayRestore(ctx, in.mode); err != nil {
		return err
	}
	here, err := s.holdings(ctx)
	if err != nil {
		return err
	}
	in.begin(b.Manifest, nothing(here))
	replaces := in.out.Mode == restoreReplace
	needed, err := s.roomFor(b.Manifest, replaces)
	if err == nil {
		err = haveRoom(s.cfg.Workspace, needed)
	}
	if err != nil {
		return err
	}
	since := time.Now()
	if replaces {
		if err := in.backUp(ctx); err != nil {
			return err
		}
	}
	return in.restore(ctx, w, b, here, since)
}

// begin says what is being done.
func (in *restoring) begin(m bundle.Manifest, empty bool) {
	mode := in.mode
	if empty || mode == "" {
		mode = restoreNew
	}
	in.out = api.BundleImport{
		File: in.path, Mode: mode, KBs: []api.BundleKB{}, Datasets: []api.BundleDataset{}, Models: []api.BundleModel{},
		Counts: bundleCounts(m.Holds), Warnings: []api.Notice{},
	}
}

// backUp makes a bundle of what is going to be replaced.
func (in *restoring) backUp(ctx context.Context) (err error) {
	s := in.service
	if in.replaced, err = s.store.Libraries(ctx); err != nil {
		return err
	}
	path, err := s.backupPath("before-import", time.Now())
	if err != nil {
		return err
	}
	_, warnings, err := s.exportBundle(ctx, path, api.ExportBundleRequest{}, in.progress)
	if err != nil {
		return err
	}
	undo := fmt.Sprintf("ragdesk --workspace %q bundle import %q --replace --yes", s.store.Dir(), path)
	in.out.Backup, in.out.Undo, in.out.Warnings = &path, &undo, append(in.out.Warnings, warnings...)
	return nil
}

func (in *restoring) restore(ctx context.Context, w *store.Writer, b *bundle.Reader, here bundle.Holds, since time.Time) error {
	s := in.service
	staging, err := w.Staging()
	if err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			_ = os.RemoveAll(staging) // swept by the next restore otherwise
		}
	}()
	if err := b.Unpack(ctx, staging, in.progress); err != nil {
		return err
	}
	in.progress.Stage("restore", 0)
	if err := in.installModels(ctx, b.Manifest, filepath.Join(staging, modelsFolder)); err != nil {
		return err
	}
	r := store.Restore{Staging: staging, Add: in.out.Mode == restoreAdd, Parts: bundleParts(), Since: since}
	if err := in.name(ctx, &r, here); err != nil {
		return err
	}
	if err := w.Restore(ctx, r); err != nil {
		return in.blame(err, staging)
	}
	committed = true
	for _, lib := range in.replaced {
		s.tokens.drop(lib)
		s.memory.drop(lib)
		_ = s.shelf.Drop(lib) // an index that nothing names any more
	}
	info := s.bundleInfo(in.path, b.Size, b.Manifest)
	for i, kb := range info.KBs {
		as := kb.KB
		if to, ok := r.Libraries[kb.KB]; ok {
			as = to
		}
		info.KBs[i].As = &as
	}
	in.out.KBs, in.out.Warnings = info.KBs, append(in.out.Warnings, embedderWarnings(info.KBs)...)
	in.forgetUpload()
	return nil
}

// blame names the bundle where the database in it is to blame.
func (in *restoring) blame(err error, staging string) error {
	f := fault.Of(err)
	if f.Params["path"] != staging && !fault.Is(err, "workspace_damaged") {
		return err
	}
	switch f.Code {
	case "workspace_newer":
		return fault.Wrap(err, "bundle_newer", fault.P("path", in.path), fault.P("found", f.Params["found"]), fault.P("known", f.Params["known"]), fault.P("program", "?"))
	case "workspace_damaged":
		return fault.Wrap(err, "bundle_damaged", fault.P("path", in.path), fault.P("detail", databaseFile))
	}
	return err
}

// forgetUpload deletes a bundle that was sent by the page only to be restored.
func (in *restoring) forgetUpload() {
	rel, err := filepath.Rel(in.service.inWorkspace(UploadsFolder), in.path)
	if err == nil && filepath.IsLocal(rel) {
		_ = os.Remove(in.path) // a copy of the reader's own file
	}
}

// installModels installs those of the bundle's models that are not here. Another model of the
// same name stays.
func (in *restoring) installModels(ctx context.Context, m bundle.Manifest, from string) error {
	s := in.service
	if len(m.Holds.Models) == 0 {
		return nil
	}
	installed, err := s.installed.list("")
	if err != nil {
		return err
	}
	folder, err := s.installed.folder()
	if err != nil {
		return err
	}
	for _, name := range m.Holds.Models {
		if err := freeName(name); err != nil {
			return err
		}
		state := "installed"
		for _, have := range installed {
			switch {
			case !strings.EqualFold(have.Name, name):
			case sameModel(have, m.Under(modelsFolder+"/"+name)):
				state = "kept"
			default:
				state = "differs"
			}
		}
		if state == "installed" {
			err := s.changeModels(ctx, func() error {
				_, err := folder.Import(ctx, filepath.Join(from, name), name, in.progress)
				return err
			})
			if err != nil {
				return err
			}
		}
		in.out.Models = append(in.out.Models, api.BundleModel{Model: name, State: state})
	}
	return nil
}

// name gives what is added to a workspace names that are free in it.
func (in *restoring) name(ctx context.Context, r *store.Restore, here bundle.Holds) error {
	names, brought, err := in.look(ctx, r.Staging)
	if err != nil {
		return err
	}
	have, taken := map[string]string{}, map[string]bool{}
	if r.Add {
		if have, err = newestDatasets(ctx, in.service.store); err != nil {
			return err
		}
		for _, l := range here.Libraries {
			taken[l.Name] = true
		}
	}
	r.Libraries, r.Datasets = freeNames(names, taken), map[string]string{}
	sets := slices.Sorted(maps.Keys(brought))
	free := freeNames(sets, asSet(have))
	for _, name := range sets {
		as := &name
		switch to, moved := free[name]; {
		case moved && have[name] == brought[name]: // the same, as far as it goes
			r.Datasets[name], as = "", nil
		case moved:
			r.Datasets[name], as = to, &to
		}
		in.out.Datasets = append(in.out.Datasets, api.BundleDataset{Dataset: name, As: as})
	}
	return nil
}

func asSet(m map[string]string) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

// freeNames gives names that are taken others, by old name: the first free number is added.
func freeNames(names []string, taken map[string]bool) map[string]string {
	out := map[string]string{}
	used := map[string]bool{}
	for _, name := range names {
		used[name] = true
	}
	for _, name := range names {
		if !taken[name] {
			continue
		}
		for n := 2; ; n++ {
			to := fmt.Sprintf("%s-%d", name, n)
			if !taken[to] && !used[to] {
				out[name], used[to] = to, true
				break
			}
		}
	}
	return out
}

// newestDatasets are the hashes of the newest versions, by name.
func newestDatasets(ctx context.Context, st *store.Store) (map[string]string, error) {
	rows, err := st.Datasets(ctx)
	out := map[string]string{}
	for _, row := range rows { // the newest of a name comes first
		if _, ok := out[row.Name]; !ok {
			out[row.Name] = row.Hash
		}
	}
	return out, err
}

// look reads the libraries' names and the datasets of an unpacked bundle.
func (in *restoring) look(ctx context.Context, staging string) (names []string, sets map[string]string, err error) {
	st, err := store.Open(ctx, staging)
	if err != nil {
		return nil, nil, in.blame(err, staging)
	}
	libs, err := st.Libraries(ctx)
	for _, l := range libs {
		names = append(names, l.Name)
	}
	if err == nil {
		sets, err = newestDatasets(ctx, st)
	}
	if err != nil {
		err = in.blame(err, staging)
	}
	return names, sets, errors.Join(err, st.Close())
}
