// Verify fits the weights of the evidence detector, and tells how well it finds
// hallucinations.
//
//	go run ./bench/verify -data DIR -fit        writes backend/judge/weights.json
//	go run ./bench/verify -data DIR             prints the table of docs/benchmarks.md
//	go run ./bench/verify -data DIR -llm MODEL  prints rows of 100 items a set, judged by a model
//
// DIR holds the public evaluation sets. Weights are fitted on one half of the
// documents, by the hash of their text, and figures are those of the other half.
// Token vectors are kept in -work, so that a run that was stopped goes on.
package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/embed"
	"ragdesk/backend/judge"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
)

// fitted are the sets that each regression is fitted on.
var fitted = map[string][]string{
	"en/statement": {"scifact", "wice", "summedits", "bump"},
	"en/short":     {swapEN},
	"zh/statement": {statementsZH, elsewhereZH, "uhgeval"},
	"zh/short":     {"zh_answer_swap"},
}

// shown are the sets of the table, in its order.
var shown = []string{"summedits", "bump", "wice", "scifact", "zh_answer_swap", keywordsZH, swapEN, "halueval_qa"}

func main() {
	data := flag.String("data", os.Getenv("EVAL_DATA"), "`folder` of the evaluation sets")
	work := flag.String("work", filepath.Join(os.TempDir(), "ragdesk-verify"), "`folder` for what is kept between runs")
	fitting := flag.Bool("fit", false, "fit the weights")
	only := flag.String("only", "", "fit one `regression` and keep the others, as zh/short")
	weights := flag.String("weights", "backend/judge/weights.json", "`file` of the weights to write")
	sets := flag.String("sets", strings.Join(shown, ","), "sets of the table")
	features := flag.String("features", "", "write the features of one set to -work and stop")
	model := flag.String("llm", "", "language `model` that judges 100 items of each set, in place of the detector evidence")
	program := flag.String("ragdesk", "build/bin/ragdesk-headless", "`program` that asks the model")
	flag.Parse()
	o := options{*data, *work, *weights, *features, *only, *sets, *model, *program, *fitting}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "bench/verify:", err)
		os.Exit(1)
	}
}

type options struct {
	data, work, weights, features, only, sets, llm, program string
	fit                                                     bool
}

func run(ctx context.Context, o options) error {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	if o.llm != "" {
		return llmTable(ctx, o)
	}
	d, err := detector(o.work)
	if err != nil {
		return err
	}
	switch {
	case o.features != "":
		return writeFeatures(ctx, d, o)
	case o.fit:
		return fitAll(ctx, d, o)
	}
	return table(ctx, d, o)
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// detector is the evidence detector over the program's own embedders.
func detector(work string) (*judge.Evidence, error) {
	store, err := models.Open("")
	if err != nil {
		return nil, err
	}
	library, err := store.Runtime()
	if err != nil {
		return nil, err
	}
	runtime := ort.New(library)
	languages := map[string]judge.Language{}
	for _, e := range models.Embedders() {
		f, err := store.Embedder(e.Name)
		if err != nil {
			return nil, err
		}
		m, err := embed.Open(runtime, embed.Spec{
			Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output, Optimised: f.OptimisedPath},
			Tokenizer: f.TokenizerPath, Lowercase: f.Lowercase, Simplify: f.Simplify,
			Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
		})
		if err != nil {
			return nil, err
		}
		tokenizer, err := m.Tokenizer()
		if err != nil {
			return nil, err
		}
		codes, err := keep(m, filepath.Join(work, "codes-"+e.Language))
		if err != nil {
			return nil, err
		}
		languages[e.Language] = judge.Language{Tokenizer: tokenizer, Codes: codes}
	}
	return judge.NewEvidence(languages, ""), nil
}

func fitAll(ctx context.Context, d *judge.Evidence, o options) error {
	all := map[string]judge.Weights{}
	if o.only != "" {
		if err := readWeights(o.weights, all); err != nil {
			return err
		}
	}
	cache := map[string][]example{}
	for name, sets := range fitted {
		if o.only != "" && name != o.only {
			continue
		}
		var examples []example
		for _, set := range sets {
			if cache[set] == nil {
				items, err := readSet(o.data, set)
				if err != nil {
					return err
				}
				items = slices.DeleteFunc(items, func(i item) bool { return !i.fitting() })
				if cache[set], err = measured(ctx, d, items); err != nil {
					return err
				}
			}
			for _, e := range cache[set] {
				if len(e.claims) > 0 && e.claims[0].Model == name {
					examples = append(examples, e)
				}
			}
		}
		all[name] = fit(examples)
		progress("%s: %d items, %d features", name, len(examples), len(all[name].Features))
	}
	return writeWeights(o.weights, all)
}

// writeFeatures writes a line a claim, for experiments.
func writeFeatures(ctx context.Context, d *judge.Evidence, o options) error {
	items, err := readSet(o.data, o.features)
	if err != nil {
		return err
	}
	examples, err := measured(ctx, d, items)
	if err != nil {
		return err
	}
	files := map[string]*csv.Writer{}
	for _, e := range examples {
		for n, c := range e.claims {
			w := files[c.Model]
			head := []string{"set", "id", "fitting", "label", "claim", "verbatim"}
			row := []string{e.set, e.ID, strconv.FormatBool(e.fitting()), e.Label, strconv.Itoa(n), strconv.FormatBool(c.Verbatim)}
			for _, f := range c.Features {
				head, row = append(head, f.Name), append(row, strconv.FormatFloat(f.Value, 'g', 6, 64))
			}
			if w == nil {
				f, err := os.Create(filepath.Join(o.work, o.features+"."+strings.ReplaceAll(c.Model, "/", "-")+".csv"))
				if err != nil {
					return err
				}
				w = csv.NewWriter(f)
				files[c.Model] = w
				if err := w.Write(head); err != nil {
					return err
				}
			}
			if err := w.Write(row); err != nil {
				return err
			}
		}
	}
	for _, w := range files {
		w.Flush()
		if err := w.Error(); err != nil {
			return err
		}
	}
	return nil
}
