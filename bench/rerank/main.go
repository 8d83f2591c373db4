// Rerank measures what late interaction costs beyond embedding: reranking 20
// passages cold, without kept token vectors, against embedding the same passages
// alone, in turns of one run.
//
//	go run ./bench/rerank -data DIR [-rounds 5]
//
// DIR holds the public evaluation sets; passages are windows of 250 characters
// from cmrc2018.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ragdesk/backend/embed"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/rerank"
	"ragdesk/backend/tokenvec"
)

const (
	passages = 20
	window   = 250
)

func main() {
	data := flag.String("data", os.Getenv("EVAL_DATA"), "`folder` of the evaluation sets")
	rounds := flag.Int("rounds", 5, "turns of each side")
	flag.Parse()
	if err := run(context.Background(), *data, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench/rerank:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data string, rounds int) error {
	texts, err := read(filepath.Join(data, "cmrc2018", "corpus.jsonl"), passages*rounds)
	if err != nil {
		return err
	}
	model, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = model.Close() }()                       // the program ends
	if _, err := model.Documents(ctx, texts[:2]); err != nil { // the first run of a session is slower
		return err
	}
	var bestEmbed, bestRerank time.Duration
	for round := range rounds {
		part := texts[round*passages : (round+1)*passages]
		start := time.Now()
		if _, err := model.Documents(ctx, part); err != nil {
			return err
		}
		embedding := time.Since(start)
		cold := rerank.NewLateInteraction(rerank.Spaces{Codes: []rerank.CodeSource{tokenvec.New(model, model.Fingerprint(), tokenvec.NewMemory(0), nil)}}, "")
		list := make([]rag.Passage, len(part))
		for i, t := range part {
			list[i] = rag.Passage{ID: rag.ChunkID(fmt.Sprint(i)), Text: t}
		}
		start = time.Now()
		if _, err := cold.Rerank(ctx, "这支球队在哪一年首次获得联赛冠军？", list); err != nil {
			return err
		}
		reranking := time.Since(start)
		fmt.Printf("  round %d  embedding %6.1f ms   reranking %6.1f ms   ratio %.2f\n", round+1,
			ms(embedding), ms(reranking), float64(reranking)/float64(embedding))
		if round == 0 || embedding < bestEmbed {
			bestEmbed = embedding
		}
		if round == 0 || reranking < bestRerank {
			bestRerank = reranking
		}
	}
	fmt.Printf("%d passages of %d characters, best of each: embedding %.1f ms, reranking %.1f ms, ratio %.2f\n",
		passages, window, ms(bestEmbed), ms(bestRerank), float64(bestRerank)/float64(bestEmbed))
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func open() (*embed.Model, error) {
	store, err := models.Open("")
	if err != nil {
		return nil, err
	}
	library, err := store.Runtime()
	if err != nil {
		return nil, err
	}
	f, err := store.Embedder(models.DefaultEmbedder)
	if err != nil {
		return nil, err
	}
	return embed.Open(ort.New(library), embed.Spec{
		Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output, Optimised: f.OptimisedPath},
		Tokenizer: f.TokenizerPath, Lowercase: f.Lowercase, Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
	})
}

// read returns the first windows of n documents that are long enough.
func read(file string, n int) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	var texts []string
	for lines.Scan() && len(texts) < n {
		var row struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		if runes := []rune(row.Text); len(runes) >= window {
			texts = append(texts, string(runes[:window]))
		}
	}
	if len(texts) < n {
		return nil, fmt.Errorf("read %s: only %d texts of %d characters", file, len(texts), window)
	}
	return texts, lines.Err()
}
