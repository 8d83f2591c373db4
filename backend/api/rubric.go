package api

import "ragdesk/backend/runs"

// MarkRequest has a language model mark answers: those of File, or Items.
type MarkRequest struct {
	// File is the path of a file of items as StartVerify reads it.
	File  string       `json:"file"`
	Items []VerifyItem `json:"items"`
	// Model judges; empty means the default one.
	Model string `json:"model"`
	// Fresh leaves the model's earlier replies aside.
	Fresh bool `json:"fresh"`
}

// MarkReport is the result of a mark job.
type MarkReport struct {
	Model string `json:"model"`
	// Fingerprint changes with the model, the prompt and the rules: marks of different
	// fingerprints are not comparable.
	Fingerprint string       `json:"fingerprint"`
	Items       []MarkedItem `json:"items"`
	N           int          `json:"n"`
	Scored      int          `json:"scored"`
	// Unscored counts the others by reason.
	Unscored map[string]int `json:"unscored" tstype:"{ [key: string]: number }"`
	// Means are the mean marks by dimension, empty when nothing is scored.
	Means map[string]float64 `json:"means" tstype:"{ [key: string]: number }"`
	// Warnings are of the judge: judge_small for a model that is too small to be
	// trusted.
	Warnings []Notice `json:"warnings"`
}

// MarkedItem is an answer with its marks.
type MarkedItem struct {
	ID       string      `json:"id"`
	Question string      `json:"question"`
	Answer   string      `json:"answer"`
	Rubric   runs.Rubric `json:"rubric"`
	// Message says why it is unscored, empty when it is not.
	Message string `json:"message"`
}

// ProbeRequest probes a judge for its known biases, on the answers of a stored run.
type ProbeRequest struct {
	Run string `json:"run"`
	// Other is a run over the same questions that another model answered, which the probe
	// of self-preference needs; empty means none.
	Other string `json:"other"`
	// Model judges; empty means the default one.
	Model string `json:"model"`
	// Probes are length, position, self_preference and anchoring; empty means all.
	Probes []string `json:"probes"`
	// Limit is how many answers are taken; 0 means 20.
	Limit int    `json:"limit"`
	Seed  uint64 `json:"seed"`
	Fresh bool   `json:"fresh"`
}

// ProbeReport is the result of a probe job.
type ProbeReport struct {
	Model       string             `json:"model"`
	Fingerprint string             `json:"fingerprint"`
	Probes      []runs.ProbeResult `json:"probes"`
	Warnings    []Notice           `json:"warnings"`
}

// RescoreRequest has a stored run's answers marked by the judge as it is now, so that the run
// can be compared with newer ones.
type RescoreRequest struct {
	Run   string `json:"run"`
	Model string `json:"model"`
	Fresh bool   `json:"fresh"`
}

// RescoreReport is the result of a rescore job: a run's marks under both versions of the judge.
type RescoreReport struct {
	Run   string `json:"run"`
	Model string `json:"model"`
	// From is the judge that marked the run when it was made, empty for none; To the one
	// that marked it now.
	From string `json:"from"`
	To   string `json:"to"`
	// N counts answers, Scored those with marks now, Unscored the others by reason.
	N        int            `json:"n"`
	Scored   int            `json:"scored"`
	Unscored map[string]int `json:"unscored" tstype:"{ [key: string]: number }"`
	// Dimensions compare the versions on the answers that both marked.
	Dimensions []RescoredDimension `json:"dimensions"`
	Warnings   []Notice            `json:"warnings"`
}

// RescoredDimension is a dimension's mean mark under both versions.
type RescoredDimension struct {
	Dimension string   `json:"dimension"`
	N         int      `json:"n"`
	From      *float64 `json:"from"`
	To        *float64 `json:"to"`
	// Diff is to − from, with its bootstrap interval.
	Diff *float64 `json:"diff"`
	CI   *runs.CI `json:"ci" tstype:"CI | null"`
}
