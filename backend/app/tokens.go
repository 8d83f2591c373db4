package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"ragdesk/backend/embed"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
	"ragdesk/backend/tokenvec"
)

const (
	// tokenMemory is how much of the token vectors computed at query time is kept.
	tokenMemory = 64 << 20
	// tokenBudget is how much of them a library keeps on disk from ingestion: about
	// 8,000 chunks of 250 Chinese characters. Chunks beyond it are computed when a
	// query needs them.
	tokenBudget = 1 << 30
)

// tokenFiles are the libraries' token vectors.
type tokenFiles struct {
	memory *tokenvec.Memory
	mu     *sync.Mutex
	files  map[int64]*tokenvec.File
}

func newTokenFiles() tokenFiles {
	return tokenFiles{tokenvec.NewMemory(tokenMemory), &sync.Mutex{}, map[int64]*tokenvec.File{}}
}

func (t tokenFiles) file(st *store.Store, lib rag.Library) *tokenvec.File {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.files[lib.ID]
	if !ok {
		f = tokenvec.OpenFile(filepath.Join(st.IndexDir(lib.ID), "tokens.bin"))
		t.files[lib.ID] = f
	}
	return f
}

// appender opens a library's file for adding.
func (t tokenFiles) appender(st *store.Store, lib rag.Library) (*tokenvec.Appender, error) {
	if err := os.MkdirAll(st.IndexDir(lib.ID), 0o755); err != nil {
		return nil, fmt.Errorf("make the index folder: %w", err)
	}
	return t.file(st, lib).Append(tokenBudget)
}

// drop forgets a removed library's file; its folder is deleted by the shelf.
func (t tokenFiles) drop(lib rag.Library) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.files[lib.ID]; f != nil {
		_ = f.Close() // opened for reading
		delete(t.files, lib.ID)
	}
}

func (t tokenFiles) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.files {
		_ = f.Close() // opened for reading
	}
}

// keeping returns the embedder of an ingestion. The token vectors of a library that
// a host embeds are computed when a query needs them.
func keeping(o opened, tokens *tokenvec.Appender) rag.Embedder {
	if o.room > 0 {
		return o.Embedder
	}
	return keepingTokens{o.local, tokens}
}

// keepingTokens embeds documents and keeps their token vectors, which the same
// run of the model gives, for late interaction.
type keepingTokens struct {
	*embed.Mixed
	tokens *tokenvec.Appender
}

// Documents implements rag.Embedder.
func (k keepingTokens) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	encoded, err := k.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	members := k.Members()
	for space := range members {
		var own []string
		var codes []rag.TokenCodes
		for i, e := range encoded {
			if e.Space != space {
				continue
			}
			vectors[i] = e.Vector
			own, codes = append(own, texts[i]), append(codes, rag.Quantize(e.Tokens))
		}
		if err := k.tokens.Put(members[space].Model.Fingerprint(), own, codes); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}
