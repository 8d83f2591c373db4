package job

import (
	"context"
	"sync"
)

// subscriber queues events for one follower.
type subscriber struct {
	mu    sync.Mutex
	queue []Event
	wake  chan struct{}
}

// Subscribe calls send for each event from now on, in order, until ctx ends or
// send fails. It returns ctx.Err() or send's error.
func (b *Board) Subscribe(ctx context.Context, send func(Event) error) error {
	s := &subscriber{wake: make(chan struct{}, 1)}
	b.mu.Lock()
	b.subs[s] = true
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.subs, s)
		b.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.wake:
		}
		for _, e := range s.take() {
			if err := send(e); err != nil {
				return err
			}
		}
	}
}

// send numbers an event and queues it for all; the board is locked.
func (b *Board) send(e Event) {
	b.seq++
	e.Seq = b.seq
	for s := range b.subs {
		s.put(e)
	}
}

func (s *subscriber) put(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Kind == Progress && len(s.queue) >= mailbox {
		return
	}
	s.queue = append(s.queue, e)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *subscriber) take() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queue
	s.queue = nil
	return q
}
