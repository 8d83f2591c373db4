package llm

import (
	"context"
	"fmt"
	"math"
	"net/http"

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
	if err := patient.ask(ctx, http.MethodPost, "/api/embed", e.details.Name, in, &out); err != nil {
		return nil, err
	}
	if len(out.Embeddings) != 1 {
		return nil, fault.New("llm_reply_invalid", fault.P("detail", fmt.Sprintf("%d vectors for a text", len(out.Embeddings))))
	}
	v := unit(out.Embeddings[0])
	if err := rag.CheckUnit(v, e.details.Dim); err != nil {
		return nil, fault.Wrap(err, "llm_reply_invalid", fault.P("detail", err.Error()))
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
