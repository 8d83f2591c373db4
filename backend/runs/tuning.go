package runs

import "ragdesk/backend/rag"

// Tuning is a choice among ways to fuse and rerank: made on one half of a
// dataset's questions, confirmed on the other.
type Tuning struct {
	Dataset Dataset `json:"dataset"`
	// Primary is the metric that decides.
	Primary string `json:"primary"`
	// Baseline names the candidate that the others are held against.
	Baseline string `json:"baseline"`
	Seed     uint64 `json:"seed"`
	// Dev is the half that chose.
	Dev Dev `json:"dev"`
	// Candidates in the order in which they were given.
	Candidates []Candidate `json:"candidates"`
	// Winner names the candidate with the highest mean on the dev half, of equals
	// the baseline, else the first.
	Winner string `json:"winner"`
	// HeldOut has the runs of the other half: the baseline, and the best candidate of
	// each kind on the dev half.
	HeldOut Experiment `json:"held_out"`
	// Confirmed is the comparison of the winner with the baseline on the held-out
	// half, adjusted for all of HeldOut; null when the baseline itself won.
	Confirmed *Comparison `json:"confirmed"`
	// Verdict is that of Confirmed.
	Verdict *string  `json:"verdict" tstype:"'better' | 'worse' | 'inconclusive' | null"`
	Advice  []Advice `json:"advice"`
}

// Dev counts the questions of the half that chose: all of them, those whose metric
// was measured under every candidate, and those whose search failed under one.
type Dev struct {
	Questions int `json:"questions"`
	N         int `json:"n"`
	Errored   int `json:"errored"`
}

// Candidate is a way to fuse and rerank with what it is worth on the dev half.
type Candidate struct {
	Name string `json:"name"`
	// Pipeline as it was run, at the depth of the metric.
	Pipeline rag.Pipeline `json:"pipeline"`
	// Value is the mean of the primary metric over Dev.N questions.
	Value float64 `json:"value"`
	// HeldOut says that the candidate was run on the held-out half as well.
	HeldOut bool `json:"held_out"`
}

// WinnerPipeline returns the pipeline of the winner.
func (t Tuning) WinnerPipeline() rag.Pipeline { return t.pipeline(t.Winner) }

// BaselinePipeline returns the pipeline of the baseline.
func (t Tuning) BaselinePipeline() rag.Pipeline { return t.pipeline(t.Baseline) }

func (t Tuning) pipeline(name string) rag.Pipeline {
	for _, c := range t.Candidates {
		if c.Name == name {
			return c.Pipeline
		}
	}
	return rag.Pipeline{}
}
