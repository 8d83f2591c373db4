// Package tokenvec gives the token vectors of texts, in eight bits a value, and
// spares computing them again: from memory, from a library's file, and only
// then from the model.
//
// The codes of a text are the same wherever they come from, so a ranking does
// not depend on what happens to be cached. Texts are known by a hash of their
// bytes; nothing here can be stale.
//
//	cache := tokenvec.New(model, model.Fingerprint(), memory, file)
//	codes, err := cache.Codes(ctx, texts)
package tokenvec

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/rag"
)

// key names a text under an embedder.
type key [16]byte

func keyOf(fingerprint, text string) key {
	h := sha256.New()
	h.Write([]byte(fingerprint))
	h.Write([]byte{0})
	h.Write([]byte(text))
	return key(h.Sum(nil)[:16])
}

// Cache looks texts up in memory, then in file, then asks the model and keeps
// the answer in memory. It is safe for concurrent use.
type Cache struct {
	model       rag.TokenEmbedder
	fingerprint string
	memory      *Memory
	file        *File
}

// New returns a cache over model; file may be nil.
func New(model rag.TokenEmbedder, fingerprint string, memory *Memory, file *File) *Cache {
	return &Cache{model, fingerprint, memory, file}
}

// Codes returns the token codes of each text.
func (c *Cache) Codes(ctx context.Context, texts []string) ([]rag.TokenCodes, error) {
	out := make([]rag.TokenCodes, len(texts))
	var missing []int
	for i, t := range texts {
		k := keyOf(c.fingerprint, t)
		codes, ok := c.memory.get(k)
		if !ok {
			codes, ok = c.file.get(k)
		}
		if !ok {
			missing = append(missing, i)
			continue
		}
		out[i] = codes
	}
	if len(missing) == 0 {
		return out, ctx.Err()
	}
	ask := make([]string, len(missing))
	for n, i := range missing {
		ask[n] = texts[i]
	}
	vectors, err := c.model.TokenVectors(ctx, ask)
	if err != nil {
		return nil, fmt.Errorf("embed the tokens of %d texts: %w", len(ask), err)
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for n, i := range missing {
		g.Go(func() error {
			out[i] = rag.Quantize(vectors[n])
			c.memory.put(keyOf(c.fingerprint, texts[i]), out[i])
			return nil
		})
	}
	return out, g.Wait()
}
