package lexical

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// manifestName is the file that makes a folder a generation; it is written last.
const manifestName = "generation.json"

// segmentExt is the extension of the files that hold segments.
const segmentExt = ".zap"

// manifest describes a finished generation.
type manifest struct {
	Fingerprint string `json:"fingerprint"`
	// Files holds the size in bytes of every other file.
	Files map[string]int64 `json:"files"`
}

// openScorch opens bleve's store in dir. Segments are merged when Build says so
// and not in the background: for bleve's own planner any number is fine.
func openScorch(dir string, readOnly bool, queue *index.AnalysisQueue) (*scorch.Scorch, error) {
	ix, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path":      dir,
		"read_only": readOnly,
		"scorchMergePlanOptions": map[string]any{
			"MaxSegmentsPerTier": math.MaxInt32,
			"FloorSegmentSize":   1,
		},
	}, queue)
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", dir, err)
	}
	store, ok := ix.(*scorch.Scorch)
	if !ok {
		return nil, fmt.Errorf("open index %s: unknown store %T", dir, ix)
	}
	if err := store.Open(); err != nil {
		return nil, fmt.Errorf("open index %s: %w", dir, err)
	}
	return store, nil
}

// checkManifest reports a generation that is not complete or was made by other
// rules than those of the fingerprint print.
func checkManifest(dir, print string) error {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("read %s: %w", manifestName, err)
	}
	if m.Fingerprint != print {
		return fmt.Errorf("index made by %s, this program makes %s", m.Fingerprint, print)
	}
	for name, size := range m.Files {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if info.Size() != size {
			return fmt.Errorf("%s has %d bytes, not %d", name, info.Size(), size)
		}
	}
	return nil
}

// seal writes the manifest of the generation in dir and brings all of it to disk.
func seal(dir, print string) error {
	m := manifest{Fingerprint: print, Files: map[string]int64{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		m.Files[e.Name()] = info.Size()
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, manifestName))
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncDir(dir)
}

// cloneGeneration makes dir a copy of the generation from. Segments never change
// and are linked where the file system can; the root is copied.
func cloneGeneration(from, dir, print string) error {
	if err := checkManifest(from, print); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(dir, e.Name())
		if e.Name() == manifestName {
			continue
		}
		if filepath.Ext(e.Name()) == segmentExt && os.Link(src, dst) == nil {
			continue
		}
		if err := copyFile(src, dst); err != nil {
			return fmt.Errorf("copy %s: %w", src, err)
		}
	}
	return nil
}

func copyFile(src, dst string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // read-only
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// syncDir brings the names in a folder to disk, where the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // read-only
	_ = d.Sync()                     // Windows cannot sync a folder and needs not
	return nil
}
