package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
)

// sets are the evaluation sets that texts and questions come from.
var sets = []string{"cmrc2018", "drcd"}

// windowSize is the length of a chunk in code points.
const windowSize = 250

// window is a chunk's text and its place, in code points.
type window struct {
	text, doc  string
	start, end int
}

// question is a line of queries.jsonl.
type question struct {
	Text string `json:"question"`
	Gold []struct {
		Doc   string `json:"doc_id"`
		Start *int   `json:"start"`
		End   *int   `json:"end"`
	} `json:"gold"`
}

// windows returns n texts: windows a step apart, then at smaller and smaller
// steps, then from the start again.
func windows(data string, n int) ([]window, error) {
	type document struct {
		ID   string `json:"doc_id"`
		Text string `json:"text"`
	}
	var docs []document
	for _, set := range sets {
		more, err := readLines[document](filepath.Join(data, set, "corpus.jsonl"))
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	var out []window
	steps := []int{200, 150, 90, 70, 50, 40}
	for round := 0; len(out) < n; round++ {
		for _, d := range docs {
			out = cut(out, d.ID, []rune(d.Text), steps[round%len(steps)])
		}
	}
	return out[:n], nil
}

func cut(out []window, doc string, text []rune, step int) []window {
	for start := 0; ; start += step {
		end := min(start+windowSize, len(text))
		out = append(out, window{string(text[start:end]), doc, start, end})
		if end == len(text) {
			return out
		}
	}
}

// questions returns n of the sets' questions, spread evenly.
func questions(data string, n int) ([]question, error) {
	var all []question
	for _, set := range sets {
		more, err := readLines[question](filepath.Join(data, set, "queries.jsonl"))
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	n = min(n, len(all))
	out := make([]question, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out, nil
}

// relevant reports whether a window covers a whole gold span of the question.
func (q question) relevant(w window) bool {
	for _, g := range q.Gold {
		if g.Doc == w.doc && (g.Start == nil || w.start <= *g.Start && *g.End <= w.end) {
			return true
		}
	}
	return false
}

func readLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		out = append(out, v)
	}
	return out, lines.Err()
}

// vectors makes n unit vectors, the same for the same seed.
func vectors(seed uint64, n int) []float32 {
	rng := rand.New(rand.NewPCG(seed, dim))
	flat := make([]float32, 0, n*dim)
	row := make([]float64, dim)
	for range n {
		var sum float64
		for i := range row {
			row[i] = rng.NormFloat64()
			sum += row[i] * row[i]
		}
		for _, x := range row {
			flat = append(flat, float32(x/math.Sqrt(sum)))
		}
	}
	return flat
}

// chunksPerDocument is how many chunks the documents of the library have.
const chunksPerDocument = 5

// document makes a stored document of the given chunks; its vectors are seeded
// by its number.
func document(number int, ws []window) rag.DocumentRecord {
	texts := make([]string, len(ws))
	for i, w := range ws {
		texts[i] = w.text
	}
	source := fmt.Sprintf("doc-%07d.txt", number)
	r := rag.DocumentRecord{Text: strings.Join(texts, "\n\n"), Vectors: vectors(uint64(number), len(ws))}
	r.ID = rag.DocumentID(digest(source)[:32])
	r.Source, r.Title, r.MediaType, r.Encoding, r.ParsedBy = source, source, "text/plain", "UTF-8", "text"
	r.RealPath, r.ContentHash, r.Bytes, r.Status = "/"+source, digest(r.Text), int64(len(r.Text)), rag.StatusIndexed
	at, spans := 0, make([]rag.Span, len(ws))
	for i, t := range texts {
		spans[i] = rag.Span{Start: at, End: at + len(t)}
		at += len(t) + len("\n\n")
	}
	for i, points := range rag.Points(r.Text, spans) {
		r.Chunks = append(r.Chunks, rag.Chunk{
			ID: rag.ChunkID(digest(fmt.Sprint(source, i))[:32]), DocID: r.ID, Ordinal: i,
			Span: spans[i], Points: points, Text: texts[i], Tokens: windowSize,
		})
		r.Counts = append(r.Counts, lexical.Analyzer{}.Count(texts[i]))
	}
	return r
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
