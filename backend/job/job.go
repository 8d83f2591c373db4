// Package job runs long work in the background: ids, progress, cancellation and
// events for whoever follows.
//
// Progress events are coalesced to at most ten a second a job and a slow
// subscriber may miss some; item and end events are never dropped.
package job

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ragdesk/backend/fault"
)

// State of a job.
type State string

// The states.
const (
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Snapshot is a job at one moment.
type Snapshot struct {
	ID, Kind string
	State    State
	// Stage names what is being done: Done of Total units, Total 0 if unknown.
	Stage       string
	Done, Total int
	Started     time.Time
	// Text is what was written so far, of work that writes.
	Text string
	// StageStarted is when the current stage began.
	StageStarted time.Time
	// Partial is what there is of the result before its end, of work that shows it;
	// progress events are without it.
	Partial any
	// Result is what the work returned; a cancelled job has what it had by then.
	Result any
	Err    error
}

// EventKind says what an event is.
type EventKind string

// The kinds of events.
const (
	Progress EventKind = "progress"
	Item     EventKind = "item"
	End      EventKind = "end"
)

// Event is news of a job.
type Event struct {
	Seq  int64
	Kind EventKind
	Job  Snapshot
	// Item is set in item events.
	Item any
}

// Work is a job's function. It returns its result even with an error, when it
// has one.
type Work func(ctx context.Context, p *Reporter) (any, error)

const (
	// progressEvery is the least time between two progress events of a job.
	progressEvery = 100 * time.Millisecond
	// keepEnded is how many ended jobs are remembered.
	keepEnded = 32
	// mailbox is how many events a subscriber may lag behind before progress
	// events are dropped for it.
	mailbox = 256
)

// Board runs jobs and remembers them. It is safe for concurrent use.
type Board struct {
	mu    sync.Mutex
	seq   int64
	next  int
	jobs  map[string]*entry
	ended []string
	subs  map[*subscriber]bool
	wg    sync.WaitGroup
}

type entry struct {
	snap     Snapshot
	cancel   context.CancelFunc
	lastSent time.Time
}

// NewBoard returns a board without jobs.
func NewBoard() *Board {
	return &Board{jobs: map[string]*entry{}, subs: map[*subscriber]bool{}}
}

// Start runs work in the background. The job ends with the board's Close or
// Cancel, not with the caller's request.
func (b *Board) Start(kind string, work Work) Snapshot {
	ctx, cancel := context.WithCancel(context.Background())
	b.mu.Lock()
	b.next++
	e := &entry{cancel: cancel, snap: Snapshot{
		ID: fmt.Sprintf("%s-%d", kind, b.next), Kind: kind, State: Running, Started: time.Now(),
	}}
	b.jobs[e.snap.ID] = e
	snap := e.snap
	b.wg.Add(1)
	b.mu.Unlock()
	go func() {
		defer b.wg.Done()
		defer cancel()
		result, err := guarded(ctx, work, &Reporter{b, e})
		b.end(ctx, e, result, err)
	}()
	return snap
}

// guarded turns a panic in work into an error.
func guarded(ctx context.Context, work Work, r *Reporter) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New("internal", fault.P("detail", p))
		}
	}()
	return work(ctx, r)
}

func (b *Board) end(ctx context.Context, e *entry, result any, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.snap.Result, e.snap.Err = result, err
	switch {
	case err == nil:
		e.snap.State = Done
	case ctx.Err() != nil:
		e.snap.State = Cancelled
	default:
		e.snap.State = Failed
	}
	b.ended = append(b.ended, e.snap.ID)
	if len(b.ended) > keepEnded {
		delete(b.jobs, b.ended[0])
		b.ended = b.ended[1:]
	}
	b.send(Event{Kind: End, Job: e.snap})
}

// Get returns a job, or the fault "job_unknown".
func (b *Board) Get(id string) (Snapshot, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.jobs[id]
	if !ok {
		return Snapshot{}, fault.New("job_unknown", fault.P("id", id))
	}
	return e.snap, nil
}

// Running returns the jobs that have not ended, but the one of that id, the oldest first.
func (b *Board) Running(but string) (list []Snapshot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, e := range b.jobs {
		if e.snap.State == Running && id != but {
			list = append(list, e.snap)
		}
	}
	slices.SortFunc(list, func(a, b Snapshot) int { return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID)) })
	return list
}

// Cancel asks a job to stop; it is cancelled once its end event comes.
func (b *Board) Cancel(id string) (Snapshot, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.jobs[id]
	if !ok {
		return Snapshot{}, fault.New("job_unknown", fault.P("id", id))
	}
	e.cancel()
	return e.snap, nil
}

// Close cancels all jobs and waits for them.
func (b *Board) Close() {
	b.mu.Lock()
	for _, id := range slices.Sorted(maps.Keys(b.jobs)) {
		b.jobs[id].cancel()
	}
	b.mu.Unlock()
	b.wg.Wait()
}

// Reporter is a job's rag.Progress.
type Reporter struct {
	board *Board
	entry *entry
}

// ID is the job's.
func (r *Reporter) ID() string { return r.entry.snap.ID }

// Stage starts a step of total units.
func (r *Reporter) Stage(name string, total int) {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	s := &r.entry.snap
	s.Stage, s.Done, s.Total, s.StageStarted = name, 0, total, time.Now()
	r.entry.lastSent = time.Time{}
	r.progress()
}

// Add reports n more units done.
func (r *Reporter) Add(n int) {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	r.entry.snap.Done += n
	r.progress()
}

// Say adds to what was written. Progress events carry all of it, so that a missed
// event loses nothing.
func (r *Reporter) Say(text string) {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	r.entry.snap.Text += text
	r.progress()
}

// Show tells what there is of the result so far, which the work must not change any
// more. What was said until then is in it, so that a new text begins. Its event is an
// item without content, and as such never dropped.
func (r *Reporter) Show(partial any) {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	r.entry.snap.Partial, r.entry.snap.Text = partial, ""
	r.board.send(Event{Kind: Item, Job: r.entry.snap})
}

// Note reports a finished item.
func (r *Reporter) Note(item any) {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	r.board.send(Event{Kind: Item, Job: r.entry.snap, Item: item})
}

// progress sends a progress event unless one went out just now; the board is
// locked.
func (r *Reporter) progress() {
	if now := time.Now(); now.Sub(r.entry.lastSent) >= progressEvery {
		r.entry.lastSent = now
		snap := r.entry.snap
		snap.Partial = nil
		r.board.send(Event{Kind: Progress, Job: snap})
	}
}
