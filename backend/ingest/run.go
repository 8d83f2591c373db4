package ingest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

const (
	// embedGroup is how many chunks go to the embedder at once: enough that its
	// workers seldom wait for one another, few enough to cancel quickly.
	embedGroup = 64
	// commitEvery and commitChunks bound what a crash can cost.
	commitEvery  = time.Second
	commitChunks = 1024
	// readAhead is how many documents wait for the embedder.
	readAhead = 64
)

// producer passes the items of a run in order.
type producer func(ctx context.Context, pass func(*item) error) error

// run moves items from reading through embedding to committing, each stage in
// its own goroutine.
func run(ctx context.Context, embedder rag.Embedder, produce producer, c *committer, progress rag.Progress) error {
	g, gctx := errgroup.WithContext(ctx)
	read := make(chan *item, readAhead)
	embedded := make(chan *item, readAhead)
	g.Go(func() error {
		defer close(read)
		return produce(gctx, func(it *item) error { return send(gctx, read, it) })
	})
	g.Go(func() error {
		defer close(embedded)
		e := embedding{embedder, progress}
		return e.all(gctx, read, func(it *item) error { return send(gctx, embedded, it) })
	})
	g.Go(func() error {
		// Not gctx: what is embedded when the run is cancelled is still committed.
		return c.all(context.WithoutCancel(ctx), embedded)
	})
	return g.Wait()
}

func send(ctx context.Context, to chan<- *item, it *item) error {
	select {
	case to <- it:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// embedding gives records their vectors.
type embedding struct {
	embedder rag.Embedder
	progress rag.Progress
}

// all embeds the items of in, as many together as are ready, and passes them on
// in order.
func (e embedding) all(ctx context.Context, in <-chan *item, pass func(*item) error) error {
	for first := range in {
		group, chunks := []*item{first}, first.chunks()
	fill:
		for chunks < embedGroup {
			select {
			case it, ok := <-in:
				if !ok {
					break fill
				}
				group = append(group, it)
				chunks += it.chunks()
			default:
				break fill
			}
		}
		if err := e.group(ctx, group); err != nil {
			return err
		}
		for _, it := range group {
			if err := pass(it); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (it *item) chunks() int {
	if it.record == nil {
		return 0
	}
	return len(it.record.Chunks)
}

// group embeds the chunks of several items. When a text's vector is refused,
// the items are embedded one by one, so that only its own document fails.
func (e embedding) group(ctx context.Context, group []*item) error {
	err := e.texts(ctx, group)
	if !fault.Is(err, "vector_invalid") {
		return err
	}
	for _, it := range group {
		err := e.texts(ctx, []*item{it})
		if fault.Is(err, "vector_invalid") {
			it.fail(err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (e embedding) texts(ctx context.Context, group []*item) error {
	var texts []string
	for _, it := range group {
		if it.record == nil {
			continue
		}
		it.record.Vectors = it.record.Vectors[:0]
		for _, c := range it.record.Chunks {
			texts = append(texts, c.Text)
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for part := range slices.Chunk(texts, embedGroup) {
		v, err := e.embedder.Documents(ctx, part)
		if err != nil {
			return fmt.Errorf("embed %d chunks: %w", len(part), err)
		}
		vectors = append(vectors, v...)
	}
	for _, it := range group {
		for range it.chunks() {
			it.record.Vectors = append(it.record.Vectors, vectors[0]...)
			vectors = vectors[1:]
		}
		e.progress.Add(int(it.size))
	}
	return nil
}

// committer makes items visible in groups and reports them afterwards.
type committer struct {
	to       Committer
	progress rag.Progress
	lib      rag.Library
	outcomes map[int]Outcome
	chunks   int

	pending []*item
	waiting int // chunks in pending
	failed  map[rag.DocumentID]error
}

func newCommitter(to Committer, lib rag.Library, progress rag.Progress) *committer {
	return &committer{to: to, progress: progress, lib: lib,
		outcomes: map[int]Outcome{}, failed: map[rag.DocumentID]error{}}
}

func (c *committer) all(ctx context.Context, in <-chan *item) error {
	tick := time.NewTicker(commitEvery)
	defer tick.Stop()
	for {
		select {
		case it, ok := <-in:
			if !ok {
				return c.flush(ctx)
			}
			c.pending = append(c.pending, it)
			c.waiting += it.chunks()
			if c.waiting < commitChunks {
				continue
			}
		case <-tick.C:
		}
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
}

// flush commits what is pending and reports it. Items that follow from one
// another keep their order: an item that touches a document which an earlier
// pending item touched waits for the next commit.
func (c *committer) flush(ctx context.Context) error {
	for len(c.pending) > 0 {
		change, n := c.next()
		if !change.IsEmpty() {
			lib, err := c.to.Commit(ctx, c.lib, change)
			if err != nil {
				return fmt.Errorf("commit %d documents: %w", len(change.Put), err)
			}
			c.lib = lib
		}
		for _, it := range c.pending[:n] {
			c.report(it)
		}
		c.pending = c.pending[n:]
	}
	c.pending, c.waiting = nil, 0
	return nil
}

// next gathers the longest run of pending items that fit one change.
func (c *committer) next() (change rag.Change, n int) {
	touched := map[string]bool{}
	aliased := map[rag.DocumentID]bool{} // documents that an alias of this change names
	for _, it := range c.pending {
		keys := it.keys()
		if aliased[it.removeDoc] || slices.ContainsFunc(keys, func(k string) bool { return touched[k] }) {
			break
		}
		for _, k := range keys {
			touched[k] = true
		}
		c.add(&change, it)
		if it.alias != nil {
			aliased[it.alias.DocID] = true
		}
		n++
	}
	return change, n
}

// repeats reports whether the item says that its document is there already.
func (it *item) repeats() bool {
	switch it.outcome.Status {
	case rag.StatusUnchanged, rag.StatusAlias, rag.StatusEmpty:
		return it.record == nil
	}
	return false
}

// keys name what the item changes.
func (it *item) keys() []string {
	var keys []string
	if it.record != nil {
		keys = append(keys, "d"+string(it.record.ID))
	}
	if it.removeDoc != "" {
		keys = append(keys, "d"+string(it.removeDoc))
	}
	if it.alias != nil {
		keys = append(keys, "a"+it.alias.Source)
	}
	if it.removeAlias != "" && it.alias == nil {
		keys = append(keys, "a"+it.removeAlias)
	}
	if it.place != "" {
		keys = append(keys, "p"+it.place)
	}
	return keys
}

func (c *committer) add(change *rag.Change, it *item) {
	id := it.outcome.Doc.ID
	switch refused := c.failed[id]; {
	case it.record != nil:
		change.Put = append(change.Put, *it.record)
		delete(c.failed, id)
	case it.outcome.Err != nil && id != "":
		c.failed[id] = it.outcome.Err
	case refused != nil && it.repeats(): // another path to a document that was refused
		it.fail(refused)
	}
	if it.removeDoc != "" {
		change.Remove = append(change.Remove, it.removeDoc)
	}
	if it.removeAlias != "" {
		change.RemoveAliases = append(change.RemoveAliases, it.removeAlias)
	}
	if it.alias != nil {
		change.PutAliases = append(change.PutAliases, *it.alias)
	}
	switch {
	case it.place != "" && it.unread():
		change.PutUnread = append(change.PutUnread, it.noted(time.Now()))
	case it.wasUnread:
		change.ClearUnread = append(change.ClearUnread, it.place)
	}
}

func (c *committer) report(it *item) {
	if it.record != nil {
		c.chunks += it.chunks()
	}
	if it.outcome.Status == "" { // a step that another item reports
		return
	}
	c.outcomes[it.seq] = it.outcome
	c.progress.Note(it.outcome)
}

// result is the report of what was committed.
func (c *committer) result(start time.Time) Report {
	out := make([]Outcome, 0, len(c.outcomes))
	for _, seq := range sortedKeys(c.outcomes) {
		out = append(out, c.outcomes[seq])
	}
	return Report{Outcomes: out, Chunks: c.chunks, Took: time.Since(start), Library: c.lib}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
