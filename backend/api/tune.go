package api

import "ragdesk/backend/runs"

// TuneRequest looks for the best way to fuse and rerank on labelled questions: one
// half chooses, the other confirms.
type TuneRequest struct {
	KB string `json:"kb"`
	// Dataset is a name, or a path when it has a separator or an extension.
	Dataset string `json:"dataset"`
	// Strategies are tried; empty means hybrid, union and weighted, each without and
	// with reranking. Weighted fusion is tried with each of Alphas; empty means 0 to
	// 1 in steps of a tenth.
	Strategies []string  `json:"strategies"`
	Alphas     []float64 `json:"alphas"`
	// Baseline is the strategy to beat; empty means "auto", what is in use.
	Baseline string `json:"baseline"`
	// Candidates, RerankDepth and Reranker are settings of every strategy, the last
	// two of those that rerank; null or empty means their own.
	Candidates  *int   `json:"candidates"`
	RerankDepth *int   `json:"rerank_depth"`
	Reranker    string `json:"reranker"`
	// Primary is the metric that decides; empty means nDCG@10. Gain, Relevance and
	// Unit are as in EvalRequest.
	Primary   string `json:"primary"`
	Gain      string `json:"gain"`
	Relevance string `json:"relevance"`
	Unit      string `json:"unit"`
	// Seed divides the questions.
	Seed uint64 `json:"seed"`
	// Save keeps the winner as the library's strategy "auto" when the held-out half
	// confirms it as better, or the baseline when that won. Unconfirmed keeps a
	// winner that is neither better nor worse there, too.
	Save        bool `json:"save"`
	Unconfirmed bool `json:"unconfirmed"`
}

// TuneReport is the result of a tune job.
type TuneReport struct {
	runs.Tuning `tstype:",extends,required"`
	KB          string `json:"kb"`
	// Saved says that the choice was kept. Tuned is what "auto" now runs, null where
	// nothing is kept.
	Saved bool   `json:"saved"`
	Tuned *Tuned `json:"tuned"`
}

// Tuned is what strategy "auto" of a knowledge base runs, and what that rests on.
type Tuned struct {
	// Strategy, Fusion, Alpha and Reranker are as in AutoChoice.
	Strategy    string   `json:"strategy"`
	Fusion      *string  `json:"fusion"`
	Alpha       *float64 `json:"alpha"`
	Reranker    string   `json:"reranker"`
	Candidates  int      `json:"candidates"`
	RerankDepth int      `json:"rerank_depth"`
	// Dataset and Primary decided; Baseline was held against it on N questions. Diff
	// and PAdj are null, and Verdict is empty, when the baseline itself was kept.
	Dataset  string   `json:"dataset"`
	Primary  string   `json:"primary"`
	Baseline string   `json:"baseline"`
	N        int      `json:"n"`
	Diff     *float64 `json:"diff"`
	PAdj     *float64 `json:"p_adj"`
	Verdict  string   `json:"verdict" tstype:"'better' | 'inconclusive' | ''"`
	// Stale says that the index has changed in kind since, so that "auto" is the
	// default again.
	Stale bool `json:"stale"`
}

// AutoChoice is what strategy or fusion "auto" stood for in a search.
type AutoChoice struct {
	Strategy string `json:"strategy"`
	// Fusion is null for one leg, Alpha for all but weighted fusion.
	Fusion   *string  `json:"fusion"`
	Alpha    *float64 `json:"alpha"`
	Reranker string   `json:"reranker"`
	// State is tuned; untuned or stale, where it is the default.
	State string `json:"state" tstype:"'tuned' | 'untuned' | 'stale'"`
}

// ForgetTuningRequest names a knowledge base whose "auto" is to be the default
// again.
type ForgetTuningRequest struct {
	KB string `json:"kb"`
}

// ForgottenTuning says what was forgotten; null when nothing had been tuned.
type ForgottenTuning struct {
	KB        string `json:"kb"`
	Forgotten *Tuned `json:"forgotten"`
}
