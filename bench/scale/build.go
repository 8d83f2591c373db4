package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/lexical"
	"ragdesk/backend/library"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
	"ragdesk/backend/vector"
)

const kb = "scale"

// clock adds up what parts take.
type clock struct{ Index, Store, Vectors time.Duration }

func (c *clock) reset() clock {
	was := *c
	*c = clock{}
	return was
}

// texts is package lexical as the library's port, timed.
type texts struct{ clock *clock }

func (t texts) Build(ctx context.Context, from, to string, remove []rag.ChunkID, put []library.TextEntry) error {
	defer add(&t.clock.Index, time.Now())
	entries := make([]lexical.Entry, len(put))
	for i, e := range put {
		entries[i] = lexical.Entry{ID: e.ID, Text: e.Text}
	}
	return lexical.Analyzer{}.Build(ctx, from, to, remove, entries)
}

func (t texts) Open(dir string, chunks int, terms rag.TermCounts) (rag.TextIndex, error) {
	defer add(&t.clock.Index, time.Now())
	return lexical.Analyzer{}.Open(dir, lexical.Stats{Chunks: chunks, Terms: terms})
}

func (texts) Count(s string) rag.TermCounts { return lexical.Analyzer{}.Count(s) }
func (texts) Fingerprint() string           { return lexical.Analyzer{}.Fingerprint() }

// writer is the store's writer, timed.
type writer struct {
	library.Writer
	clock *clock
}

func (w writer) Apply(ctx context.Context, lib rag.Library, c rag.Change) (rag.Library, error) {
	defer add(&w.clock.Store, time.Now())
	return w.Writer.Apply(ctx, lib, c)
}

func add(to *time.Duration, since time.Time) { *to += time.Since(since) }

// workspace is a library on disk with the program's own wiring.
type workspace struct {
	store *store.Store
	shelf *library.Shelf
	clock clock
}

func openWorkspace(ctx context.Context, dir string) (*workspace, error) {
	st, err := store.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	w := &workspace{store: st}
	w.shelf = library.NewShelf(library.Config{
		Store: st, Dir: st.IndexDir,
		Texts: func(context.Context, rag.Library) (library.TextIndexes, error) { return texts{&w.clock}, nil },
		LoadVectors: func(ctx context.Context, b rag.VectorBlock) (rag.VectorIndex, error) {
			defer add(&w.clock.Vectors, time.Now())
			return vector.Load(ctx, b.Dim, b.IDs, b.Data)
		},
		Lock: func(ctx context.Context, purpose string) (library.Writer, func(), error) {
			wr, err := st.Lock(ctx, purpose, time.Second)
			if err != nil {
				return nil, nil, err
			}
			return wr, func() { _ = wr.Unlock() }, nil
		},
	})
	return w, nil
}

func (w *workspace) close() {
	w.shelf.Close()
	_ = w.store.Close() // the process ends
}

// commit changes the library and returns what each part took.
func (w *workspace) commit(ctx context.Context, wr *store.Writer, lib rag.Library, c rag.Change) (rag.Library, clock, error) {
	w.clock.reset()
	next, err := w.shelf.Commit(ctx, writer{wr, &w.clock}, lib, c)
	return next, w.clock.reset(), err
}

// buildResult is what indexing took, by part, in seconds, and left, in MB.
type buildResult struct {
	Commits               int
	Seconds, Analyse      float64
	Index, Store, Slowest float64
	Processor             float64
	PeakMB                float64
	TextMB, DatabaseMB    float64
	Segments              int
	FirstTen, LastTen     float64
}

// build makes the library in commits of c.Group chunks, as ingestion does about
// once a second.
func build(ctx context.Context, c config) (r buildResult, err error) {
	ws, err := windows(c.Data, c.Chunks)
	if err != nil {
		return r, err
	}
	if c.Embed {
		if _, err := inChild(ctx, "create", c); err != nil {
			return r, err
		}
	}
	w, err := openWorkspace(ctx, c.Dir)
	if err != nil {
		return r, err
	}
	defer w.close()
	wr, err := w.store.Lock(ctx, "bench", time.Second)
	if err != nil {
		return r, err
	}
	defer func() { _ = wr.Unlock() }() // the process ends
	lib, err := newLibrary(ctx, c, w.store, wr)
	if err != nil {
		return r, err
	}
	var commits []time.Duration
	began := processorSeconds()
	for at := 0; at < len(ws); at += c.Group {
		part := ws[at:min(at+c.Group, len(ws))]
		start := time.Now()
		change := rag.Change{Put: documents(at, part)}
		r.Analyse += time.Since(start).Seconds()
		start = time.Now()
		var parts clock
		if lib, parts, err = w.commit(ctx, wr, lib, change); err != nil {
			return r, err
		}
		commits = append(commits, time.Since(start))
		r.Index += parts.Index.Seconds()
		r.Store += parts.Store.Seconds()
	}
	r.Commits, r.Processor = len(commits), processorSeconds()-began
	for i, d := range commits {
		r.Seconds += d.Seconds()
		r.Slowest = max(r.Slowest, d.Seconds())
		if i < 10 {
			r.FirstTen += d.Seconds()
		}
		if i >= len(commits)-10 {
			r.LastTen += d.Seconds()
		}
	}
	r.PeakMB = memoryMB("VmHWM")
	r.TextMB, r.Segments, err = folderMB(w.store.IndexDir(lib.ID))
	for _, name := range []string{"ragdesk.db", "ragdesk.db-wal"} {
		if info, err := os.Stat(filepath.Join(c.Dir, name)); err == nil {
			r.DatabaseMB += float64(info.Size()) / 1e6
		}
	}
	return r, err
}

// newLibrary is the one that the program made, or one for which there is no model.
func newLibrary(ctx context.Context, c config, st *store.Store, wr *store.Writer) (rag.Library, error) {
	if c.Embed {
		return st.Library(ctx, kb)
	}
	return wr.CreateLibrary(ctx, kb, rag.Settings{
		Chunker: "chars", ChunkSize: windowSize, ChunkerFingerprint: "windows", Embedder: "random",
		EmbedderFingerprint: "random", Dim: dim, TextFingerprint: lexical.Analyzer{}.Fingerprint(),
	})
}

// documents makes documents of the windows, the first numbered by the place of
// its first window.
func documents(at int, ws []window) (out []rag.DocumentRecord) {
	for i := 0; i < len(ws); i += chunksPerDocument {
		out = append(out, document(at+i, ws[i:min(i+chunksPerDocument, len(ws))]))
	}
	return out
}

// memoryMB reads a line of the process's status in MB; 0 where there is none.
func memoryMB(key string) float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == key+":" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb * 1024 / 1e6
		}
	}
	return 0
}

// processorSeconds is the processor time of this process so far; 0 where the
// system does not tell.
func processorSeconds() float64 {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	const user, system, ticks = 11, 12, 100 // fields behind the name; ticks a second
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) <= system {
		return 0
	}
	u, _ := strconv.ParseFloat(f[user], 64)
	s, _ := strconv.ParseFloat(f[system], 64)
	return (u + s) / ticks
}

// folderMB sums the files under dir, a file of several names once, and counts
// the segments.
func folderMB(dir string) (mb float64, segments int, err error) {
	var seen []fs.FileInfo
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		for _, s := range seen {
			if os.SameFile(s, info) {
				return nil
			}
		}
		seen = append(seen, info)
		mb += float64(info.Size()) / 1e6
		if filepath.Ext(path) == ".zap" {
			segments++
		}
		return nil
	})
	return mb, segments, err
}
