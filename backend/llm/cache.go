package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ragdesk/backend/rag"
	"ragdesk/backend/wholefile"
)

// Replies keeps replies by key.
type Replies interface {
	// Get returns what was put under the key; ok is false when nothing was.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	Put(ctx context.Context, key string, value []byte) error
}

// Cached is a generator that gives an earlier reply to an equal request: one to the
// same model by its digest, with the same words and options.
type Cached struct {
	model rag.Generator
	kept  Replies
}

var _ rag.Generator = (*Cached)(nil)

// NewCached returns the generator with a memory.
func NewCached(model rag.Generator, kept Replies) *Cached { return &Cached{model, kept} }

// Info implements rag.Generator.
func (c *Cached) Info(ctx context.Context) (rag.GeneratorInfo, error) { return c.model.Info(ctx) }

// Generate implements rag.Generator. A kept reply comes in one piece.
func (c *Cached) Generate(ctx context.Context, req rag.GenerateRequest, onDelta func(string) error) (rag.Generation, error) {
	if err := checkRequest(req); err != nil {
		return rag.Generation{}, err
	}
	info, err := c.model.Info(ctx)
	if err != nil {
		return rag.Generation{}, err
	}
	key, err := RequestKey(info.Digest, req)
	if err != nil {
		return rag.Generation{}, err
	}
	raw, ok, err := c.kept.Get(ctx, key)
	if err != nil {
		return rag.Generation{}, fmt.Errorf("look for a kept reply: %w", err)
	}
	var out rag.Generation
	if ok && json.Unmarshal(raw, &out) == nil {
		out.Cached = true
		meterOf(ctx).add(true, out.Timing.Total)
		if onDelta != nil && out.Text != "" {
			err = onDelta(out.Text)
		}
		return out, err
	}
	if m := meterOf(ctx); m != nil && m.Dry {
		m.add(false, 0)
		return rag.Generation{}, ErrNotKept
	}
	start := time.Now()
	if out, err = c.model.Generate(ctx, req, onDelta); err != nil {
		return rag.Generation{}, err
	}
	meterOf(ctx).add(false, time.Since(start))
	if raw, err := json.Marshal(out); err == nil {
		_ = c.kept.Put(ctx, key, raw) // a reply that cannot be kept is still the reply
	}
	return out, nil
}

// RequestKey is the hexadecimal SHA-256 of a request to a model.
func RequestKey(digest string, req rag.GenerateRequest) (string, error) {
	raw, err := json.Marshal(struct {
		Format  int
		Digest  string
		Request rag.GenerateRequest
	}{1, digest, req})
	if err != nil {
		return "", fmt.Errorf("key of a request: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// Folder keeps replies as files in a folder, which is made when it is needed.
type Folder string

var _ Replies = Folder("")

func (f Folder) path(key string) string { return filepath.Join(string(f), key[:2], key+".json") }

// Get implements Replies.
func (f Folder) Get(_ context.Context, key string) ([]byte, bool, error) {
	raw, err := os.ReadFile(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return raw, err == nil, err
}

// Put implements Replies. A reply is there whole or not at all.
func (f Folder) Put(_ context.Context, key string, value []byte) error {
	return wholefile.Write(f.path(key), value, 0o600)
}
