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
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"ragdesk/backend/rag"
)

// StageVerify is the hashing of model files, in bytes.
const StageVerify = "verify"

// Damage is a file of a model that is not what the model's manifest names.
type Damage struct {
	// Models are those that need the file.
	Models []string
	// Digest is what the file should hash to, "sha256:…".
	Digest string
	// Found is what it hashes to; empty for a file that is not there, or not the
	// manifest's size.
	Found string
}

// layer is an entry of a manifest.
type layer struct {
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Verify hashes every file that the models in an engine's folder are made of, and
// returns those that are missing or damaged, by digest. The folder has Ollama's
// layout: manifests/REGISTRY/NAMESPACE/MODEL/TAG and blobs/sha256-HASH. Only the
// engine's own folder should be given: another Ollama's is not ours to read.
func Verify(ctx context.Context, models string, progress rag.Progress) ([]Damage, error) {
	needed, err := manifests(filepath.Join(models, "manifests"))
	if err != nil {
		return nil, fmt.Errorf("read manifests: %w", err)
	}
	digests, total := make([]string, 0, len(needed)), int64(0)
	for digest, n := range needed {
		digests, total = append(digests, digest), total+n.size
	}
	sort.Strings(digests)
	progress.Stage(StageVerify, int(total))
	var out []Damage
	for _, digest := range digests {
		found, err := hashBlob(ctx, filepath.Join(models, "blobs", strings.Replace(digest, ":", "-", 1)), needed[digest].size, progress)
		if err != nil {
			return nil, err
		}
		if found != digest {
			sort.Strings(needed[digest].models)
			out = append(out, Damage{Models: needed[digest].models, Digest: digest, Found: found})
		}
	}
	return out, nil
}

// need is a file that models need.
type need struct {
	size   int64
	models []string
}

// manifests reads which files the models below a folder need.
func manifests(dir string) (map[string]need, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no model was ever installed
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // opened for reading
	needed := map[string]need{}
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
		name := path.Base(path.Dir(file)) + ":" + path.Base(file)
		for _, l := range append(m.Layers, m.Config) {
			if hash, ok := strings.CutPrefix(l.Digest, "sha256:"); !ok || len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
				return fmt.Errorf("%s: digest %q", file, l.Digest)
			}
			n := needed[l.Digest]
			needed[l.Digest] = need{l.Size, append(n.models, name)}
		}
		return nil
	})
	return needed, err
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
