package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
)

// bm25Result compares BM25 with rank_bm25 over the words of jieba: times in
// milliseconds, and the mean reciprocal rank of the first window that covers the
// gold span, within the first ten.
type bm25Result struct {
	Questions             int
	Ours, Peer            float64
	OursP95, PeerP95      float64
	OursMRR, PeerMRR      float64
	OursBuild, PeerLoaded float64
}

func (b bm25Result) print(chunks int) {
	fmt.Printf("\nBM25 over the same %d chunks, %d questions, cutting the question into words included:\n\n", chunks, b.Questions)
	fmt.Println("| | ragdesk | rank_bm25 with jieba | ratio |")
	fmt.Println("|---|---|---|---|")
	fmt.Printf("| median | %.2f ms | %.1f ms | 1/%.0f |\n", b.Ours, b.Peer, b.Peer/b.Ours)
	fmt.Printf("| 95th percentile | %.2f ms | %.1f ms | 1/%.0f |\n", b.OursP95, b.PeerP95, b.PeerP95/b.OursP95)
	fmt.Printf("| MRR@10 | %.4f | %.4f | |\n", b.OursMRR, b.PeerMRR)
	fmt.Printf("| making the index | %.1f s | %.1f s | |\n", b.OursBuild/1000, b.PeerLoaded/1000)
}

func compareBM25(ctx context.Context, c config) (r bm25Result, err error) {
	ws, err := windows(c.Data, c.Chunks)
	if err != nil {
		return r, err
	}
	qs, err := questions(c.Data, c.Queries)
	if err != nil {
		return r, err
	}
	start := time.Now()
	ix, err := indexWindows(ctx, c.Dir, ws)
	if err != nil {
		return r, err
	}
	defer func() { _ = ix.Close() }() // opened for reading
	r.OursBuild = since(start)
	start = time.Now()
	p, err := wordPeer(ctx, c, ws, qs)
	if err != nil {
		return r, err
	}
	r.PeerLoaded = since(start)
	var ours, theirs []float64
	for from := 0; from < len(qs); from += turn {
		part := qs[from:min(from+turn, len(qs))]
		time.Sleep(pause)
		for _, q := range part {
			start := time.Now()
			hits, err := ix.Search(ctx, q.Text, top)
			if err != nil {
				return r, err
			}
			ours = append(ours, since(start))
			r.OursMRR += reciprocal(q, ws, hits)
		}
		time.Sleep(pause)
		for i, q := range part {
			a, err := p.ask("bm25", from+i)
			if err != nil {
				return r, err
			}
			theirs = append(theirs, a.MS)
			hits := make([]rag.Scored, len(a.IDs))
			for j, n := range a.IDs {
				hits[j].ID = number(n)
			}
			r.PeerMRR += reciprocal(q, ws, hits)
		}
	}
	r.Questions = len(qs)
	r.OursMRR /= float64(len(qs))
	r.PeerMRR /= float64(len(qs))
	r.Ours, r.Peer, r.OursP95, r.PeerP95 = median(ours), median(theirs), p95(ours), p95(theirs)
	return r, p.close()
}

// number is the ID of the n-th window.
func number(n int) rag.ChunkID { return rag.ChunkID(strconv.Itoa(n)) }

// reciprocal is 1 over the rank of the first relevant hit of ten, or 0.
func reciprocal(q question, ws []window, hits []rag.Scored) float64 {
	for rank, h := range hits[:min(10, len(hits))] {
		n, err := strconv.Atoi(string(h.ID))
		if err == nil && q.relevant(ws[n]) {
			return 1 / float64(rank+1)
		}
	}
	return 0
}

func indexWindows(ctx context.Context, dir string, ws []window) (*lexical.Index, error) {
	entries, stats := make([]lexical.Entry, len(ws)), lexical.Stats{Chunks: len(ws)}
	for i, w := range ws {
		entries[i] = lexical.Entry{ID: number(i), Text: w.text}
		stats.Terms = stats.Terms.Plus(lexical.Analyzer{}.Count(w.text))
	}
	to := filepath.Join(dir, "text")
	if err := (lexical.Analyzer{}).Build(ctx, "", to, nil, entries); err != nil {
		return nil, err
	}
	return lexical.Analyzer{}.Open(to, stats)
}

func wordPeer(ctx context.Context, c config, ws []window, qs []question) (*peer, error) {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	chunkFile, err := writeFile(c.Dir, "chunks.jsonl", func(w io.Writer) error {
		out := json.NewEncoder(w)
		for _, chunk := range ws {
			if err := out.Encode(chunk.text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	questionFile, err := writeFile(c.Dir, "questions.jsonl", func(w io.Writer) error {
		out := json.NewEncoder(w)
		for _, q := range qs {
			if err := out.Encode(q.Text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	python, err := filepath.Abs(c.Python)
	if err != nil {
		return nil, err
	}
	return startPeer(ctx, python, "bm25", chunkFile, questionFile, top)
}
