package tokenvec

import (
	"container/list"
	"sync"

	"ragdesk/backend/rag"
)

// Memory keeps the token codes used last within a budget. It is safe for
// concurrent use and may be shared by caches.
type Memory struct {
	mu     sync.Mutex
	budget int64
	used   int64
	byKey  map[key]*list.Element
	recent *list.List // of held, the most recent first
}

type held struct {
	key   key
	codes rag.TokenCodes
}

// NewMemory returns a memory of at most budget bytes.
func NewMemory(budget int64) *Memory {
	return &Memory{budget: budget, byKey: map[key]*list.Element{}, recent: list.New()}
}

func size(c rag.TokenCodes) int64 { return int64(len(c.Codes)) + 4*int64(len(c.Inv)) + 128 }

func (m *Memory) get(k key) (rag.TokenCodes, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byKey[k]
	if !ok {
		return rag.TokenCodes{}, false
	}
	m.recent.MoveToFront(e)
	return e.Value.(held).codes, true
}

func (m *Memory) put(k key, c rag.TokenCodes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.byKey[k]; ok || size(c) > m.budget {
		return
	}
	m.byKey[k] = m.recent.PushFront(held{k, c})
	m.used += size(c)
	for m.used > m.budget {
		last := m.recent.Back()
		h := last.Value.(held)
		m.recent.Remove(last)
		delete(m.byKey, h.key)
		m.used -= size(h.codes)
	}
}
