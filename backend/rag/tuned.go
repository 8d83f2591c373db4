package rag

// StrategyAuto names the strategy that was tuned for a library, StrategyDefault
// the one it stands for where nothing was.
const (
	StrategyAuto    = "auto"
	StrategyDefault = "hybrid+rerank"
)

// FusionAuto is the fusion that was tuned for a library, reciprocal rank fusion
// where nothing was. No pipeline that runs has it.
const FusionAuto Fusion = "auto"

// Tuned is a library's own choice of fusion and reranking, with what it rests on.
type Tuned struct {
	// Pipeline is what strategy "auto" runs; its Strategy is the one it was made of.
	Pipeline Pipeline `json:"pipeline"`
	// Library is the fingerprint of the index that was tuned; under another the
	// choice is void.
	Library string `json:"library"`
	// Dataset and Hash name the questions, Primary the metric that decided.
	Dataset string `json:"dataset"`
	Hash    string `json:"hash"`
	Primary string `json:"primary"`
	Seed    uint64 `json:"seed"`
	// Baseline is the strategy that it was held against on N questions of the
	// held-out half, Diff the difference there, PAdj its p-value; the last two are
	// null when the baseline itself was kept.
	Baseline string   `json:"baseline"`
	N        int      `json:"n"`
	Diff     *float64 `json:"diff"`
	PAdj     *float64 `json:"p_adj"`
	// Verdict is better, inconclusive, or empty when the baseline was kept.
	Verdict string `json:"verdict"`
}
