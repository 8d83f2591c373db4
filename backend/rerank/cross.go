package rerank

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/fault"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/tokenize"
)

// CrossSpec describes a cross-encoder on disk.
type CrossSpec struct {
	// Name is the reranker's name on the command line.
	Name string
	// Graph has one output, the logits: of shape rows, rows × Classes, or rows × tokens ×
	// Classes.
	Graph     ort.Graph
	Tokenizer string
	// Lowercase and Simplify are tokenize.Options.
	Lowercase, Simplify bool
	// ModelSHA256 and TokenizerSHA256 identify the files in the fingerprint.
	ModelSHA256, TokenizerSHA256 string
	// Limit is the longest input in tokens, special ones included. What is longer is
	// cut at the passage's end; see tokenize.LeastPassage.
	Limit int
	// Pad is the id of the padding token.
	Pad int64
	// Batch is how many passages of like length may share a run; 0 means 1. It must
	// be 1 for an int8 graph, which scales by batch, so that a score would depend on
	// the passages beside it. Others differ by rounding only.
	Batch int
	// Workers is how many runs go on at once; 0 means one a core.
	Workers int
	// Classes is how many logits a pair gets; 0 means one, as rerankers have.
	Classes int
	// Tokens says that every token of a pair has Classes logits.
	Tokens bool
}

// session is what the cross-encoder needs of ort.
type session interface {
	Run(ctx context.Context, b ort.Batch) (ort.Tensor, error)
	Close() error
}

// CrossEncoder scores a passage by reading it together with the query: the model
// gives one logit a pair (Nogueira and Cho, Passage Re-ranking with BERT, 2019,
// §3), and the score is 1/(1+e^−logit). It is safe for concurrent use, and all
// calls together make at most Workers runs at once. Its files are opened when
// first needed.
type CrossEncoder struct {
	spec  CrossSpec
	parts func() (parts, error)
	slots chan struct{}
	// closing makes Close and the opening of the session exclude each other.
	closing sync.Mutex
	opened  session
	closed  bool
}

var _ rag.Reranker = (*CrossEncoder)(nil)

// parts are what a run needs.
type parts struct {
	tokenizer tokenize.Encoder
	session   session
}

// ErrClosed is returned by a cross-encoder after Close.
var ErrClosed = errors.New("reranker is closed")

// leastLimit is the least input in which a query and a passage have any room.
const leastLimit = 8

// OpenCrossEncoder returns the reranker that spec describes. It opens no file: an
// error of a file comes from the first call that needs it.
func OpenCrossEncoder(rt *ort.Runtime, spec CrossSpec) (*CrossEncoder, error) {
	return openCross(spec, func() (session, error) {
		s, err := rt.Open(spec.Graph)
		if err != nil {
			return nil, err
		}
		return s, nil
	})
}

func openCross(spec CrossSpec, load func() (session, error)) (*CrossEncoder, error) {
	if spec.Name == "" || spec.Limit < leastLimit {
		return nil, fmt.Errorf("reranker %q: limit of %d tokens", spec.Name, spec.Limit)
	}
	spec.Batch, spec.Classes = max(spec.Batch, 1), max(spec.Classes, 1)
	if spec.Workers < 1 {
		spec.Workers = runtime.GOMAXPROCS(0)
	}
	c := &CrossEncoder{spec: spec, slots: make(chan struct{}, spec.Workers)}
	open := func() (session, error) {
		c.closing.Lock()
		defer c.closing.Unlock()
		if c.closed {
			return nil, ErrClosed
		}
		var err error
		c.opened, err = load()
		return c.opened, err
	}
	c.parts = sync.OnceValues(func() (p parts, err error) {
		var group errgroup.Group
		group.Go(func() (err error) {
			p.tokenizer, err = tokenize.Open(spec.Tokenizer, tokenize.Options{Lowercase: spec.Lowercase, Simplify: spec.Simplify})
			return err
		})
		group.Go(func() (err error) { p.session, err = open(); return err })
		err = group.Wait()
		return p, err
	})
	return c, nil
}

// Close frees the model after running calls. Closing twice is harmless.
func (c *CrossEncoder) Close() error {
	c.closing.Lock()
	defer c.closing.Unlock()
	c.closed = true
	if c.opened == nil {
		return nil
	}
	opened := c.opened
	c.opened = nil
	return opened.Close()
}

// Name returns the name it was given.
func (c *CrossEncoder) Name() string { return c.spec.Name }

// Fingerprint covers all that decides a score: both files, the limit, how texts
// are read, and how many share a run.
func (c *CrossEncoder) Fingerprint() string {
	h := sha256.New()
	for _, part := range []any{
		c.spec.ModelSHA256, c.spec.TokenizerSHA256, c.spec.Limit, c.spec.Lowercase, c.spec.Simplify, c.spec.Batch,
	} {
		fmt.Fprintf(h, "%q\n", fmt.Sprint(part))
	}
	return "cross-encoder/1 " + hex.EncodeToString(h.Sum(nil)[:8])
}

// Rerank scores each passage in (0, 1); the logit is in Relevance.Parts. The order
// of scores is the order of logits, even where 1/(1+e^−logit) rounds to the same
// number for several: those are set apart by the least step of a float64. A logit
// that is no number is a fault "score_invalid".
func (c *CrossEncoder) Rerank(ctx context.Context, query string, passages []rag.Passage) ([]rag.Relevance, error) {
	if len(passages) == 0 {
		return nil, ctx.Err()
	}
	if c.spec.Classes != 1 || c.spec.Tokens {
		return nil, fmt.Errorf("rerank with %s: it has %d classes", c.spec.Name, c.spec.Classes)
	}
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	pairs, err := c.pairs(len(texts), func(i int) (string, string) { return query, texts[i] })
	if err != nil {
		return nil, err
	}
	logits, err := c.logits(ctx, pairs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("rerank with %s: %w", c.spec.Name, err)
	}
	out := make([]rag.Relevance, len(logits))
	for i, score := range scores(logits) {
		out[i] = rag.Relevance{Score: score, Parts: []rag.Part{{Name: "logit", Value: logits[i]}}}
	}
	return out, nil
}

// scores are the sigmoids of logits, in the strict order of the logits.
func scores(logits []float64) []float64 {
	order := make([]int, len(logits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(logits[b], logits[a]) })
	out := make([]float64, len(logits))
	for n, i := range order {
		out[i] = sigmoid(logits[i])
		if n == 0 {
			continue
		}
		above := order[n-1]
		if logits[i] == logits[above] {
			out[i] = out[above]
		} else if out[i] >= out[above] {
			out[i] = math.Nextafter(out[above], math.Inf(-1))
		}
	}
	return out
}

// sigmoid is 1/(1+e^−x), exact to rounding on both sides of 0.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// pairs encodes n pairs.
func (c *CrossEncoder) pairs(n int, of func(i int) (first, second string)) ([]tokenize.Pair, error) {
	parts, err := c.parts()
	if err != nil {
		return nil, err
	}
	out := make([]tokenize.Pair, n)
	for i := range out {
		first, second := of(i)
		out[i] = parts.tokenizer.EncodePair(first, second, c.spec.Limit)
	}
	return out, nil
}

// logits gives the logits of each pair, one pair behind the other.
func (c *CrossEncoder) logits(ctx context.Context, pairs []tokenize.Pair) ([]float64, error) {
	parts, err := c.parts()
	if err != nil {
		return nil, err
	}
	k := c.spec.Classes
	out := make([]float64, len(pairs)*k)
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(c.spec.Workers)
	for _, batch := range batches(pairs, c.spec.Batch) {
		group.Go(func() error {
			values, err := c.run(inner, parts.session, pairs, batch)
			if err != nil {
				return err
			}
			for n, x := range values {
				v, i := float64(x), batch[n/k]
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fault.New("score_invalid", fault.P("reranker", c.spec.Name), fault.P("index", i), fault.P("value", v))
				}
				out[i*k+n%k] = v
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// batches groups pairs of like length, the longest first: at most size pairs, and
// none shorter than three quarters of the longest, since the rest is padding.
func batches(pairs []tokenize.Pair, size int) [][]int {
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(pairs[b].IDs), len(pairs[a].IDs)) })
	var out [][]int
	for len(order) > 0 {
		longest, n := len(pairs[order[0]].IDs), 1
		for n < min(size, len(order)) && 4*len(pairs[order[n]].IDs) >= 3*longest {
			n++
		}
		out, order = append(out, order[:n]), order[n:]
	}
	return out
}

// run is one pass of a batch through the graph.
func (c *CrossEncoder) run(ctx context.Context, s session, pairs []tokenize.Pair, batch []int) ([]float32, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	columns := len(pairs[batch[0]].IDs)
	in := ort.Batch{Rows: len(batch)}
	for _, i := range batch {
		ids := pairs[i].IDs
		in.IDs, in.Types = append(in.IDs, ids...), append(in.Types, pairs[i].Types...)
		for n := range columns {
			if n < len(ids) {
				in.Mask = append(in.Mask, 1)
				continue
			}
			in.IDs, in.Mask, in.Types = append(in.IDs, c.spec.Pad), append(in.Mask, 0), append(in.Types, 0)
		}
	}
	out, err := s.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	k, n := c.spec.Classes, len(batch)
	fits := len(out.Shape) == 1 && k == 1 || len(out.Shape) == 2 && out.Shape[1] == int64(k)
	if c.spec.Tokens {
		n *= columns
		fits = len(out.Shape) == 3 && out.Shape[1] == int64(columns) && out.Shape[2] == int64(k)
	}
	if !fits || len(out.Data) != n*k {
		return nil, fmt.Errorf("model output has shape %v for %d pairs", out.Shape, len(batch))
	}
	return out.Data, nil
}
