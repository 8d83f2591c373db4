package app

import (
	"context"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// ofRun is the beginning of a strategy that is a stored run's pipeline.
const ofRun = "run:"

// columnRun tells of the run whose pipeline a column shows, nil for a strategy by
// name or file.
func (s *Service) columnRun(ctx context.Context, find resolver, kb string, p rag.Pipeline) (*api.ColumnRun, error) {
	ref, isRun := strings.CutPrefix(p.Strategy, ofRun)
	if !isRun {
		return nil, nil //nolint:nilnil // most columns are of no run
	}
	run, err := find.run(ref)
	if err != nil {
		return nil, err
	}
	lib, err := s.library(ctx, kb)
	if err != nil {
		return nil, err
	}
	out := &api.ColumnRun{
		RunID: run.ID, Name: run.Name, Strategy: run.Strategy, Created: run.Created, Dataset: run.Dataset.Name,
		Changed: run.Library.KB != kb || run.Library.Revision != lib.Revision, Variables: []runs.Variable{},
	}
	// A strategy of a file that is gone, or of a later version, has nothing to differ from.
	if own, err := namedPipeline(find, run.Strategy, api.Retrieval{}); err == nil {
		out.Variables = list(runs.PipelineVariables(own, p))
	}
	return out, nil
}
