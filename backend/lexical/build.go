package lexical

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"
	"golang.org/x/sync/errgroup"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Entry is a chunk to index.
type Entry struct {
	ID   rag.ChunkID
	Text string
}

// batchSize is the number of chunks that become one segment, and maxBatches how
// many are made side by side; together they bound the memory of a build to some
// 300 MB.
const (
	batchSize  = 500
	maxBatches = 4
)

// tempMark is part of the name of a folder that is being built.
const tempMark = ".building-"

// Build makes the generation to, which must not exist, from the generation from,
// or from nothing if that is empty: without the chunks of remove, then with those
// of put, which replace chunks of the same id. The folder from is only read. A
// build that fails or is killed leaves at most a folder that Sweep removes.
func (z Analyzer) Build(ctx context.Context, from, to string, remove []rag.ChunkID, put []Entry) (err error) {
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
	g := generation{analyzer: z, from: from, dir: tmp, remove: remove, put: lastOfEach(put)}
	if err := g.fill(ctx); err != nil {
		return err
	}
	if err := os.Rename(tmp, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

// generation is a folder that is being made.
type generation struct {
	analyzer  Analyzer
	from, dir string
	remove    []rag.ChunkID
	put       []Entry
}

// fill builds the folder and seals it.
func (g generation) fill(ctx context.Context) (err error) {
	defer guard(g.from, &err)
	if g.from != "" {
		if err := cloneGeneration(g.from, g.dir, g.analyzer.Fingerprint()); err != nil {
			return err
		}
	}
	live, err := g.change(ctx)
	if err != nil {
		return err
	}
	if err := prune(g.dir, live); err != nil {
		return err
	}
	return seal(g.dir, g.analyzer.Fingerprint())
}

// change applies the changes and returns the names of the files in use.
func (g generation) change(ctx context.Context) (live map[string]bool, err error) {
	queue := index.NewAnalysisQueue(runtime.GOMAXPROCS(0))
	defer queue.Close()
	store, err := openScorch(g.dir, false, queue)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := g.apply(ctx, store); err != nil {
		return nil, err
	}
	if err := merge(ctx, store); err != nil {
		return nil, err
	}
	return segmentFiles(store)
}

// apply brings the changes to the disk. What is removed goes with the first batch;
// the batches behind it are independent of each other and made side by side.
func (g generation) apply(ctx context.Context, store index.Index) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	first := index.NewBatch()
	for _, id := range g.remove {
		first.Delete(string(id))
	}
	n := min(batchSize, len(g.put))
	if err := g.batch(store, first, g.put[:n]); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(min(runtime.GOMAXPROCS(0), maxBatches))
	for part := range slices.Chunk(g.put[n:], batchSize) {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return g.batch(store, index.NewBatch(), part)
		})
	}
	return group.Wait()
}

// batch adds the chunks to a batch and executes it. The batch is spent: scorch may
// still be walking it.
func (g generation) batch(store index.Index, batch *index.Batch, put []Entry) (err error) {
	defer guard(g.from, &err)
	for _, e := range put {
		doc, err := g.analyzer.document(e)
		if err != nil {
			return err
		}
		batch.Update(doc)
	}
	if err := store.Batch(batch); err != nil {
		return fmt.Errorf("add %d chunks: %w", len(put), err)
	}
	return nil
}

// lastOfEach leaves out entries whose id comes again.
func lastOfEach(put []Entry) []Entry {
	last := make(map[rag.ChunkID]int, len(put))
	for i, e := range put {
		last[e.ID] = i
	}
	if len(last) == len(put) {
		return put
	}
	out := make([]Entry, 0, len(last))
	for i, e := range put {
		if last[e.ID] == i {
			out = append(out, e)
		}
	}
	return out
}

// document analyses a chunk.
func (z Analyzer) document(e Entry) (*document.Document, error) {
	if e.ID == "" {
		return nil, errors.New("chunk without an id")
	}
	a := z.lexicon.Analyze(e.Text)
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
