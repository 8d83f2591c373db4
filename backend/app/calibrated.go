package app

import (
	"context"

	"ragdesk/backend/runs"
)

// calibrate adds to each run how far people agree with its detector.
func (s *Service) calibrate(ctx context.Context, exp *runs.Experiment) error {
	known := map[string]runs.Calibration{}
	for i := range exp.Runs {
		detector, print := judgeOf(exp.Runs[i].Stored)
		if print == "" {
			continue
		}
		c, ok := known[print]
		if !ok {
			var err error
			if c, err = s.calibration(ctx, detector, print); err != nil {
				return err
			}
			known[print] = c
		}
		exp.Runs[i].Headline.Kappa = &c
	}
	return nil
}

// judgeOf names the detector of a run by name and fingerprint; both are empty where
// nothing was judged.
func judgeOf(r runs.Stored) (detector, print string) {
	for _, q := range r.Records {
		if a := q.Answer; a != nil && a.DetectorFingerprint != "" {
			return a.Detector, a.DetectorFingerprint
		}
	}
	return "", ""
}
