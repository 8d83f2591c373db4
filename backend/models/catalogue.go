package models

import (
	"slices"
	"strings"

	"ragdesk/backend/fault"
)

// Pooling says how token vectors become the vector of a text.
type Pooling string

// The poolings.
const (
	// PoolingCLS takes the vector of the first token.
	PoolingCLS Pooling = "cls"
	// PoolingMean averages the vectors of all tokens, special ones included.
	PoolingMean Pooling = "mean"
)

// DefaultEmbedder is the first of the bundled embedders, the one that an empty
// name means here. What a new library gets by default is the program's choice.
const DefaultEmbedder = "bge-small-zh-v1.5"

// Embedder describes an embedding model: what it was trained to be fed with.
type Embedder struct {
	// Name is unique, as typed on the command line.
	Name string
	// Model and Tokenizer are names in the asset lock.
	Model, Tokenizer string
	// Dim is the dimension of its vectors.
	Dim     int
	Pooling Pooling
	// Limit is the longest input in tokens, the two special ones included.
	Limit int
	// QueryPrefix and DocumentPrefix are put before a text of that role.
	QueryPrefix, DocumentPrefix string
	// Lowercase says that the model knows only lower-case words although its
	// tokenizer.json keeps capitals, which would make every such word unknown.
	Lowercase bool
	// Simplify says that the model was trained mostly on simplified Chinese, and
	// so reads traditional characters better as simplified ones.
	Simplify bool
	// Language is the one the model is meant for, "zh" or "en".
	Language string
	// WeakQuote is the score under which the best sentence of an extracted answer
	// rarely answers: see answer.Best and docs/benchmarks.md. 0 where none is measured,
	// so that no quote is weak.
	WeakQuote float64
	// Inputs are the graph's input names in the order ids, mask, types.
	Inputs []string
	// Output is the name of the token vectors.
	Output string
}

// Embedders lists the embedders, the default first.
//
//nolint:gosec // G101 takes the names of tokenizers for credentials
func Embedders() []Embedder {
	bert := []string{"input_ids", "attention_mask", "token_type_ids"}
	return []Embedder{{
		Name:  DefaultEmbedder,
		Model: "bge-small-zh-v1.5-int8.onnx", Tokenizer: "bge-small-zh-v1.5-tokenizer.json",
		Dim: 512, Pooling: PoolingCLS, Limit: 512, Lowercase: true, Simplify: true, Language: "zh", WeakQuote: 0.48,
		Inputs: bert, Output: "last_hidden_state",
	}, {
		Name:  "all-MiniLM-L6-v2",
		Model: "all-MiniLM-L6-v2-int8.onnx", Tokenizer: "all-MiniLM-L6-v2-tokenizer.json",
		Dim: 384, Pooling: PoolingMean, Limit: 256, Language: "en", WeakQuote: 0.40,
		Inputs: bert, Output: "last_hidden_state",
	}}
}

// WeakQuote is the bound of an embedder by its exact name, 0 where none is measured.
func WeakQuote(name string) float64 {
	for _, e := range Embedders() {
		if e.Name == name {
			return e.WeakQuote
		}
	}
	return 0
}

// Lookup finds an embedder by its name in any case; an empty name is the
// default. An unknown one is a fault "embedder_unknown" with the name and the
// known ones.
func Lookup(name string) (Embedder, error) {
	all := Embedders()
	if name == "" {
		return all[0], nil
	}
	known := make([]string, len(all))
	for i, e := range all {
		known[i] = e.Name
	}
	i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
	if i < 0 {
		return Embedder{}, fault.New("embedder_unknown",
			fault.P("embedder", name), fault.P("known", strings.Join(known, ", ")))
	}
	return all[i], nil
}
