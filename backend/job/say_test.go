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
		p.Unsay()
		p.Say("年假")
		p.Say("十天")
		return nil, nil
	})
	last := events[len(events)-1]
	if last.Kind != job.End || last.Job.Text != "年假十天" {
		t.Errorf("at the end %+v", last)
	}
	longest := ""
	for _, e := range events {
		if e.Kind == job.Progress {
			longest = max(longest, e.Job.Text)
		}
	}
	if longest == "" {
		t.Errorf("no progress tells what was written: %+v", events)
	}
}
