package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/job"
)

// board returns a board that is closed with the test.
func board(t *testing.T) *job.Board {
	t.Helper()
	b := job.NewBoard()
	t.Cleanup(b.Close)
	return b
}

// errEnough ends a subscription.
var errEnough = errors.New("enough")

// follow runs work as a job and returns its events up to the end, every one of
// which it has, since the work waits for the subscription.
func follow(t *testing.T, b *job.Board, work job.Work) []job.Event {
	t.Helper()
	listening := make(chan struct{})
	b.Start("test", func(ctx context.Context, r *job.Reporter) (any, error) {
		for { // until somebody hears it
			r.Note("knock")
			select {
			case <-listening:
				return work(ctx, r)
			case <-time.After(time.Millisecond):
			}
		}
	})
	var events []job.Event
	heard := false
	err := b.Subscribe(t.Context(), func(e job.Event) error {
		switch {
		case e.Item == "knock":
			if !heard {
				heard = true
				close(listening)
			}
			return nil
		case e.Kind == job.End:
			events = append(events, e)
			return errEnough
		}
		events = append(events, e)
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatalf("subscription ended with %v", err)
	}
	return events
}

// ended polls a job until it has ended.
func ended(t *testing.T, b *job.Board, id string) job.Snapshot {
	t.Helper()
	for {
		s, err := b.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		if s.State != job.Running {
			return s
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAJobsEventsComeInOrder(t *testing.T) {
	t.Parallel()
	events := follow(t, board(t), func(_ context.Context, r *job.Reporter) (any, error) {
		r.Stage("read", 10)
		r.Note("a")
		r.Stage("write", 0)
		r.Note("b")
		return "result", nil
	})
	var got []string
	for i, e := range events {
		got = append(got, fmt.Sprint(e.Kind, " ", e.Job.Stage, " ", e.Item))
		if i > 0 && e.Seq <= events[i-1].Seq {
			t.Errorf("event %d has number %d after %d", i, e.Seq, events[i-1].Seq)
		}
	}
	want := []string{"progress read <nil>", "item read a", "progress write <nil>", "item write b", "end write <nil>"}
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	last := events[len(events)-1].Job
	if last.State != job.Done || last.Result != "result" || last.Err != nil || last.Kind != "test" {
		t.Errorf("ended as %+v", last)
	}
}

func TestProgressIsCoalescedAndAddsUp(t *testing.T) {
	t.Parallel()
	b := board(t)
	var took time.Duration
	events := follow(t, b, func(_ context.Context, r *job.Reporter) (any, error) {
		start := time.Now()
		r.Stage("count", 5000)
		for range 5000 {
			r.Add(1)
		}
		took = time.Since(start)
		return nil, nil
	})
	progress := 0
	for _, e := range events {
		if e.Kind == job.Progress {
			progress++
		}
	}
	if most := 2 + int(took/(100*time.Millisecond)); progress < 1 || progress > most {
		t.Errorf("%d progress events in %v, at most %d wanted", progress, took, most)
	}
	if last := events[len(events)-1].Job; last.Done != 5000 || last.Total != 5000 {
		t.Errorf("ended at %d of %d", last.Done, last.Total)
	}
}

func TestASlowFollowerMissesProgressAlone(t *testing.T) {
	t.Parallel()
	b := board(t)
	const items = 2000
	release := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := make(chan [2]int, 1)
	heard := make(chan struct{})
	go func() {
		n, progress, first := 0, 0, true
		_ = b.Subscribe(ctx, func(e job.Event) error {
			if first {
				first = false
				close(heard)
				<-release // asleep while everything happens
			}
			_, isNumber := e.Item.(int)
			switch {
			case isNumber:
				n++
			case e.Kind == job.Progress:
				progress++
			case e.Kind == job.End:
				got <- [2]int{n, progress}
				return errEnough
			}
			return nil
		})
	}()
	s := b.Start("test", func(_ context.Context, r *job.Reporter) (any, error) {
		for {
			r.Note("knock")
			select {
			case <-heard:
				for i := range items {
					r.Stage(fmt.Sprint(i), 1) // a progress event each
					r.Note(i)
				}
				return nil, nil
			case <-time.After(time.Millisecond):
			}
		}
	})
	ended(t, b, s.ID)
	close(release)
	if n := <-got; n[0] != items || n[1] >= items {
		t.Errorf("%d items and %d progress events came of %d each", n[0], n[1], items)
	}
}

func TestCancelEndsAJobWithWhatItHas(t *testing.T) {
	t.Parallel()
	b := board(t)
	s := b.Start("test", func(ctx context.Context, _ *job.Reporter) (any, error) {
		<-ctx.Done()
		return "half", fmt.Errorf("work: %w", ctx.Err())
	})
	if s.State != job.Running || s.ID == "" {
		t.Errorf("started as %+v", s)
	}
	if _, err := b.Cancel(s.ID); err != nil {
		t.Fatal(err)
	}
	got := ended(t, b, s.ID)
	if got.State != job.Cancelled || got.Result != "half" || fault.Of(got.Err).Code != "cancelled" {
		t.Errorf("ended as %+v", got)
	}
}

func TestHowJobsEnd(t *testing.T) {
	t.Parallel()
	b := board(t)
	for name, c := range map[string]struct {
		work  job.Work
		state job.State
		code  string
	}{
		"a fault": {func(context.Context, *job.Reporter) (any, error) { return nil, fault.New("disk_full") }, job.Failed, "disk_full"},
		"a panic": {func(context.Context, *job.Reporter) (any, error) { panic("boom") }, job.Failed, "internal"},
		"success": {func(context.Context, *job.Reporter) (any, error) { return 1, nil }, job.Done, ""},
	} {
		s := ended(t, b, b.Start("test", c.work).ID)
		code := ""
		if s.Err != nil {
			code = fault.Of(s.Err).Code
		}
		if s.State != c.state || code != c.code {
			t.Errorf("%s: %s with code %q, want %s with %q", name, s.State, code, c.state, c.code)
		}
	}
}

func TestJobsAreForgottenInTheEnd(t *testing.T) {
	t.Parallel()
	b := board(t)
	var ids []string
	for range 40 {
		s := b.Start("test", func(context.Context, *job.Reporter) (any, error) { return nil, nil })
		ended(t, b, s.ID)
		if slices.Contains(ids, s.ID) {
			t.Fatalf("id %s was used before", s.ID)
		}
		ids = append(ids, s.ID)
	}
	for i, id := range ids {
		_, err := b.Get(id)
		if kept := err == nil; kept != (i >= len(ids)-32) {
			t.Errorf("job %d of %d is remembered: %t", i, len(ids), kept)
		}
		if err != nil && !fault.Is(err, "job_unknown") {
			t.Errorf("%v, want job_unknown", err)
		}
	}
	if _, err := b.Cancel(ids[0]); !fault.Is(err, "job_unknown") {
		t.Errorf("cancelling a forgotten job: %v", err)
	}
}

func TestCloseCancelsAndWaits(t *testing.T) {
	t.Parallel()
	b := job.NewBoard()
	finished := false
	b.Start("test", func(ctx context.Context, _ *job.Reporter) (any, error) {
		<-ctx.Done()
		finished = true
		return nil, ctx.Err()
	})
	b.Close()
	if !finished {
		t.Error("Close returned before the work did")
	}
}

func TestSubscribeEnds(t *testing.T) {
	t.Parallel()
	b := board(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Subscribe(ctx, func(job.Event) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("with its context: %v", err)
	}
}
