package app

import (
	"context"
	"os"
	"runtime/debug"
	"sync"

	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

const (
	// workMemory is how much Go's memory may be beside the vectors of the libraries
	// in use, tokenMemory of it the token vectors that are kept. Models and mapped
	// files come on top: they are not Go's.
	workMemory = 192 << 20
	// bytesPerValue is the size of a vector's value.
	bytesPerValue = 4
)

// MemoryLimiter returns what programs give as Config.LimitMemory: the limit of
// the Go runtime, or nil where the user has set GOMEMLIMIT.
func MemoryLimiter() func(bytes int64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return func(bytes int64) { debug.SetMemoryLimit(bytes) }
}

// memory sets the limit of memory by the vectors that are loaded. Without it the
// collector would let garbage grow to the size of all vectors before it looks. The
// limit is a soft one: what must be kept is kept.
type memory struct {
	limit func(bytes int64) // nil for none

	mu sync.Mutex
	// vectors are the bytes of each library's.
	vectors map[int64]int64
}

func newMemory(limit func(bytes int64)) *memory {
	m := &memory{limit: limit, vectors: map[int64]int64{}}
	m.change(func() {})
	return m
}

// load makes room for a library's vectors.
func (m *memory) load(lib rag.Library) {
	m.change(func() { m.vectors[lib.ID] = vectorBytes(lib) })
}

// follow makes room for the vectors of a library that has changed, if it had any.
func (m *memory) follow(lib rag.Library) {
	m.change(func() {
		if _, ok := m.vectors[lib.ID]; ok {
			m.vectors[lib.ID] = vectorBytes(lib)
		}
	})
}

// drop gives back the room of a library that is gone.
func (m *memory) drop(lib rag.Library) {
	m.change(func() { delete(m.vectors, lib.ID) })
}

func (m *memory) change(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	if m.limit == nil {
		return
	}
	all := int64(workMemory)
	for _, bytes := range m.vectors {
		all += bytes
	}
	m.limit(all)
}

func vectorBytes(lib rag.Library) int64 { return int64(lib.Chunks) * int64(lib.Dim) * bytesPerValue }

// roomyStore makes room for vectors before it reads them.
type roomyStore struct {
	*store.Store
	memory *memory
}

func (r roomyStore) Vectors(ctx context.Context, lib rag.Library) (rag.VectorBlock, error) {
	r.memory.load(lib)
	return r.Store.Vectors(ctx, lib)
}
