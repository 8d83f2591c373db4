package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/tokenize"
)

// Pooling says how token vectors become the vector of a text.
type Pooling string

// The poolings.
const (
	// CLS takes the vector of the first token.
	CLS Pooling = "cls"
	// Mean averages the vectors of all tokens, special ones included.
	Mean Pooling = "mean"
)

// special is the number of tokens the model adds to a text: [CLS] and [SEP].
const special = 2

// Spec describes a model on disk.
type Spec struct {
	Graph     ort.Graph
	Tokenizer string
	// Lowercase lowers texts although the tokenizer's file does not ask for it.
	Lowercase bool
	// Simplify reads traditional Chinese characters as simplified ones.
	Simplify bool
	// ModelSHA256 and TokenizerSHA256 identify the files in the fingerprint.
	ModelSHA256, TokenizerSHA256 string
	Dim                          int
	Pooling                      Pooling
	// Limit is the longest input in tokens, special ones included; what is longer
	// is cut at its end.
	Limit                       int
	QueryPrefix, DocumentPrefix string
	// Workers is how many texts run at once; 0 means one a core.
	Workers int
}

// session is what the model needs of ort.
type session interface {
	Run(ctx context.Context, b ort.Batch) (ort.Tensor, error)
	Close() error
}

// Model is an embedder. It is safe for concurrent use, and all calls together
// run at most Workers texts at once. Its files are opened when first needed.
type Model struct {
	spec      Spec
	tokenizer func() (tokenize.Encoder, error)
	session   func() (session, error)
	// parts opens both at once.
	parts func() (parts, error)
	slots chan struct{}
	// closing makes Close and the opening of the session exclude each other.
	closing sync.Mutex
	opened  session
	closed  bool
}

var (
	_ rag.Embedder      = (*Model)(nil)
	_ rag.TokenEmbedder = (*Model)(nil)
)

// parts are what a run needs.
type parts struct {
	tokenizer tokenize.Encoder
	session   session
}

// ErrClosed is returned by a model after Close.
var ErrClosed = errors.New("embedding model is closed")

// Open returns the model that spec describes. It opens no file: an error of a
// file comes from the first call that needs it.
func Open(rt *ort.Runtime, spec Spec) (*Model, error) {
	return open(spec, func() (session, error) {
		s, err := rt.Open(spec.Graph)
		if err != nil {
			return nil, err
		}
		return s, nil
	})
}

func open(spec Spec, load func() (session, error)) (*Model, error) {
	switch {
	case spec.Dim < 1:
		return nil, fmt.Errorf("embedding model: dimension %d", spec.Dim)
	case spec.Limit <= special:
		return nil, fmt.Errorf("embedding model: limit of %d tokens", spec.Limit)
	case spec.Pooling != CLS && spec.Pooling != Mean:
		return nil, fmt.Errorf("embedding model: pooling %q", spec.Pooling)
	}
	if spec.Workers < 1 {
		spec.Workers = runtime.GOMAXPROCS(0)
	}
	m := &Model{spec: spec, slots: make(chan struct{}, spec.Workers)}
	m.tokenizer = sync.OnceValues(func() (tokenize.Encoder, error) {
		return tokenize.Open(spec.Tokenizer, tokenize.Options{Lowercase: spec.Lowercase, Simplify: spec.Simplify})
	})
	m.session = sync.OnceValues(func() (session, error) {
		m.closing.Lock()
		defer m.closing.Unlock()
		if m.closed {
			return nil, ErrClosed
		}
		var err error
		m.opened, err = load()
		return m.opened, err
	})
	m.parts = sync.OnceValues(func() (p parts, err error) {
		var group errgroup.Group
		group.Go(func() (err error) { p.tokenizer, err = m.tokenizer(); return err })
		group.Go(func() (err error) { p.session, err = m.session(); return err })
		err = group.Wait()
		return p, err
	})
	return m, nil
}

// Close frees the model after running calls. Closing twice is harmless.
func (m *Model) Close() error {
	m.closing.Lock()
	defer m.closing.Unlock()
	m.closed = true
	if m.opened == nil {
		return nil
	}
	opened := m.opened
	m.opened = nil
	return opened.Close()
}

// Dim returns the dimension of the vectors.
func (m *Model) Dim() int { return m.spec.Dim }

// MaxTokens returns the content tokens of the longest document: the model's limit
// less its special tokens and those of the document prefix. Without a prefix it
// opens no file; with one whose tokenizer does not open, the first call that needs
// the model tells why.
func (m *Model) MaxTokens() int {
	room := m.spec.Limit - special
	if m.spec.DocumentPrefix == "" {
		return room
	}
	t, err := m.tokenizer()
	if err != nil {
		return room
	}
	return max(room-len(t.Tokens(m.spec.DocumentPrefix)), 1)
}

// Tokenizer returns the model's own tokenizer.
func (m *Model) Tokenizer() (rag.Tokenizer, error) {
	t, err := m.tokenizer()
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Fingerprint covers all that decides a vector: both files, pooling, prefixes
// and limit.
func (m *Model) Fingerprint() string {
	h := sha256.New()
	for _, part := range []string{
		m.spec.ModelSHA256, m.spec.TokenizerSHA256, string(m.spec.Pooling),
		m.spec.QueryPrefix, m.spec.DocumentPrefix, fmt.Sprint(m.spec.Limit), fmt.Sprint(m.spec.Lowercase), fmt.Sprint(m.spec.Simplify),
	} {
		fmt.Fprintf(h, "%q\n", part)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
