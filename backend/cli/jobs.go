package cli

import (
	"context"
	"errors"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// pollEvery is how often a running job is looked at.
const pollEvery = 50 * time.Millisecond

// wait shows a job's progress until it ends. When ctx is cancelled it cancels
// the job and waits for what the job saves.
func (e *env) wait(ctx context.Context, j api.Job) (api.Job, error) {
	bar := progressBar{env: e}
	defer bar.clear()
	return e.observe(ctx, j, bar.show)
}

// observe is wait with the job shown by show, at its end too.
func (e *env) observe(ctx context.Context, j api.Job, show func(api.Job)) (api.Job, error) {
	s, err := e.open()
	if err != nil {
		return api.Job{}, err
	}
	background := context.WithoutCancel(ctx)
	cancelled := ctx.Done()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		j, err = s.GetJob(background, api.JobRequest{ID: j.ID})
		if err != nil {
			return j, err
		}
		show(j)
		if j.State != "running" {
			return j, nil
		}
		select {
		case <-tick.C:
		case <-cancelled:
			cancelled = nil
			if _, err := s.CancelJob(background, api.JobRequest{ID: j.ID}); err != nil {
				return api.Job{}, err
			}
		}
	}
}

// done waits for a job and returns its error, if it has one, as its own.
func (e *env) done(ctx context.Context, j api.Job) (api.Job, error) {
	j, err := e.wait(ctx, j)
	if err == nil && j.Error != nil {
		err = bodyError(*j.Error)
	}
	return j, err
}

// follow waits for an ingest or import job and prints its report.
func (e *env) follow(ctx context.Context, j api.Job) error {
	j, err := e.wait(ctx, j)
	if err != nil {
		return err
	}
	if j.Error != nil {
		if j.Report != nil && len(j.Report.Documents) > 0 && !e.json {
			e.printReport(*j.Report)
		}
		return bodyError(*j.Error)
	}
	e.code = ingestCode(*j.Report)
	if e.json {
		return e.writeJSON(j.Report)
	}
	e.printReport(*j.Report)
	return nil
}

// bodyError is an error that was already put into words by a job.
func bodyError(b api.ErrorBody) error {
	params := make([]fault.Param, 0, len(b.Params))
	for k, v := range b.Params {
		params = append(params, fault.P(k, v))
	}
	return fault.Wrap(errors.New(b.Message), b.Code, params...)
}

// cmpErr returns err, or what next returns when there is none.
func cmpErr(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}
