// Embed compares our embedder with Python's onnxruntime: same model, same texts,
// same cores, one text a run, tokenising included, loading left out. The two take
// turns, and the best turn of each counts, since other programs only ever slow a
// turn down.
//
//	go run ./bench/embed -data DIR [-n 120] [-rounds 3] [-model NAME]
//	go run ./bench/embed -texts FILE.jsonl
//
// DIR holds the public evaluation sets; FILE has one object with a key "text" a
// line. The first run installs the Python packages into build/cache/peer-embed.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"ragdesk/backend/embed"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
)

// result is one turn: as peer.py prints it.
type result struct {
	Tokens  int     `json:"tokens"`
	Seconds float64 `json:"seconds"`
	Config  string  `json:"config"`
}

func (r result) rate() float64 { return float64(r.Tokens) / r.Seconds }

func main() {
	data := flag.String("data", os.Getenv("EVAL_DATA"), "`folder` of the evaluation sets")
	file := flag.String("texts", "", "JSON Lines `file` with the texts, instead of -data")
	n := flag.Int("n", 120, "how many texts")
	rounds := flag.Int("rounds", 3, "turns of each side")
	name := flag.String("model", models.DefaultEmbedder, "embedder")
	flag.Parse()
	if *file == "" && *data != "" {
		*file = filepath.Join(*data, "cmrc2018", "corpus.jsonl")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *file, *name, *n, *rounds)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/embed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file, name string, n, rounds int) error {
	texts, err := read(file, n)
	if err != nil {
		return err
	}
	store, err := models.Open("")
	if err != nil {
		return err
	}
	library, err := store.Runtime()
	if err != nil {
		return err
	}
	files, err := store.Embedder(name)
	if err != nil {
		return err
	}
	python, err := venv(ctx)
	if err != nil {
		return err
	}
	ours, err := open(library, files)
	if err != nil {
		return err
	}
	defer func() { _ = ours.Close() }() // the program ends
	var best [2]result
	sides := [2]func(context.Context) (result, error){
		func(ctx context.Context) (result, error) { return ourTurn(ctx, ours, texts) },
		func(ctx context.Context) (result, error) { return peerTurn(ctx, python, files, texts) },
	}
	labels := [2]string{"ragdesk", "Python onnxruntime"}
	fmt.Printf("%s, %d texts, %d cores\n", name, len(texts), runtime.NumCPU())
	for round := range rounds {
		for i, side := range sides {
			r, err := side(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", labels[i], err)
			}
			fmt.Printf("  round %d  %-20s %8.0f tokens/s  %s\n", round+1, labels[i], r.rate(), r.Config)
			if best[i].Seconds == 0 || r.Seconds < best[i].Seconds {
				best[i] = r
			}
		}
	}
	if best[0].Tokens != best[1].Tokens {
		return fmt.Errorf("we fed %d tokens, the peer %d", best[0].Tokens, best[1].Tokens)
	}
	fmt.Printf("%d tokens: ragdesk %.0f tokens/s, Python %.0f tokens/s (%s), ratio %.2f\n",
		best[0].Tokens, best[0].rate(), best[1].rate(), best[1].Config, best[0].rate()/best[1].rate())
	return nil
}

// read returns the first n texts of a JSON Lines file.
func read(file string, n int) ([]string, error) {
	if file == "" {
		return nil, fmt.Errorf("no texts: give -data or -texts")
	}
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
		texts = append(texts, row.Text)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("read %s: no texts", file)
	}
	return texts, nil
}

func open(library string, f models.Files) (*embed.Model, error) {
	return embed.Open(ort.New(library), embed.Spec{
		Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output, Optimised: f.OptimisedPath},
		Tokenizer: f.TokenizerPath, Lowercase: f.Lowercase, Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
	})
}

// ourTurn embeds all texts once. The tokens are counted outside the clock.
func ourTurn(ctx context.Context, m *embed.Model, texts []string) (result, error) {
	t, err := m.Tokenizer()
	if err != nil {
		return result{}, err
	}
	r := result{Config: fmt.Sprintf("workers=%d", runtime.GOMAXPROCS(0))}
	for _, text := range texts {
		r.Tokens += min(len(t.Tokens(text)), m.MaxTokens()) + 2
	}
	if _, err := m.Documents(ctx, texts[:min(len(texts), 2)]); err != nil { // as the peer warms up
		return result{}, err
	}
	start := time.Now()
	if _, err := m.Documents(ctx, texts); err != nil {
		return result{}, err
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// peerTurn runs peer.py over the same texts.
func peerTurn(ctx context.Context, python string, f models.Files, texts []string) (result, error) {
	dir, err := os.MkdirTemp("", "bench-embed-")
	if err != nil {
		return result{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // temporary
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, text := range texts {
		if err := enc.Encode(map[string]string{"text": text}); err != nil {
			return result{}, err
		}
	}
	file := filepath.Join(dir, "texts.jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		return result{}, err
	}
	args := []string{
		filepath.Join("bench", "embed", "peer.py"), "--model", f.ModelPath, "--tokenizer", f.TokenizerPath,
		"--limit", strconv.Itoa(f.Limit), "--pooling", string(f.Pooling), "--workers", strconv.Itoa(runtime.GOMAXPROCS(0)),
	}
	if f.Lowercase {
		args = append(args, "--lowercase")
	}
	cmd := exec.CommandContext(ctx, python, append(args, file)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return result{}, fmt.Errorf("run peer.py: %w", err)
	}
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		return result{}, fmt.Errorf("read what peer.py prints: %w", err)
	}
	return r, nil
}

// venv returns a Python with the peer's packages, installing them if need be.
func venv(ctx context.Context) (string, error) {
	dir := filepath.Join("build", "cache", "peer-embed")
	python := filepath.Join(dir, "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(dir, "Scripts", "python.exe")
	}
	probe := `import onnxruntime, tokenizers, numpy; assert onnxruntime.__version__ == "1.27.0"`
	if exec.CommandContext(ctx, python, "-c", probe).Run() == nil {
		return python, nil
	}
	fmt.Fprintln(os.Stderr, "installing onnxruntime 1.27.0, tokenizers and numpy into", dir)
	for _, args := range [][]string{
		{"python3", "-m", "venv", dir},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "onnxruntime==1.27.0", "tokenizers", "numpy"},
	} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", filepath.Base(args[0])+" "+args[2], err)
		}
	}
	return python, nil
}
