package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/rag"
)

// StageVerify is the hashing of model files, in bytes.
const StageVerify = "verify"

// Checked is a model whose files were hashed.
type Checked struct {
	// Name is the model's, with its tag.
	Name  string
	Files int
	Bytes int64
	// Damaged are the digests, "sha256:…", of its files that are missing or hash to
	// something else.
	Damaged []string
}

// layer is an entry of a manifest.
type layer struct {
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Verify hashes the files that the models in an engine's folder are made of: those
// of one model, or of all with an empty name; a file that models share is hashed
// once. The models are in the order of their names. The folder has Ollama's
// layout: manifests/REGISTRY/NAMESPACE/MODEL/TAG and blobs/sha256-HASH. Only the
// engine's own folder should be given: another Ollama's is not ours to read.
func Verify(ctx context.Context, models, name string, progress rag.Progress) ([]Checked, error) {
	all, err := manifests(filepath.Join(models, "manifests"))
	if err != nil {
		return nil, fmt.Errorf("read manifests: %w", err)
	}
	sizes, total := map[string]int64{}, int64(0)
	var out []Checked
	for _, m := range all {
		if name != "" && !strings.EqualFold(m.name, FullName(name)) {
			continue
		}
		checked := Checked{Name: m.name, Files: len(m.layers)}
		for _, l := range m.layers {
			checked.Bytes += l.Size
			if _, seen := sizes[l.Digest]; !seen {
				total += l.Size
			}
			sizes[l.Digest] = l.Size
		}
		out = append(out, checked)
	}
	progress.Stage(StageVerify, int(total))
	sound := map[string]bool{}
	for _, digest := range slices.Sorted(maps.Keys(sizes)) {
		found, err := hashBlob(ctx, blobPath(models, digest), sizes[digest], progress)
		if err != nil {
			return nil, err
		}
		sound[digest] = found == digest
	}
	for i := range out {
		at := slices.IndexFunc(all, func(m manifest) bool { return m.name == out[i].Name })
		for _, l := range all[at].layers {
			if !sound[l.Digest] {
				out[i].Damaged = append(out[i].Damaged, l.Digest)
			}
		}
	}
	return out, nil
}

// Installed lists the models in an engine's folder, as the engine itself would, by
// name. The folder is as for Verify.
func Installed(models string) ([]Model, error) {
	all, err := manifests(filepath.Join(models, "manifests"))
	if err != nil {
		return nil, fmt.Errorf("read manifests: %w", err)
	}
	out := make([]Model, len(all))
	for i, m := range all {
		out[i] = Model{Name: m.name, Digest: m.digest, Modified: m.modified}
		for _, l := range m.layers {
			out[i].Bytes += l.Size
		}
		// What the file says of itself; a damaged one says nothing, and Verify finds it.
		var c struct {
			Family       string `json:"model_family"`
			Parameters   string `json:"model_type"`
			Quantization string `json:"file_type"`
		}
		config := m.layers[len(m.layers)-1].Digest
		if raw, err := os.ReadFile(blobPath(models, config)); err == nil && json.Unmarshal(raw, &c) == nil {
			out[i].Family, out[i].Parameters, out[i].Quantization = c.Family, c.Parameters, c.Quantization
		}
	}
	return out, nil
}

// blobPath is where a file of that digest lies.
func blobPath(models, digest string) string {
	return filepath.Join(models, "blobs", strings.Replace(digest, ":", "-", 1))
}

// manifest is a model with the files that it is made of, its configuration last.
type manifest struct {
	name, digest string
	modified     time.Time
	layers       []layer
}

// manifests reads those below a folder, in the order of the models' names.
func manifests(dir string) ([]manifest, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no model was ever installed
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // opened for reading
	var out []manifest
	err = fs.WalkDir(root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(root.FS(), file)
		if err != nil {
			return err
		}
		var m struct {
			Config layer   `json:"config"`
			Layers []layer `json:"layers"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		layers := append(m.Layers, m.Config)
		for _, l := range layers {
			if hash, ok := strings.CutPrefix(l.Digest, "sha256:"); !ok || len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
				return fmt.Errorf("%s: digest %q", file, l.Digest)
			}
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := sha256.Sum256(raw)
		out = append(out, manifest{modelName(file), hex.EncodeToString(sum[:]), info.ModTime(), layers})
		return nil
	})
	slices.SortFunc(out, func(a, b manifest) int { return strings.Compare(a.name, b.name) })
	return out, err
}

// modelName is the name of the model whose manifest lies at a path: registry,
// namespace, model, tag. Ollama's own registry and namespace are left out.
func modelName(file string) string {
	tag, dir := path.Base(file), path.Dir(file)
	name := path.Base(dir)
	if space := path.Dir(dir); space != "registry.ollama.ai/library" {
		name = strings.TrimPrefix(space, "registry.ollama.ai/") + "/" + name
	}
	return name + ":" + tag
}

// hashBlob is the digest of a file, "" when it is not there or has another size.
func hashBlob(ctx context.Context, file string, size int64, progress rag.Progress) (string, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("verify a model file: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, &reader{ctx, f, progress}); err != nil {
		return "", fmt.Errorf("verify a model file: %w", err)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
