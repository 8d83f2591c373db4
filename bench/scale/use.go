package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"ragdesk/backend/embed"
	"ragdesk/backend/library"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
)

const (
	// top is the length of the lists that are asked for.
	top = 50
	// added is how many documents are added and removed again, addedGroup how many
	// a commit.
	added, addedGroup = 100, 20
)

// useResult is what using a library took: times in milliseconds, memory in MB.
type useResult struct {
	Open, OpenText, OpenVectors    float64
	OpenProcessor                  float64
	RSSOpen, RSSUsed, Peak         float64
	Vector, VectorP95              float64
	BM25, BM25P95                  float64
	Add, AddIndex, AddStore        float64
	AddSlowest, SearchAfter        float64
	AddProcessor, EmbedProcessor   float64
	Remove, RemoveProcessor        float64
	EmbedAdded                     float64
	TurnVector, TurnFaiss          float64
	TurnNumpy                      float64
	SameOrder, SameSet, TurnsAsked int
}

// use opens the library as the program does and asks, adds and removes.
func use(ctx context.Context, c config) (r useResult, err error) {
	start, began := time.Now(), processorSeconds()
	w, err := openWorkspace(ctx, c.Dir)
	if err != nil {
		return r, err
	}
	defer w.close()
	snap, err := openSnapshot(ctx, w)
	if err != nil {
		return r, err
	}
	r.Open, r.OpenProcessor = since(start), processorSeconds()-began
	parts := w.clock.reset()
	r.OpenText, r.OpenVectors = ms(parts.Index), ms(parts.Vectors)
	r.RSSOpen = memoryMB("VmRSS")
	qs, err := questions(c.Data, c.Queries)
	if err != nil {
		return r, err
	}
	asked := vectors(1<<40, c.Queries)
	if err := searchAlone(ctx, snap, asked, qs, &r); err != nil {
		return r, err
	}
	snap.Release()
	if err := change(ctx, c, w, asked, &r); err != nil {
		return r, err
	}
	r.RSSUsed, r.Peak = memoryMB("VmRSS"), memoryMB("VmHWM")
	if c.Python != "" {
		err = inTurns(ctx, c, w, asked, &r)
	}
	return r, err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// openSnapshot opens the library with its vectors.
func openSnapshot(ctx context.Context, w *workspace) (*library.Snapshot, error) {
	snap, err := w.shelf.Open(ctx, kb)
	if err != nil {
		return nil, err
	}
	_, err = snap.Vectors(ctx)
	return snap, err
}

func searchAlone(ctx context.Context, snap *library.Snapshot, asked []float32, qs []question, r *useResult) error {
	var byVector, byWords []float64
	for i := range len(asked) / dim {
		start := time.Now()
		if _, err := snap.Lazy().Search(ctx, asked[i*dim:(i+1)*dim], top); err != nil {
			return err
		}
		byVector = append(byVector, since(start))
	}
	for _, q := range qs {
		start := time.Now()
		if _, err := snap.Text.Search(ctx, q.Text, top); err != nil {
			return err
		}
		byWords = append(byWords, since(start))
	}
	r.Vector, r.VectorP95 = median(byVector), p95(byVector)
	r.BM25, r.BM25P95 = median(byWords), p95(byWords)
	return nil
}

func p95(ms []float64) float64 {
	s := slices.Sorted(slices.Values(ms))
	return s[len(s)*95/100]
}

// change adds documents in several commits, searches, and removes them again.
func change(ctx context.Context, c config, w *workspace, asked []float32, r *useResult) error {
	ws, err := windows(c.Data, 3*added*chunksPerDocument)
	if err != nil {
		return err
	}
	docs := documents(1<<32, ws[2*added*chunksPerDocument:])
	if c.Embed {
		began := processorSeconds()
		if r.EmbedAdded, err = embedding(ctx, docs); err != nil {
			return err
		}
		r.EmbedProcessor = processorSeconds() - began
	}
	wr, err := w.store.Lock(ctx, "bench", time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = wr.Unlock() }() // the process ends
	lib, err := w.store.Library(ctx, kb)
	if err != nil {
		return err
	}
	var gone []rag.DocumentID
	began := processorSeconds()
	for part := range slices.Chunk(docs, addedGroup) {
		start := time.Now()
		var took clock
		if lib, took, err = w.commit(ctx, wr, lib, rag.Change{Put: part}); err != nil {
			return err
		}
		r.Add += since(start)
		r.AddSlowest = max(r.AddSlowest, since(start))
		r.AddIndex += ms(took.Index)
		r.AddStore += ms(took.Store)
		for _, d := range part {
			gone = append(gone, d.ID)
		}
	}
	r.AddProcessor = processorSeconds() - began
	start := time.Now()
	snap, err := openSnapshot(ctx, w)
	if err != nil {
		return err
	}
	defer snap.Release()
	if _, err := snap.Lazy().Search(ctx, asked[:dim], top); err != nil {
		return err
	}
	r.SearchAfter = since(start)
	start, began = time.Now(), processorSeconds()
	_, _, err = w.commit(ctx, wr, lib, rag.Change{Remove: gone})
	r.Remove, r.RemoveProcessor = since(start), processorSeconds()-began
	return err
}

// embedding times the default embedder on the documents' chunks.
func embedding(ctx context.Context, docs []rag.DocumentRecord) (float64, error) {
	assets, err := models.Open("")
	if err != nil {
		return 0, err
	}
	runtimePath, err := assets.Runtime()
	if err != nil {
		return 0, err
	}
	f, err := assets.Embedder(models.DefaultEmbedder)
	if err != nil {
		return 0, err
	}
	model, err := embed.Open(ort.New(runtimePath), embed.Spec{
		Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output, Optimised: f.OptimisedPath},
		Tokenizer: f.TokenizerPath, Lowercase: f.Lowercase, Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
	})
	if err != nil {
		return 0, err
	}
	defer func() { _ = model.Close() }() // the process ends
	var list []string
	for _, d := range docs {
		for _, chunk := range d.Chunks {
			list = append(list, chunk.Text)
		}
	}
	start := time.Now()
	_, err = model.Documents(ctx, list)
	return since(start), err
}

// inTurns compares exact vector search with faiss and numpy on the same vectors.
func inTurns(ctx context.Context, c config, w *workspace, asked []float32, r *useResult) error {
	snap, err := openSnapshot(ctx, w)
	if err != nil {
		return err
	}
	defer snap.Release()
	dir, err := os.MkdirTemp("", "scale")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ids, p, err := vectorPeer(ctx, c, w, snap, dir, asked)
	if err != nil {
		return err
	}
	var ours, faiss, numpy []float64
	for from := 0; from < c.Queries; from += turn {
		to := min(from+turn, c.Queries)
		var lists [][]rag.Scored
		time.Sleep(pause)
		for i := from; i < to; i++ {
			start := time.Now()
			hits, err := snap.Lazy().Search(ctx, asked[i*dim:(i+1)*dim], top)
			if err != nil {
				return err
			}
			ours = append(ours, since(start))
			lists = append(lists, hits)
		}
		for _, search := range []string{"faiss", "numpy"} {
			time.Sleep(pause)
			for i := from; i < to; i++ {
				a, err := p.ask(search, i)
				if err != nil {
					return err
				}
				if search == "numpy" {
					numpy = append(numpy, a.MS)
					continue
				}
				faiss = append(faiss, a.MS)
				r.compare(lists[i-from], a.IDs, ids)
			}
		}
	}
	r.TurnVector, r.TurnFaiss, r.TurnNumpy = median(ours), median(faiss), median(numpy)
	return p.close()
}

// compare counts lists that equal the peer's.
func (r *useResult) compare(hits []rag.Scored, numbers []int, ids []rag.ChunkID) {
	var mine, theirs []rag.ChunkID
	for _, h := range hits {
		mine = append(mine, h.ID)
	}
	for _, n := range numbers {
		theirs = append(theirs, ids[n])
	}
	r.TurnsAsked++
	if slices.Equal(mine, theirs) {
		r.SameOrder++
	}
	slices.Sort(mine)
	slices.Sort(theirs)
	if slices.Equal(mine, theirs) {
		r.SameSet++
	}
}

// vectorPeer starts the peer on the library's vectors, row i of which belongs to
// the i-th ID.
func vectorPeer(ctx context.Context, c config, w *workspace, snap *library.Snapshot, dir string, asked []float32) ([]rag.ChunkID, *peer, error) {
	block, err := w.store.Vectors(ctx, snap.Library)
	if err != nil {
		return nil, nil, err
	}
	vectorFile, err := writeFile(dir, "vectors", floats(block.Data))
	if err != nil {
		return nil, nil, err
	}
	queryFile, err := writeFile(dir, "queries", floats(asked))
	if err != nil {
		return nil, nil, err
	}
	python, err := filepath.Abs(c.Python)
	if err != nil {
		return nil, nil, err
	}
	p, err := startPeer(ctx, python, "vectors", vectorFile, queryFile, dim, top, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, nil, fmt.Errorf("vectors: %w", err)
	}
	return block.IDs, p, nil
}

func floats(v []float32) func(io.Writer) error {
	return func(w io.Writer) error {
		for part := range slices.Chunk(v, 1<<16) {
			if err := binary.Write(w, binary.LittleEndian, part); err != nil {
				return err
			}
		}
		return nil
	}
}
