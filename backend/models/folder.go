package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// FolderEnv names the environment variable that moves the folder of installed
// models.
const FolderEnv = "RAGDESK_MODELS"

// manifestName is the file that makes a folder an installed model. It is written
// last.
const manifestName = "ragdesk-model.json"

// stagingMark starts the name of a folder whose model is not complete.
const stagingMark = ".part-"

// File is one file of a model.
type File struct {
	// Path is relative to the model's folder, '/'-separated.
	Path string `json:"path"`
	Size int64  `json:"size"`
	// SHA256 is in lower-case hexadecimal.
	SHA256 string `json:"sha256"`
}

// Manifest is what is known of an installed model.
type Manifest struct {
	Name string `json:"name"`
	Task Task   `json:"task"`
	// Precisions are those of its graphs, the fastest first.
	Precisions []Precision `json:"precisions"`
	// Source is "hub:HOST/OWNER/REPO@REVISION" or "import:NAME".
	Source string `json:"source"`
	// Licence is "" where it is not known.
	Licence string `json:"licence"`
	// Files are sorted by path.
	Files []File `json:"files"`
}

// Bytes is the size of all files.
func (m Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// Installed is a model in the user's folder, ready to be opened.
type Installed struct {
	Manifest Manifest
	Description
}

// SHA256 returns the hash of the file at path, which is one of the model's; ""
// for another.
func (m Installed) SHA256(path string) string {
	rel, err := filepath.Rel(m.Dir, path)
	if err != nil {
		return ""
	}
	for _, f := range m.Manifest.Files {
		if f.Path == filepath.ToSlash(rel) {
			return f.SHA256
		}
	}
	return ""
}

// VariantSHA256 identifies a graph with its external weights: the hashes of its
// files, joined.
func (m Installed) VariantSHA256(v Variant) string {
	sums := []string{m.SHA256(v.Path)}
	for _, d := range v.Data {
		sums = append(sums, m.SHA256(d))
	}
	return strings.Join(sums, "+")
}

// Folder holds the models a user installed, one folder each. Several processes
// may read it; a model appears under its name complete or not at all.
type Folder struct{ dir string }

// OpenFolder returns the folder dir or, if that is empty, what RAGDESK_MODELS
// names or else ragdesk/models in the user's data folder. It touches no file.
func OpenFolder(dir string) (*Folder, error) {
	if dir == "" {
		dir = os.Getenv(FolderEnv)
	}
	if dir == "" {
		data, err := dataDir()
		if err != nil {
			return nil, folderUnwritable("", err)
		}
		dir = filepath.Join(data, "ragdesk", "models")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, folderUnwritable(dir, err)
	}
	return &Folder{abs}, nil
}

// dataDir is where programs keep a user's data: XDG_DATA_HOME or ~/.local/share,
// and what other systems have in its place.
func dataDir() (string, error) {
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%
	case "darwin":
		return os.UserConfigDir() // ~/Library/Application Support
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}

// Dir is the folder.
func (f *Folder) Dir() string { return f.dir }

// List returns the manifests of installed models by name. A folder that cannot be
// read as a model is left out.
func (f *Folder) List() ([]Manifest, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list installed models: %w", err)
	}
	var list []Manifest
	for _, e := range entries {
		if m, err := f.manifest(e.Name()); err == nil {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b Manifest) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// manifest reads the manifest of the folder of that name.
func (f *Folder) manifest(name string) (m Manifest, err error) {
	if !validName(name) {
		return Manifest{}, fs.ErrNotExist
	}
	if err := readJSON(filepath.Join(f.dir, name), manifestName, &m); err != nil {
		return Manifest{}, err
	}
	for _, file := range m.Files {
		if !fs.ValidPath(file.Path) {
			return Manifest{}, fmt.Errorf("%s names the file %q", manifestName, file.Path)
		}
	}
	m.Name = name
	return m, nil
}

// find returns the manifest of the model of that name, in any case. Without one
// it is a fault "model_not_installed" with those that are, and the command that
// installs it.
func (f *Folder) find(name string) (Manifest, error) {
	list, err := f.List()
	if err != nil {
		return Manifest{}, err
	}
	var names []string
	for _, m := range list {
		if strings.EqualFold(m.Name, name) {
			return m, nil
		}
		names = append(names, m.Name)
	}
	command := "ragdesk models import FOLDER"
	if e, ok := known(name); ok {
		command = e.Command()
	}
	return Manifest{}, fault.New("model_not_installed", fault.P("model", name),
		fault.P("known", strings.Join(names, ", ")), fault.P("command", command))
}

// Model returns an installed model. Faults: "model_not_installed",
// "model_invalid".
func (f *Folder) Model(name string) (Installed, error) {
	m, err := f.find(name)
	if err != nil {
		return Installed{}, err
	}
	d, err := Describe(filepath.Join(f.dir, m.Name), m.Name)
	if err != nil {
		return Installed{}, err
	}
	return Installed{m, d}, nil
}

// Remove deletes an installed model, or what an interrupted download of it left.
// Neither is a fault "model_not_installed".
func (f *Folder) Remove(name string) error {
	m, err := f.find(name)
	staging := f.staging(name)
	_, left := os.Stat(staging)
	switch {
	case err == nil:
		dir := filepath.Join(f.dir, m.Name)
		// Without its manifest it is no model any more, however far the rest gets.
		if err := os.Remove(filepath.Join(dir, manifestName)); err != nil {
			return folderUnwritable(dir, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			return folderUnwritable(dir, err)
		}
	case left != nil || !validName(name):
		return err
	}
	if err := os.RemoveAll(staging); err != nil {
		return folderUnwritable(staging, err)
	}
	return nil
}

func (f *Folder) staging(name string) string { return filepath.Join(f.dir, stagingMark+name) }

// Verify hashes every file of an installed model. Files that are missing or
// altered are a fault "model_damaged" that names them.
func (f *Folder) Verify(ctx context.Context, name string, progress rag.Progress) (Manifest, error) {
	m, err := f.find(name)
	if err != nil {
		return Manifest{}, err
	}
	progress.Stage("verify", len(m.Files))
	var bad []string
	for _, file := range m.Files {
		sum, size, err := hashFile(ctx, filepath.Join(f.dir, m.Name, filepath.FromSlash(file.Path)))
		if ctx.Err() != nil {
			return Manifest{}, ctx.Err()
		}
		if err != nil || sum != file.SHA256 || size != file.Size {
			bad = append(bad, file.Path)
		}
		progress.Add(1)
	}
	if len(bad) > 0 {
		return Manifest{}, fault.New("model_damaged", fault.P("model", m.Name), fault.P("files", strings.Join(bad, ", ")))
	}
	return m, nil
}

// Pull downloads a model. precision "" is the entry's first. A model that is
// installed already, in that precision, is returned as it is; another precision is
// added to its folder. Faults: those of the hub, "model_corrupt",
// "models_unwritable", "model_invalid". After a cancellation or a failure of the
// network the next Pull goes on where this one stopped.
func (f *Folder) Pull(ctx context.Context, h *Hub, e Entry, precision Precision, progress rag.Progress) (Installed, error) {
	if precision == "" {
		precision = e.Precisions[0]
	}
	if m, err := f.manifest(e.Name); err == nil && slices.Contains(m.Precisions, precision) {
		return f.Model(e.Name)
	}
	progress.Stage("list", 0)
	all, err := h.list(ctx, e.Repo, e.Revision)
	if err != nil {
		return Installed{}, err
	}
	files, err := h.wanted(e, precision, all)
	if err != nil {
		return Installed{}, err
	}
	total := int64(0)
	for _, file := range files {
		total += file.size
	}
	progress.Stage("download", int(total))
	staging := f.staging(e.Name)
	m := Manifest{
		Name: e.Name, Licence: e.Licence,
		Source: fmt.Sprintf("hub:%s/%s@%s", h.Host(), e.Repo, e.Revision),
	}
	for _, file := range files {
		got, err := h.fetch(ctx, e, file, filepath.Join(staging, filepath.FromSlash(file.path)), progress)
		if err != nil {
			return Installed{}, err
		}
		m.Files = append(m.Files, got)
		progress.Note(got)
	}
	return f.install(m)
}

// install makes a model of its staging folder. Files of a model that has the name
// already, such as its other precisions, stay where the new one has none.
func (f *Folder) install(m Manifest) (Installed, error) {
	staging, dir := f.staging(m.Name), filepath.Join(f.dir, m.Name)
	old, err := f.manifest(m.Name)
	if err == nil {
		for _, file := range old.Files {
			if slices.ContainsFunc(m.Files, func(n File) bool { return n.Path == file.Path }) {
				continue
			}
			if err := share(dir, staging, file.Path); err != nil {
				return Installed{}, folderUnwritable(dir, err)
			}
			m.Files = append(m.Files, file)
		}
	}
	d, err := Describe(staging, m.Name)
	if err != nil {
		return Installed{}, errors.Join(err, os.RemoveAll(staging))
	}
	m.Task, m.Precisions = d.Task, nil
	for _, v := range d.Variants {
		m.Precisions = append(m.Precisions, v.Precision)
	}
	slices.SortFunc(m.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return Installed{}, fmt.Errorf("write manifest: %w", err)
	}
	if err := os.WriteFile(filepath.Join(staging, manifestName), append(raw, '\n'), 0o644); err != nil {
		return Installed{}, folderUnwritable(staging, err)
	}
	if err := replaceDir(staging, dir); err != nil {
		return Installed{}, folderUnwritable(dir, err)
	}
	return f.Model(m.Name)
}

// replaceDir puts the folder from in the place of to, which may not exist. For a
// moment there is neither.
func replaceDir(from, to string) error {
	old := filepath.Join(filepath.Dir(to), ".old-"+filepath.Base(to))
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.Rename(to, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(os.Rename(from, to), os.RemoveAll(old))
}

// share gives a file of one folder a place in another as well: a second name, or
// a copy where the disk has no such thing.
func share(from, to, path string) error {
	source, target := filepath.Join(from, filepath.FromSlash(path)), filepath.Join(to, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if err := os.Link(source, target); err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	src, err := os.Open(source)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }() // opened for reading
	dst, err := os.Create(target)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}
