package lexical

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Entry is a chunk to index.
type Entry struct {
	ID   rag.ChunkID
	Text string
}

// batchSize is the number of chunks that become one segment; it bounds the memory
// of a build to some 80 MB.
const batchSize = 1000

// tempMark is part of the name of a folder that is being built.
const tempMark = ".building-"

// Build makes the generation to, which must not exist, from the generation from,
// or from nothing if that is empty: without the chunks of remove, then with those
// of put, which replace chunks of the same id. The folder from is only read. A
// build that fails or is killed leaves at most a folder that Sweep removes.
func Build(ctx context.Context, from, to string, remove []rag.ChunkID, put []Entry) (err error) {
	if err := text.Ready(); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("build index %s: %w", to, os.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(to), filepath.Base(to)+tempMark)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("build index %s: %w", to, err), os.RemoveAll(tmp))
		}
	}()
	defer guard(from, &err)
	if from != "" {
		if err := cloneGeneration(from, tmp); err != nil {
			return err
		}
	}
	if err := write(ctx, tmp, remove, put); err != nil {
		return err
	}
	if err := seal(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

// write applies the changes to the index in dir.
func write(ctx context.Context, dir string, remove []rag.ChunkID, put []Entry) error {
	live, err := change(ctx, dir, remove, put)
	if err != nil {
		return err
	}
	return prune(dir, live)
}

// change applies the changes and returns the names of the files in use.
func change(ctx context.Context, dir string, remove []rag.ChunkID, put []Entry) (live map[string]bool, err error) {
	queue := index.NewAnalysisQueue(runtime.GOMAXPROCS(0))
	defer queue.Close()
	store, err := openScorch(dir, false, queue)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := apply(ctx, store, remove, put); err != nil {
		return nil, err
	}
	if err := merge(ctx, store); err != nil {
		return nil, err
	}
	return segmentFiles(store)
}

// apply brings the changes to the disk; what is removed and what is added first
// are one batch.
func apply(ctx context.Context, store index.Index, remove []rag.ChunkID, put []Entry) error {
	batch := index.NewBatch()
	for _, id := range remove {
		batch.Delete(string(id))
	}
	for start := 0; start == 0 || start < len(put); start += batchSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, e := range put[start:min(start+batchSize, len(put))] {
			doc, err := newDocument(e)
			if err != nil {
				return err
			}
			batch.Update(doc)
		}
		if err := store.Batch(batch); err != nil {
			return fmt.Errorf("add chunks from %d: %w", start, err)
		}
		batch = index.NewBatch() // not Reset: scorch may still be walking the old one
	}
	return nil
}

// newDocument analyses a chunk.
func newDocument(e Entry) (*document.Document, error) {
	if e.ID == "" {
		return nil, errors.New("chunk without an id")
	}
	a := text.Analyze(e.Text)
	doc := document.NewDocument(string(e.ID))
	doc.AddField(newField(fieldWords, a.Words))
	doc.AddField(newField(fieldBigrams, a.Bigrams))
	doc.AddField(newField(fieldChars, a.Chars))
	return doc, nil
}

// Sweep removes from parent the folders that builds left unfinished and every
// generation but those named in keep.
func Sweep(parent string, keep ...string) error {
	kept := map[string]bool{}
	for _, k := range keep {
		kept[filepath.Base(k)] = true
	}
	entries, err := os.ReadDir(parent)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("sweep indexes: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || kept[e.Name()] {
			continue
		}
		path := filepath.Join(parent, e.Name())
		if _, err := os.Stat(filepath.Join(path, manifestName)); err == nil || strings.Contains(e.Name(), tempMark) {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}
