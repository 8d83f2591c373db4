package llm

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"path"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Embedder is an embedding model on a host. It is safe for concurrent use.
type Embedder struct {
	client  *Client
	details Details
	// document and query are put before what is embedded.
	document, query string
}

var _ rag.Embedder = (*Embedder)(nil)

// Prefixes are what a model was trained to see before a text; both may be empty.
type Prefixes struct{ Document, Query string }

// prefixes are what the model cards of embedding models that hosts serve ask for,
// by how a model's name begins, the longer beginning first.
var prefixes = []struct {
	name string
	Prefixes
}{
	{"nomic-embed-text", Prefixes{"search_document: ", "search_query: "}},
	{"embeddinggemma", Prefixes{"title: none | text: ", "task: search result | query: "}},
	{"qwen3-embedding", Prefixes{Query: "Instruct: Given a question, retrieve passages that answer it\nQuery: "}},
	{"mxbai-embed", Prefixes{Query: "Represent this sentence for searching relevant passages: "}},
	{"snowflake-arctic-embed2", Prefixes{Query: "query: "}},
	{"snowflake-arctic-embed", Prefixes{Query: "Represent this sentence for searching relevant passages: "}},
	{"multilingual-e5", Prefixes{"passage: ", "query: "}},
	{"e5-", Prefixes{"passage: ", "query: "}},
}

// PrefixesOf returns the prefixes of a model by its name, without its owner and
// tag; none for one that is not known.
func PrefixesOf(model string) Prefixes {
	name, _, _ := strings.Cut(strings.ToLower(path.Base(model)), ":")
	for _, p := range prefixes {
		if strings.HasPrefix(name, p.name) {
			return p.Prefixes
		}
	}
	return Prefixes{}
}

// Embedder returns an installed embedding model of the host.
func (c *Client) Embedder(ctx context.Context, model string, p Prefixes) (*Embedder, error) {
	d, err := c.Show(ctx, model)
	if err != nil {
		return nil, err
	}
	if d.Dim <= 0 {
		return nil, fault.New("llm_unsupported", fault.P("model", model), fault.P("detail", "no embeddings"))
	}
	d.Name = model
	return &Embedder{client: c, details: d, document: p.Document, query: p.Query}, nil
}

// Window is the model's longest input in its own tokens; 0 unknown.
func (e *Embedder) Window() int { return e.details.Context }

// Dim implements rag.Embedder.
func (e *Embedder) Dim() int { return e.details.Dim }

// Fingerprint implements rag.Embedder: the model's digest and the prefixes.
func (e *Embedder) Fingerprint() string {
	return fmt.Sprintf("ollama:%s:%s:%q:%q", FullName(e.details.Name), e.details.Digest, e.document, e.query)
}

// Documents implements rag.Embedder. Each text is a request of its own, so that no
// vector depends on its neighbours.
func (e *Embedder) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v, err := e.vector(ctx, e.document+text)
		if err != nil {
			return nil, fmt.Errorf("embed text %d of %d: %w", i+1, len(texts), err)
		}
		out[i] = v
	}
	return out, nil
}

// Query implements rag.Embedder.
func (e *Embedder) Query(ctx context.Context, text string) ([]float32, error) {
	return e.vector(ctx, e.query+text)
}

// vector embeds one text. A text longer than the model's window is the fault
// "llm_context_refused": it is never cut without a word.
func (e *Embedder) vector(ctx context.Context, text string) ([]float32, error) {
	options := map[string]any{}
	if e.details.Context > 0 {
		options["num_ctx"] = e.details.Context
	}
	if e.client.threads > 0 {
		options["num_thread"] = e.client.threads
	}
	in := map[string]any{"model": e.details.Name, "input": text, "truncate": false, "options": options}
	var out struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	patient := *e.client
	patient.timeouts.Answer = e.client.timeouts.First // the model may have to be loaded
	err := patient.ask(ctx, http.MethodPost, "/api/embed", e.details.Name, in, &out)
	if fault.Is(err, "llm_failed") && strings.Contains(fmt.Sprint(fault.Of(err).Params["detail"]), "unsupported value") {
		// How a host that writes JSON fails on a vector that is not finite.
		return nil, fault.Wrap(err, "vector_invalid", fault.P("reason", "NaN"))
	}
	if err != nil {
		return nil, err
	}
	if len(out.Embeddings) != 1 {
		return nil, fault.New("llm_reply_invalid", fault.P("detail", fmt.Sprintf("%d vectors for a text", len(out.Embeddings))))
	}
	v := unit(out.Embeddings[0])
	if err := rag.CheckUnit(v, e.details.Dim); err != nil {
		return nil, fault.Wrap(err, "vector_invalid", fault.P("reason", err.Error()))
	}
	return v, nil
}

// unit scales v to length 1 where it has a length.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	norm := math.Sqrt(sum)
	if norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return v
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / norm)
	}
	return out
}
