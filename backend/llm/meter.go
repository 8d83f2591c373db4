package llm

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNotKept is what a dry Meter lets Cached say of a request without a kept reply.
var ErrNotKept = errors.New("no reply is kept")

// Meter counts what Cached was asked for.
type Meter struct {
	// Dry asks no model: a request without a kept reply is ErrNotKept.
	Dry bool

	mu          sync.Mutex
	calls, kept int
	took        time.Duration
}

type meterKey struct{}

// WithMeter has every Cached that gets the context count in m.
func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// Counts returns how many replies were asked for, how many of them were kept from
// before, and how long models took, or had taken, over all of them.
func (m *Meter) Counts() (calls, kept int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls, m.kept, m.took
}

func (m *Meter) add(kept bool, took time.Duration) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	m.took += took
	if kept {
		m.kept++
	}
}
