// Parse measures how fast documents are read and cut and their texts indexed,
// each beside a Python peer in the same run.
//
//	go run ./bench/parse -data DIR [-mb 12] [-rounds 3]
//
// DIR holds the public evaluation sets. The first run installs the Python
// packages (tokenizers, jieba, bm25s) into build/cache/peer-embed. Pages of PDF
// a second are measured by go test ./backend/parse/pdf -bench Book.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ragdesk/backend/chunk"
	"ragdesk/backend/embed"
	"ragdesk/backend/lexical"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
	"ragdesk/backend/parse"
	"ragdesk/backend/rag"
)

func main() {
	data := flag.String("data", os.Getenv("EVAL_DATA"), "`folder` of the evaluation sets")
	mb := flag.Int("mb", 12, "megabytes of text")
	rounds := flag.Int("rounds", 3, "turns of each side; the best counts")
	flag.Parse()
	if err := run(context.Background(), *data, *mb<<20, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench/parse:", err)
		os.Exit(1)
	}
}

// sets are the corpora whose texts are read, Chinese and English.
var sets = []string{"cmrc2018", "drcd", "scifact"}

// texts reads the corpora, repeated up to size bytes.
func texts(data string, size int) ([]string, error) {
	var out []string
	for _, set := range sets {
		f, err := os.Open(filepath.Join(data, set, "corpus.jsonl"))
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var d struct {
				Text string `json:"text"`
			}
			if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
				return nil, err
			}
			out = append(out, d.Text)
		}
		_ = f.Close() // read-only
	}
	total := 0
	for i := 0; total < size; i++ {
		out = append(out, out[i])
		total += len(out[i])
	}
	return out, nil
}

// best is the least time of several turns.
func best(rounds int, turn func() error) (time.Duration, error) {
	least := time.Duration(1 << 62)
	for range rounds {
		start := time.Now()
		if err := turn(); err != nil {
			return 0, err
		}
		least = min(least, time.Since(start))
	}
	return least, nil
}

func run(ctx context.Context, data string, size, rounds int) error {
	list, err := texts(data, size)
	if err != nil {
		return err
	}
	whole := strings.Join(list, "\n\n")
	tokenizer, vocabulary, err := defaultTokenizer()
	if err != nil {
		return err
	}
	rate := func(d time.Duration) float64 { return float64(len(whole)) / (1 << 20) / d.Seconds() }
	p := parse.New(parse.Options{})
	for _, name := range []string{"book.txt", "book.md"} {
		took, err := best(rounds, func() error {
			_, err := p.Parse(ctx, rag.Input{Source: name, Bytes: []byte(whole)})
			return err
		})
		if err != nil {
			return err
		}
		fmt.Printf("read %s: %.1f MB/s\n", name, rate(took))
	}
	cutter, _, err := chunk.New(chunk.Config{Kind: chunk.KindTokens, Size: 510, Overlap: 128, Limit: 510, Tokenizer: tokenizer})
	if err != nil {
		return err
	}
	chunks := 0
	took, err := best(rounds, func() error {
		chunks = 0
		for _, s := range list {
			d, err := p.Parse(ctx, rag.Input{Source: "a.txt", Bytes: []byte(s)})
			if err != nil {
				return err
			}
			c, err := cutter.Chunk(ctx, d)
			chunks += len(c)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	indexed, entries, err := index(ctx, list)
	if err != nil {
		return err
	}
	peer, err := python(ctx, list, vocabulary, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("read and cut %d documents into %d chunks: %.1f MB/s; Python tokenizers alone: %.1f MB/s; ratio %.2f\n",
		len(list), chunks, rate(took), rate(seconds(peer.Tokenize)), peer.Tokenize/took.Seconds())
	fmt.Printf("index %d texts for BM25: %.1f s; jieba + bm25s: %.1f s; ratio %.2f\n",
		entries, indexed.Seconds(), peer.Index, peer.Index/indexed.Seconds())
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// defaultTokenizer is the tokenizer of the Chinese model and its file.
func defaultTokenizer() (rag.Tokenizer, string, error) {
	assets, err := models.Open("")
	if err != nil {
		return nil, "", err
	}
	f, err := assets.Embedder("bge-small-zh-v1.5")
	if err != nil {
		return nil, "", err
	}
	library, err := assets.Runtime()
	if err != nil {
		return nil, "", err
	}
	m, err := embed.Open(ort.New(library), embed.Spec{
		Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output},
		Tokenizer: f.TokenizerPath, Lowercase: f.Lowercase, Simplify: f.Simplify, Dim: f.Dim, Pooling: embed.CLS, Limit: f.Limit,
	})
	if err != nil {
		return nil, "", err
	}
	t, err := m.Tokenizer()
	return t, f.TokenizerPath, err
}

// index builds a text index of the first 20,000 texts.
func index(ctx context.Context, list []string) (took time.Duration, n int, err error) {
	dir, err := os.MkdirTemp("", "bench-parse-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // left-overs of a benchmark
	var entries []lexical.Entry
	for i, s := range list[:min(len(list), 20_000)] {
		entries = append(entries, lexical.Entry{ID: rag.ChunkID(fmt.Sprintf("%06d", i)), Text: s})
	}
	start := time.Now()
	err = lexical.Analyzer{}.Build(ctx, "", filepath.Join(dir, "text"), nil, entries)
	return time.Since(start), len(entries), err
}

// peerTimes are what the peer prints, in seconds.
type peerTimes struct {
	Tokenize float64 `json:"tokenize"`
	Index    float64 `json:"index"`
}

// python has the peer do the same to the same texts.
func python(ctx context.Context, list []string, vocabulary string, rounds int) (t peerTimes, err error) {
	f, err := os.CreateTemp("", "bench-parse-*.json")
	if err != nil {
		return t, err
	}
	defer func() { _ = os.Remove(f.Name()) }() // left-overs of a benchmark
	if err := json.NewEncoder(f).Encode(list); err != nil {
		return t, err
	}
	if err := f.Close(); err != nil {
		return t, err
	}
	const venv = "build/cache/peer-embed"
	if _, err := os.Stat(venv + "/bin/python"); err != nil {
		if out, err := exec.CommandContext(ctx, "python3", "-m", "venv", venv).CombinedOutput(); err != nil {
			return t, fmt.Errorf("make %s: %w: %s", venv, err, out)
		}
	}
	if err := exec.CommandContext(ctx, venv+"/bin/python", "-c", "import tokenizers, jieba, bm25s").Run(); err != nil {
		out, err := exec.CommandContext(ctx, venv+"/bin/pip", "install", "-q", "tokenizers", "jieba", "bm25s").CombinedOutput()
		if err != nil {
			return t, fmt.Errorf("install the peer's packages: %w: %s", err, out)
		}
	}
	cmd := exec.CommandContext(ctx, venv+"/bin/python", "bench/parse/peer.py", f.Name(), vocabulary, fmt.Sprint(rounds))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return t, fmt.Errorf("run the peer: %w", err)
	}
	return t, json.Unmarshal(out, &t)
}
