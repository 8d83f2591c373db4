package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"ragdesk/backend/fault"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
)

// slot opens one model once, on first use, and keeps it. A failure is not kept:
// the next use tries again, since the user may have mended it.
type slot[M io.Closer] struct {
	mu   sync.Mutex
	open M
	is   bool
}

func (s *slot[M]) model(load func() (M, error)) (M, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is {
		return s.open, nil
	}
	m, err := load()
	if err != nil {
		return m, err
	}
	s.open, s.is = m, true
	return m, nil
}

func (s *slot[M]) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is {
		_ = s.open.Close() // its memory is given back; nothing is lost with it
		s.is = false
	}
}

// slots keeps open models by key.
type slots[M io.Closer] struct {
	mu    sync.Mutex
	byKey map[string]*slot[M]
}

func (s *slots[M]) at(key string) *slot[M] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byKey == nil {
		s.byKey = map[string]*slot[M]{}
	}
	found, ok := s.byKey[key]
	if !ok {
		found = &slot[M]{}
		s.byKey[key] = found
	}
	return found
}

// close closes the models whose key begins so; a later use opens them again.
func (s *slots[M]) close(prefix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, open := range s.byKey {
		if strings.HasPrefix(key, prefix) {
			open.close()
			delete(s.byKey, key)
		}
	}
}

// installedModels are the models in the user's folder. A description is read
// once and again when its folder was replaced.
type installedModels struct {
	// dir is the folder; "" is the user's own.
	dir string

	mu    sync.Mutex
	known map[string]described
}

// described is a model with the state of its folder when it was read.
type described struct {
	models.Installed
	at os.FileInfo
}

func (i *installedModels) folder() (*models.Folder, error) { return models.OpenFolder(i.dir) }

// list returns the manifests of the models of a task, by name; "" is any task.
func (i *installedModels) list(task models.Task) ([]models.Manifest, error) {
	folder, err := i.folder()
	if err != nil {
		return nil, err
	}
	all, err := folder.List()
	return slices.DeleteFunc(all, func(m models.Manifest) bool { return task != "" && m.Task != task }), err
}

// find returns the model of that name, in any case. Faults as models.Folder's
// Model.
func (i *installedModels) find(name string) (models.Installed, error) {
	key := strings.ToLower(name)
	i.mu.Lock()
	defer i.mu.Unlock()
	if m, ok := i.known[key]; ok {
		if now, err := os.Stat(m.Dir); err == nil && os.SameFile(now, m.at) && now.ModTime().Equal(m.at.ModTime()) {
			return m.Installed, nil
		}
		delete(i.known, key)
	}
	folder, err := i.folder()
	if err != nil {
		return models.Installed{}, err
	}
	m, err := folder.Model(name)
	if err != nil {
		return models.Installed{}, err
	}
	at, err := os.Stat(m.Dir)
	if err != nil {
		return models.Installed{}, err
	}
	if i.known == nil {
		i.known = map[string]described{}
	}
	i.known[key] = described{m, at}
	return m, nil
}

// errOtherTask says that a name is that of a model for something else.
var errOtherTask = errors.New("the model has another task")

// named finds an installed model of the given task by "NAME" or "NAME:PRECISION".
// Faults besides find's: "model_precision_missing".
func (i *installedModels) named(asked string, task models.Task) (models.Installed, models.Precision, error) {
	name, precision, _ := strings.Cut(asked, ":")
	m, err := i.find(name)
	if err != nil {
		return models.Installed{}, "", err
	}
	if m.Task != task {
		return models.Installed{}, "", fmt.Errorf("%s: %w", name, errOtherTask)
	}
	p := models.Precision(strings.ToLower(precision))
	_, err = m.Variant(p)
	return m, p, err
}

// unheardOf reports whether named failed because there is no such model of the
// task, neither here nor in the catalogue.
func unheardOf(err error, asked string, task models.Task) bool {
	if !fault.Is(err, "model_not_installed") {
		return errors.Is(err, errOtherTask)
	}
	name, _, _ := strings.Cut(asked, ":")
	e, unknown := models.FindEntry(name)
	return unknown != nil || e.Task != task
}

// withPrecision writes a model's name with the precision that was asked for.
func withPrecision(name string, p models.Precision) string {
	if p == "" {
		return name
	}
	return name + ":" + string(p)
}

// graphKey names one graph of a model, whatever the model is called later.
func graphKey(m models.Installed, v models.Variant) string {
	return m.Manifest.Name + "@" + m.VariantSHA256(v) + " " + m.SHA256(m.Tokenizer)
}

func graph(v models.Variant) ort.Graph {
	return ort.Graph{Path: v.Path, Inputs: v.Inputs, Output: v.Output, Half: v.Half}
}
