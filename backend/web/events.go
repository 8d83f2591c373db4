package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

const (
	// ringSize is how many events a page that lost its connection can catch up on.
	ringSize = 1024
	// keepAlive is how often a silent stream shows that it lives.
	keepAlive = 15 * time.Second
	// writeLimit is how long a reader may keep one write waiting.
	writeLimit = 10 * time.Second
)

// hub keeps the latest events and wakes the streams. Events carry an increasing
// Seq, which is where a stream resumes. Safe for concurrent use.
type hub struct {
	mu sync.Mutex
	// ring is ordered by Seq; forgotten is the Seq of the last one pushed out.
	ring      []api.Event
	forgotten int64
	// wake is closed when an event arrives, and replaced.
	wake chan struct{}
}

func newHub() *hub { return &hub{wake: make(chan struct{})} }

func (h *hub) publish(e api.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ring) == ringSize {
		h.forgotten = h.ring[0].Seq
		h.ring = append(h.ring[:0], h.ring[1:]...)
	}
	h.ring = append(h.ring, e)
	close(h.wake)
	h.wake = make(chan struct{})
}

// newest is the Seq after which a new stream starts.
func (h *hub) newest() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ring) == 0 {
		return h.forgotten
	}
	return h.ring[len(h.ring)-1].Seq
}

// since returns the events after seq and a channel that closes when more come.
// lost is true when some can no longer be had, or seq is from another launch.
func (h *hub) since(seq int64) (events []api.Event, lost bool, wake <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := h.forgotten
	for _, e := range h.ring {
		if e.Seq > seq {
			events = append(events, e)
		}
		last = e.Seq
	}
	return events, seq < h.forgotten || seq > last, h.wake
}

// events streams job events until the caller leaves or the server stops. A
// caller that resumes with Last-Event-ID gets what it missed, or the event
// "reset", which tells it to read its jobs anew.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		s.fail(w, r, fault.New("method_refused", fault.P("method", r.Method)))
		return
	}
	out := &eventStream{w: w, control: http.NewResponseController(w)}
	seq := s.hub.newest()
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		var err error
		if seq, err = strconv.ParseInt(id, 10, 64); err != nil {
			s.fail(w, r, fault.Wrap(err, "body_invalid", fault.P("detail", "Last-Event-ID: "+id)))
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if out.write(": open\n\n") != nil {
		return
	}
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		events, lost, wake := s.hub.since(seq)
		if lost {
			seq = s.hub.newest()
			events = nil
			if out.write("id: %d\nevent: reset\ndata: {}\n\n", seq) != nil {
				return
			}
		}
		for _, e := range events {
			if out.event(e) != nil {
				return
			}
			seq = e.Seq
		}
		select {
		case <-r.Context().Done():
			return
		case <-wake:
		case <-tick.C:
			if out.write(": alive\n\n") != nil {
				return
			}
		}
	}
}

// eventStream writes server-sent events, each flushed at once.
type eventStream struct {
	w       io.Writer
	control *http.ResponseController
}

func (o *eventStream) event(e api.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode event %d: %w", e.Seq, err)
	}
	return o.write("id: %d\nevent: job\ndata: %s\n\n", e.Seq, b)
}

func (o *eventStream) write(format string, args ...any) error {
	// A writer without deadlines or flushing, as in tests, is no failure.
	_ = o.control.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, err := fmt.Fprintf(o.w, format, args...); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	_ = o.control.Flush()
	return nil
}
