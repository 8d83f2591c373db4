package job_test

import (
	"context"
	"testing"

	"ragdesk/backend/job"
)

func TestWhatAJobWritesIsInItsSnapshot(t *testing.T) {
	t.Parallel()
	b := board(t)
	events := follow(t, b, func(_ context.Context, p *job.Reporter) (any, error) {
		p.Say("first ")
		p.Show("half")
		p.Say("年假")
		p.Say("十天")
		return nil, nil
	})
	last := events[len(events)-1]
	if last.Kind != job.End || last.Job.Text != "年假十天" {
		t.Errorf("at the end %+v", last)
	}
	if last.Job.Partial != "half" {
		t.Errorf("of the result at the end there is %v", last.Job.Partial)
	}
	longest, shown := "", 0
	for _, e := range events {
		if e.Kind == job.Item && e.Item == nil && e.Job.Partial == "half" && e.Job.Text == "" {
			shown++
		}
		if e.Kind == job.Progress && e.Job.Partial != nil {
			t.Errorf("progress carries the result so far: %+v", e)
		}
		if e.Kind == job.Progress {
			longest = max(longest, e.Job.Text)
		}
	}
	if shown != 1 {
		t.Errorf("%d events show half of the result: %+v", shown, events)
	}
	if longest == "" {
		t.Errorf("no progress tells what was written: %+v", events)
	}
}
